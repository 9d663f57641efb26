// Lists of what a phone has. An entry that did not change stays the element that it was, so that focus stays where it is and nothing is read out twice.

export const one = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** An element with properties and children; texts are texts, never HTML. */
export function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "data") Object.assign(made.dataset, value);
    else if (name.includes("-")) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

/** Puts the focus there, but never takes it from the page beside whose frame this is. */
export function focusOn(element, options) {
  if (window === window.top || document.hasFocus()) element?.focus(options);
}

/** A button that does what `acts` has under that name. */
export function button(text, act, data = {}, look = "plain") {
  return make("button", { type: "button", className: look, textContent: text, data: { act, ...data } });
}

/** Brings a list to these entries; `build` makes the children of one. */
export function fill(list, entries, key, build) {
  const former = new Map([...list.children].map((child) => [child.dataset.key, child]));
  const hadFocus = list.contains(document.activeElement);
  let before = null;
  for (const entry of entries) {
    const text = JSON.stringify(entry);
    let item = former.get(String(entry[key]));
    if (item?.said !== text) {
      const fresh = make("li", { data: { key: entry[key] } }, ...build(entry));
      fresh.said = text;
      item?.replaceWith(fresh);
      item = fresh;
    }
    former.delete(String(entry[key]));
    const next = before ? before.nextSibling : list.firstChild;
    if (next !== item) list.insertBefore(item, next);
    before = item;
  }
  for (const gone of former.values()) gone.remove();
  list.hidden = entries.length === 0;
  // What had the focus is gone: it goes to what the page says now.
  if (hadFocus && !list.contains(document.activeElement)) focusOn(one("section[data-screen]:not([hidden]) h1"));
}

export function time(seconds) {
  return new Date(seconds * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

const statuses = {
  LOGGED_IN: "logged in", LOGGED_IN_ONE_SHOT: "logged in, not watched", LOGGED_OUT: "logged out", ABORTED: "came to nothing", DELETED: "ended with its account",
  ERROR: "failed",
};
const states = { enrolling: "not known to the server yet", pending: "waits for its code", active: "" };

/** Everything that stands on the phone while nothing is asked, and its messages. */
export function fillLists(phone) {
  fill(one("[data-notices]"), phone.notices, "id", (notice) => [
    make("div", { className: `notice notice-${notice.kind}` },
      make("p", {}, notice.kind === "warning" ? make("strong", { textContent: "Careful. " }) : "", notice.text),
      notice.advice ? make("p", { className: "quiet", textContent: notice.advice + (notice.code ? ` (${notice.code})` : "") }) : "",
      make("button", { type: "button", className: "plain", textContent: "Put away", "aria-label": `Put away: ${notice.text}`, data: { act: "putAway", id: notice.id } })),
  ]);
  for (const list of all("[data-offers]")) {
    fill(list, phone.offers, "session", (offer) => [
      make("p", {}, "The server cannot be reached. A one-time code, typed into the page that shows the QR code, logs in without this phone’s network, and without its PIN."),
      make("div", { className: "answers" }, ...offer.accounts.map((account) => button(`Get OTP now, as ${account.username}`, "otp", { id: account.id, session: offer.session }, "button"))),
    ]);
  }
  fill(one("[data-one-time-codes]"), phone.oneTimeCodes.map(({ left, ...code }) => code), "code", (code) => [
    make("p", {}, `Type this into the page that you opened yourself, to log in as ${code.username} at ${code.server}. Tell it to nobody:`),
    make("p", { className: "code", textContent: code.code, "aria-label": [...code.code].join(" ") }),
    make("p", { className: "quiet", role: "timer", data: { left: "" } }),
    button("Put it away", "putAwayCode"),
  ]);
  changes = performance.now() + (phone.oneTimeCodes[0]?.left ?? 0) * 1000;
  tick();
  fill(one("[data-codes]"), phone.codes, "session", (code) => [
    make("p", {}, "Type this code into the page that showed the QR code", code.name ? `, for ${code.name}` : "", ":"),
    make("p", { className: "code", textContent: code.code, "aria-label": [...code.code].join(" ") }),
    button("Give up this enrolment", "stop", { id: code.session }),
  ]);
  fill(one("[data-returning]"), phone.returning, "id", (session) => [
    make("p", {}, make("strong", { textContent: `You said yes to ${session.title}. ` }),
      session.address ? "Go on in the browser, by opening this address once:" : "Go on in the browser that showed the code."),
    session.address ? make("p", {}, make("a", { href: session.address, target: "_blank", rel: "noopener noreferrer", className: "button", textContent: "Open it in the browser" })) : "",
    button("Give it up", "stop", { id: session.id }),
  ]);
  fill(one("[data-accounts]"), phone.accounts, "id", (account) => accountItem(account, phone.sensor));
  fill(one("[data-sessions]"), phone.sessions, "id", (session) => [
    make("p", {}, make("strong", { textContent: session.title }), session.username ? ` as ${session.username}` : ""),
    make("p", { className: "quiet", textContent: [session.browser, session.connectionError ? "its server cannot be reached" : ""].filter(Boolean).join(" · ") }),
    make("button", { type: "button", className: "button second", textContent: "Log out", "aria-label": `Log out of ${session.title}`, data: { act: "stop", id: session.id } }),
  ]);
  fill(one("[data-history]"), phone.history, "id", (item) => [
    make("p", {}, make("strong", { textContent: item.title }), ` ${statuses[item.status] ?? item.status}`),
    make("p", { className: "quiet", textContent: [time(item.changed), item.username, { enrolment: "enrolment", app: "this phone’s app" }[item.kind]].filter(Boolean).join(" · ") }),
  ]);
  for (const [name, entries] of Object.entries({ accounts: phone.accounts, sessions: phone.sessions, history: phone.history })) {
    one(`[data-none=${name}]`).hidden = entries.length > 0 || !phone.readable;
  }
  one("[data-unreadable]").hidden = phone.readable;
  one("[data-sensor]").hidden = !phone.sensor;
  const look = one("[data-act=look]");
  look.hidden = !phone.source;
  look.textContent = phone.source ?? "";
}

let changes = 0;

/** Counts down to the one-time code that follows. */
function tick() {
  const place = one("[data-left]");
  if (place) place.textContent = `In ${Math.max(0, Math.ceil((changes - performance.now()) / 1000))} s another one takes its place; this one is good for two minutes more.`;
}
setInterval(tick, 1000);

function accountItem(account, hasSensor) {
  const told = states[account.state] ?? account.state;
  const named = (text, act) => {
    const made = button(text, act, { id: account.id });
    made.setAttribute("aria-label", `${text}: ${account.username} at ${account.server}`);
    return made;
  };
  return [
    make("p", {}, make("strong", { textContent: account.username }), ` at ${account.server}`),
    make("p", { className: "quiet", textContent: [account.address, told, account.hasSecondFactor ? "" : "no second factor: it asks for data"].filter(Boolean).join(" · ") }),
    make("div", { className: "row" },
      ...(account.hasSecondFactor ? [
        named("Log in to the app itself", "appLogin"), named("Change the PIN", "changePIN"),
        hasSensor ? named("Add the simulated finger", "addBiometrics") : "", hasSensor ? named("Remove the finger", "removeBiometrics") : "",
      ] : []),
      make("button", { type: "button", className: "plain bad", textContent: "Delete", "aria-label": `Delete: ${account.username} at ${account.server}`, data: { act: "delete", id: account.id, doomed: `${account.username} at ${account.server}` } })),
  ];
}
