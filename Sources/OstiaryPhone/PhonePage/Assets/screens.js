// What is asked: the screens of a login, an enrolment and a second factor.

import { all, button, focusOn, make, one, time } from "./lists.js";

let shown = "opening";
let heading = "";

/** Shows one screen; focus and title go with it. A question that is asked anew is a new one. */
export function show(screen, title, isNew) {
  const next = one(`section[data-screen="${screen}"]`);
  const isOther = screen !== shown;
  for (const section of all("section[data-screen]")) section.hidden = section !== next;
  const first = one("h1", next);
  heading = first.textContent;
  document.title = [heading, title].filter(Boolean).join(" · ");
  const isBeginning = shown === "opening";
  shown = screen;
  if (!isOther && !isNew) return;
  for (const dialog of all("dialog[open]")) dialog.close();
  first.tabIndex = -1;
  focusOn(first, { preventScroll: isBeginning });
}

/** For ears, and without a place on the page. */
export function say(text) {
  one("[data-said]").textContent = text;
}

/** Fills the screen of what is asked. */
export function fillQuestion(phone) {
  const section = one(`section[data-screen="${phone.screen}"]`);
  const about = one("[data-about]", section);
  if (about) redraw(about, phone.about ?? null, () => (phone.about ? describe(phone.about, phone.screen) : []));
  for (const part of all("[data-when-session]", section)) part.hidden = phone.screen === "working" ? !phone.title : !phone.about;
  if (phone.screen === "working") one("[data-working]").textContent = phone.title ? `${phone.title}: the servers have the word.` : "The servers have the word.";
  if (phone.screen === "login") fillLogin(section, phone);
  if (phone.screen === "enrolment") fillEnrolment(section, phone);
}

/** Only what changed is drawn anew, so that nobody loses their place. */
function redraw(place, value, build) {
  const text = JSON.stringify(value);
  if (place.said === text) return;
  place.said = text;
  place.replaceChildren(...build());
}

function fillLogin(section, phone) {
  one("[data-asks]", section).textContent = `Log in to ${phone.about.title}?`;
  one("[data-choose]", section).hidden = phone.choices.length < 2;
  one("[data-number]", section).hidden = !phone.about.needsNumber;
  one("[data-number-said]", section).textContent = phone.about.wrongNumbers > 0
    ? "That was another number. Look again where the login was begun: the third wrong one ends it."
    : "Type what is shown there. If you see no number, or did not begin this, say that it was not you.";
  const digits = one("[data-digits]", section);
  if (digits.question !== phone.question) {
    digits.question = phone.question;
    digits.value = "";
  }
  // Each account is a button of its own: none is chosen before the person does.
  redraw(one("[data-choices]", section), [phone.question, phone.choices], () =>
    phone.choices.map((account) => button(`Log in as ${account.username}`, "confirm", { id: account.id }, "button")));
}

function fillEnrolment(section, phone) {
  const { name, asksPIN, isUpgrade } = phone.about;
  one("[data-asks]", section).textContent = isUpgrade ? `Choose a PIN for the account ${name}?` : `Add the account ${name}?`;
  one("[data-no-pin]", section).hidden = asksPIN;
  sentence(one("[data-here]", section), "On this phone already: ", phone.choices.map((account) => account.username));
  sentence(one("[data-there]", section), "At the server already, on whatever device: ", phone.there);
  const yes = isUpgrade ? "choose a PIN" : "add it";
  one("[data-act=add]", section).textContent = phone.words ? `Yes, they are the same: ${yes}` : `Yes, ${yes}`;
  one("[data-hash]", section).hidden = !phone.words;
  if (!phone.words) return;
  redraw(one("[data-words]", section), phone.words, () => phone.words.map((word) => make("span", { textContent: word })));
  redraw(one("[data-picture]", section), phone.tiles, () => [picture(phone.tiles, `The picture, in words: ${phone.words.join(", ")}`)]);
}

function sentence(place, beginning, names) {
  place.hidden = names.length === 0;
  place.textContent = beginning + names.join(", ");
}

/** Who asks, from where, and every text that was announced. */
function describe(about, screen) {
  const isShort = screen === "factor";
  const facts = [
    ["Server", about.kind === "login" ? "" : about.server], ["Website", about.origin], ["Account", isShort ? about.username ?? about.name : ""],
    ["Asked by", [about.browser, about.city].filter(Boolean).join(", ")],
    ["Since", about.started ? time(about.started) : ""], ["Answer until", about.expires && !isShort ? time(about.expires) : ""],
  ].filter(([, text]) => text);
  const purpose = { app: "To log in to the app on this phone.", login: `To log in to ${about.title}.`, enrolment: `For the account ${about.name} at ${about.server}.` };
  return [
    isShort ? make("p", { textContent: purpose[about.kind] }) : "",
    binding(about),
    announcement(about),
    facts.length ? rows(facts) : "",
  ].filter(Boolean);
}

function rows(facts) {
  return make("dl", {}, ...facts.flatMap(([name, text]) => [make("dt", { textContent: name }), make("dd", { textContent: text })]));
}

/** What the other side chose to say, texts, their names and picture: apart, so that none of it looks like what this phone says. */
function announcement(about) {
  if (!about.announced.length && !about.hasLogo) return "";
  const heading = about.kind === "login" ? "The website says this:" : "The server says this:";
  return make("div", { className: "announced", role: "group", "aria-label": heading },
    make("p", { className: "quiet", textContent: heading, "aria-hidden": "true" }),
    about.logo ? make("img", { src: about.logo, alt: `Picture that ${about.title} shows with this`, className: "logo" }) : "",
    about.hasLogo && !about.logo ? make("p", { className: "quiet", textContent: "There is a picture that this page does not show." }) : "",
    about.announced.length ? rows(about.announced.map(({ key, text }) => [key, text])) : "");
}

function binding({ binding }) {
  if (binding === "unboundLink" || binding === "qrStatic") {
    return make("p", { className: "careful", textContent: "Careful: nothing shows that the browser that asks is yours. Somebody may have sent you this." });
  }
  const texts = { qrDynamic: "The code was read off a screen just now.", returnCode: "The login ends in the browser that you go back to from here." };
  return texts[binding] ? make("p", { className: "quiet", textContent: texts[binding] }) : "";
}

function picture(tiles, label) {
  const space = "http://www.w3.org/2000/svg";
  const element = (name, attributes) => {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const drawn = element("svg", { viewBox: `0 0 ${tiles[0].length} ${tiles.length}`, "shape-rendering": "crispEdges", role: "img", "aria-label": label });
  tiles.forEach((row, y) => row.forEach((fill, x) => drawn.append(element("rect", { x, y, width: 1, height: 1, fill }))));
  return drawn;
}
