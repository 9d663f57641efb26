// What is on a page of ours: its states, the texts beside them, the site's look and the ways on. Login, enrol and link pages share it.

export const kind = document.body.dataset.kind;
export const all = (selector) => [...document.querySelectorAll(selector)];
export const one = (selector) => document.querySelector(selector);
/** Hides whatever the selector finds, or shows it. */
export function hide(selector, isHidden) {
  for (const place of all(selector)) place.hidden = Boolean(isHidden);
}
/** What the page says by script, in its language. */
export const texts = one("[data-texts]")?.dataset ?? {};

export let shown = "opening";
let patience = 0;
/** What is told of each state that comes. */
export const shows = [];

/** States that end by themselves, or in which leaving would lose what the person is at. */
const underWay = ["opening", "returning", "onward", "inapp", "code", "loggedin", "done"];

export function show(state) {
  if (state === shown) return;
  const next = one(`section[data-state="${state}"]`);
  if (!next) return;
  hide("section[data-state]", true);
  next.hidden = false;
  // A phone that dies says nothing: after a minute there is a way on, whatever the phone does. At once on a page that was loaded again while a phone is
  // at it: how long that was is not known here, and who loads it again waits for something.
  clearTimeout(patience);
  hide("[data-later]", shown !== "opening");
  patience = setTimeout(hide, 60_000, "[data-later]");
  shown = state;
  const steps = one("[data-steps]");
  if (steps) {
    for (const step of steps.children) step.ariaCurrent = step.dataset.step === state ? "step" : null;
    steps.hidden = !steps.querySelector("[aria-current]");
  }
  say("");
  offerWays();
  const heading = next.querySelector("h1");
  document.title = [heading.textContent, one("[data-server]").textContent].filter(Boolean).join(" · ");
  const place = next.querySelector("input") ?? heading;
  if (place === heading) heading.tabIndex = -1;
  // A frame takes nobody's focus.
  if (parent === window || document.hasFocus()) place.focus({ preventScroll: place === heading });
  for (const told of shows) told(state);
}

/** What belongs to no state: read out by screen readers, and seen under the page. */
export function say(text) {
  one("[data-said]").textContent = text ?? "";
}

/** Without a text what the page itself says is there again. */
export function fill(selector, text) {
  for (const place of all(selector)) {
    place.dataset.otherwise ??= place.textContent;
    place.textContent = text || place.dataset.otherwise;
  }
}

/** The back to the site, and where the app is to be had, where these belong to the state. */
function offerWays() {
  const back = one("[data-back]");
  back.hidden = !back.querySelector("a[href]") || underWay.includes(shown);
  const app = one("[data-app]");
  app.hidden = !app.querySelector("a:not([hidden])") || !["waiting", "tapped"].includes(shown);
}

/**
 * Where a person goes who does not go on. This tab keeps it for when the page itself is over, in its history where it can. What the tab kept of a page
 * before, of another site perhaps (`kept`), says where it leads, and is no page's own.
 */
export function goBackTo(address, kept) {
  const link = one("[data-back] a");
  fill("[data-back] a", kept && address?.split("/")[2]);
  if (!address) link.removeAttribute("href");
  else if (link.getAttribute("href") !== address) {
    link.href = address;
    if (!kept) history.replaceState({ back: address }, "");
    try {
      sessionStorage.back = address;
    } catch {
      // A browser that keeps nothing still has the link.
    }
  }
  offerWays();
}

/** What `goBackTo` kept last, of whatever page. */
export function backOfTab() {
  try {
    return sessionStorage.back;
  } catch {
    // A browser that keeps nothing.
  }
}

/** The virtual server: its name, logo, colours, and its app. */
export function dress(now) {
  one("[data-server]").textContent = now.server;
  const logo = one("[data-logo]");
  if (now.logo && logo.hidden) Object.assign(logo, { src: now.logo, hidden: false });
  const { style } = document.documentElement;
  style.setProperty("--brand", now.color ?? "");
  style.setProperty("--brand-dark", now.colordark ?? "");
  fill("[data-appname]", now.app?.name);
  // On a phone only its own store is of use, where there is one.
  const places = Object.keys(now.app ?? {});
  const wanted = places.includes(system) ? [system] : places;
  for (const place of all("[data-place]")) {
    const name = place.dataset.place;
    place.hidden = !wanted.includes(name);
    if (!place.hidden) place.href = now.app[name];
  }
  offerWays();
}

/** The store of the phone that the page is on; nothing on anything else. */
const system = /Android/.test(navigator.userAgent) ? "android" : /iPhone|iPad|iPod/.test(navigator.userAgent) ? "ios" : "";
export const isPhone = system !== "";

/** Null where nothing came back. */
export function post(path, value) {
  return fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) }).catch(() => null);
}

/** Whether the server has answered, and not that it is unable to. A page that a proxy shows in its place, whatever its status, is no answer. */
export function isSaid(answer) {
  return answer?.status < 500 && answer.headers.get("Content-Type")?.startsWith("application/json");
}

/** Whether the server cannot be heard at the moment. */
export function lost(isLost) {
  hide("[data-offline]", !isLost);
}
