// The phone page: draws what the program tells of its phones, and says what the person does.
//
// The program holds every state; each answer of it says everything, so that a page which was away only has to ask again. A call of the person names the
// question that it answers: a click that comes late answers no other.

import { call, listen, only } from "./line.js";
import { fillLists, make, one } from "./lists.js";
import { askFinger, fillPad } from "./pad.js";
import { look, scanWith, share, stopSharing } from "./scan.js";
import { fillQuestion, say, show } from "./screens.js";

let phones = [];
let chosen = only ?? 0;
let drawn = { place: null, screen: null, question: null };

function draw() {
  const phone = phones[chosen];
  if (!phone) return show("closed", "Phone");
  // A wrong PIN asks anew on the same screen, where the person goes on; another login, or one that was changed, is to be read from its beginning.
  const isAnew = drawn.question !== phone.question && ["login", "enrolment"].includes(phone.screen);
  if (drawn.screen !== phone.screen || drawn.place !== chosen || isAnew) forget();
  drawPhones();
  one("[data-name]").textContent = phone.name;
  fillLists(phone);
  if (phone.screen !== "home") fillQuestion(phone);
  fillPad(phone.screen === "factor" ? phone : null, chosen);
  scanWith(phone.screen === "home" ? chosen : null);
  show(phone.screen, phone.screen === "home" ? "Phone" : phone.name, isAnew || drawn.place !== chosen);
  drawn = { place: chosen, screen: phone.screen, question: phone.question };
}

/** What was written or said for another screen. */
function forget() {
  one("[data-input]").value = "";
  one("[data-input]").closest("details").open = false;
  one("[data-trouble]").hidden = true;
  if (drawn.screen !== null) say("");
}

function drawPhones() {
  const nav = one("[data-phones]");
  nav.hidden = phones.length < 2 || only !== null;
  const titles = phones.map((phone, place) =>
    place !== chosen && ["login", "enrolment", "factor"].includes(phone.screen) ? `${phone.name} (asks you)` : phone.name);
  const now = JSON.stringify([titles, chosen]);
  if (nav.hidden || nav.said === now) return;
  nav.said = now;
  nav.replaceChildren(...titles.map((title, place) => {
    const made = make("button", { type: "button", textContent: title, data: { act: "choose", place } });
    if (place === chosen) made.setAttribute("aria-current", "page");
    return made;
  }));
}

// What the person does

const to = (path, body) => call(chosen, path, body);
const answer = (path, body = {}) => to(path, { question: drawn.question, ...body });
let doomed = null;

const acts = {
  choose(button) {
    chosen = Number(button.dataset.place);
    draw();
    one("[data-phones] [aria-current]")?.focus();
  },
  look,
  share,
  unshare: stopSharing,
  confirm: (button) => answer("confirm", { account: button.dataset.id, userInput: one("[data-input]").value || null, number: one("[data-digits]").value.trim() || null }),
  add: () => answer("confirm", { account: null, userInput: null, number: null }),
  deny: () => answer("deny", { notMe: false }),
  notMe: () => answer("deny", { notMe: true }),
  giveUp: () => answer("give-up"),
  finger: askFinger,
  otp: (button) => to("otp", { session: button.dataset.session, account: button.dataset.id }),
  putAwayCode: () => to("put-away-code"),
  stop: (button) => to("stop", { session: button.dataset.id }),
  appLogin: () => to("app-login"),
  changePIN: (button) => to("change-pin", { account: button.dataset.id }),
  addBiometrics: (button) => to("add-biometrics", { account: button.dataset.id }),
  removeBiometrics: (button) => to("remove-biometrics", { account: button.dataset.id }),
  delete(button) {
    doomed = button.dataset.id;
    one("[data-dialog=delete] [data-doomed]").textContent = `${button.dataset.doomed}: its keys are destroyed on this phone, and the server is told. It cannot be brought back.`;
    one("[data-dialog=delete]").showModal();
  },
  deleteNow() {
    one("[data-dialog=delete]").close();
    return to("delete-account", { account: doomed });
  },
  keep: () => one("[data-dialog=delete]").close(),
  newFinger: async () => {
    const done = await to("new-finger");
    if (done?.ok) say("The device has another finger now.");
  },
  clear: () => to("clear-history"),
  refresh: () => to("refresh"),
  putAway: (button) => to("put-away", { notice: Number(button.dataset.id) }),
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  if (button) acts[button.dataset.act](button);
});

// How it begins

addEventListener("hashchange", () => location.reload());
// Hidden until here: without scripts no phone is looked for.
one("section[data-screen=opening]").hidden = false;
listen(
  (told) => {
    phones = told;
    draw();
  },
  (isClosed) => {
    // Whatever was asked stands there no more, and no pad.
    phones = [];
    fillPad(null);
    scanWith(null);
    for (const part of ["[data-phones]", "[data-notices]"]) one(part).hidden = true;
    show(isClosed ? "closed" : "gone", "Phone");
  },
);
