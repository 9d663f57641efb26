// The login, enrol and link pages: one small state machine that the server drives.
//
// The server sends a snapshot whenever something changes, and what the code says in the next seconds every five. Each snapshot says everything, so a
// page that was away only has to listen again. Nothing here is secret: the ticket leaves the address bar at once and becomes a cookie that scripts
// cannot read; the code that the phone shows is typed in, never sent to this page. What stays in the address is the page's name, which
// every request carries: a browser may have several pages open, and sends the cookies of all of them.

import { symbol } from "./qr.js";

const kind = document.body.dataset.kind;
const all = (selector) => [...document.querySelectorAll(selector)];
const one = (selector) => document.querySelector(selector);

let page = null;
let runs = 0;
let shown = "opening";
let holdStill = false;
let stream = null;
let failures = 0;
let timer = 0;
let patience = 0;
let frames = 0;

// What is on the page

function show(state) {
  if (state === shown) return;
  const next = one(`section[data-state="${state}"]`);
  if (!next) return;
  for (const section of all("section[data-state]")) section.hidden = section !== next;
  shown = state;
  const steps = one("[data-steps]");
  if (steps) {
    const current = steps.querySelector(`[data-step="${state}"]`);
    steps.hidden = !current;
    for (const step of steps.children) step === current ? step.setAttribute("aria-current", "step") : step.removeAttribute("aria-current");
  }
  if (state !== "waiting") clearInterval(frames);
  say("");
  offerLater(next);
  const heading = next.querySelector("h1");
  document.title = [heading.textContent, one("[data-server]").textContent].filter(Boolean).join(" · ");
  for (const place of all("[data-back]")) place.hidden = !place.querySelector("a[href]") || underWay.includes(state);
  const place = next.querySelector("input") ?? heading;
  if (place === heading) heading.tabIndex = -1;
  place.focus({ preventScroll: place === heading });
}

/** A phone that dies says nothing: after a minute there is a way on, whatever the phone does. */
function offerLater(section) {
  clearTimeout(patience);
  for (const hint of all("[data-later]")) hint.hidden = true;
  const hint = section.querySelector("[data-later]");
  if (hint) patience = setTimeout(() => (hint.hidden = false), 60_000);
}

/** What belongs to no state: read out by screen readers, and seen under the page. */
function say(text) {
  one("[data-said]").textContent = text;
}

/** States that end by themselves or by what the person does on the page. */
const underWay = ["opening", "waiting", "returning", "inapp", "code", "loggedin", "done"];

/** Bytes of base64url. */
function decode(text) {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
}

/** A picture of square tiles as one SVG path; `isInk` is asked by number, row by row. */
function draw(into, { columns, rows, ink, paper }, isInk, label) {
  let path = "";
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const start = column;
      while (column < columns && isInk(row * columns + column)) column++;
      if (column > start) path += `M${start} ${row}h${column - start}v1h${start - column}z`;
    }
  }
  let svg = into.querySelector("svg");
  if (!svg || svg.getAttribute("viewBox") !== `0 0 ${columns} ${rows}`) {
    svg = element("svg", { viewBox: `0 0 ${columns} ${rows}`, "shape-rendering": "crispEdges", role: "img", "aria-label": label });
    svg.append(element("rect", { width: columns, height: rows }), element("path", {}));
    into.replaceChildren(svg);
  }
  svg.firstChild.setAttribute("fill", paper);
  svg.lastChild.setAttribute("fill", ink);
  svg.lastChild.setAttribute("d", path);
}

function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Without a text what the page itself says is there again. */
function fill(selector, text) {
  for (const place of all(selector)) {
    place.dataset.otherwise ??= place.textContent;
    place.textContent = text || place.dataset.otherwise;
  }
}

/** A QR code now and, of one that moves, a frame for each second until the server has said more: the next number and the next mac in it. */
function drawCode(code) {
  clearInterval(frames);
  const bytes = decode(code.bytes);
  const macs = decode(code.next ?? "");
  drawSymbol(bytes);
  let drawn = 0;
  if (macs.length) frames = setInterval(() => (8 * ++drawn > macs.length ? clearInterval(frames) : drawSymbol(frame(bytes, macs, drawn))), 1000);
}

/** The frame after so many seconds (protocol §3): its number is in bytes 26 and 27 of the link, its mac in the last eight. */
function frame(bytes, macs, seconds) {
  const next = bytes.slice();
  const view = new DataView(next.buffer);
  view.setUint16(26, view.getUint16(26) + seconds);
  next.set(macs.subarray(8 * seconds - 8, 8 * seconds), next.length - 8);
  return next;
}

/** With the standard's margin of four modules. */
function drawSymbol(bytes) {
  const { side, modules } = symbol(bytes);
  const edge = side + 8;
  const isDark = (tile) => {
    const [column, row] = [(tile % edge) - 4, Math.floor(tile / edge) - 4];
    return column >= 0 && column < side && row >= 0 && row < side && modules[row * side + column];
  };
  for (const place of all("[data-qr]")) draw(place, { columns: edge, rows: edge, ink: "#000", paper: "#fff" }, isDark, place.dataset.label);
}

function drawPicture(into, picture, label) {
  const bits = decode(picture.bits);
  draw(into, picture, (tile) => (bits[tile >> 3] >> (7 - (tile & 7))) & 1, label);
}

// What the server says

function follow(now) {
  one("[data-offline]").hidden = true;
  failures = 0;
  if (now.kind !== kind) {
    location.replace(`/${now.kind}#page=${page}`);
    return;
  }
  if (now.state === "returning") return goBack(now.returnurl);
  one("[data-server]").textContent = now.server;
  for (const logo of all("[data-logo]")) if (now.logo && logo.hidden) Object.assign(logo, { src: now.logo, hidden: false });
  if (now.code) drawCode(now.code);
  for (const button of all("[data-act=still]")) button.parentElement.hidden = !now.still;
  for (const hint of all("[data-read]")) hint.hidden = !now.read || Boolean(now.beside);
  for (const way of all("[data-takeover]")) way.hidden = !now.takeover;
  for (const hint of all("[data-beside]")) hint.hidden = hint.dataset.beside !== now.beside;
  for (const link of all("[data-link]")) now.link ? (link.href = now.link) : link.removeAttribute("href");
  for (const link of all("[data-back] a")) if (now.returnurl) link.href = now.returnurl;
  fill("[data-name]", now.name);
  for (const place of all("[data-forname]")) place.hidden = !now.name;
  // At the end it is the phone that was shown before.
  if (now.device || now.state !== "done") fill("[data-device]", now.device);
  for (const place of all("[data-picture]")) if (now.picture) drawPicture(place, now.picture, `The picture, in words: ${now.words.join(", ")}`);
  for (const place of all("[data-words]")) {
    if (now.words) place.replaceChildren(...now.words.map((word) => Object.assign(document.createElement("span"), { textContent: word })));
  }
  show(now.state);
  if (now.state === "loggedin" || now.state === "done") leave(now.returnurl);
}

/** At once, in the place of this page: the address holds the code that ends the login in this browser, and is good once. */
function goBack(address) {
  stopListening();
  show("returning");
  location.replace(address);
}

function leave(address) {
  for (const place of all("[data-leaving]")) place.hidden = !address;
  for (const place of all("[data-staying]")) place.hidden = Boolean(address);
  if (!address) return;
  stopListening();
  timer = setTimeout(() => location.replace(address), 1200);
}

// How it says it: a stream of events, or, where none gets through, a question every two seconds. A page that nobody sees asks, too: a browser
// opens few connections to one server, and a stream holds one

function listen() {
  stopListening();
  if (!window.EventSource || failures >= 3 || document.hidden) return ask();
  stream = new EventSource(mine("/pages/events") + (holdStill ? "&still" : ""));
  stream.addEventListener("page", (event) => follow(JSON.parse(event.data)));
  stream.addEventListener("code", (event) => drawCode(JSON.parse(event.data)));
  stream.addEventListener("error", () => {
    failures += 1;
    if (stream?.readyState !== EventSource.CLOSED && failures < 3) {
      one("[data-offline]").hidden = false;
      return;
    }
    stopListening();
    ask();
  });
}

async function ask() {
  stopListening();
  const run = runs;
  try {
    const answer = await fetch(mine("/pages/state"), { cache: "no-store" });
    if (run !== runs) return;
    if (answer.status === 401) return over();
    if (answer.ok) {
      const tried = failures;
      follow(await answer.json());
      failures = tried;
    }
    one("[data-offline]").hidden = answer.ok;
  } catch {
    one("[data-offline]").hidden = false;
  }
  if (!["done", "returning", "closed", "over"].includes(shown)) timer = setTimeout(ask, document.hidden ? 5000 : 2000);
}

/** The page's time is over; what was told before stays true. */
function over() {
  stopListening();
  if (["opening", "waiting", "scanned", "code"].includes(shown)) show("over");
}

function stopListening() {
  stream?.close();
  stream = null;
  clearTimeout(timer);
}

/** An address that says whose page asks. */
function mine(path) {
  return `${path}?page=${page}`;
}

function post(path, value) {
  return fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
}

// What the person does

const acts = {
  still(button) {
    holdStill = !holdStill;
    button.textContent = button.dataset[holdStill ? "moving" : "still"];
    say(holdStill ? "The code stands still now." : "");
    listen();
  },
  async renew(button) {
    button.disabled = true;
    const answer = await post(mine("/pages/renew"), {}).catch(() => null);
    button.disabled = false;
    if (!answer) return say("That did not work. Look whether this device is connected, then try again.");
    if (!isSaid(answer)) return say("That did not work. Try again in a moment.");
    if (answer.status === 401) return show("over");
    if (answer.status === 429) return say(`New codes were asked for very often. Wait ${answer.headers.get("Retry-After")} seconds, then try again.`);
    if (answer.status === 409) say("Nothing was begun anew: this goes on already. Start again from the site if it does not.");
    failures = 0;
    listen();
  },
};
for (const button of all("[data-act]")) button.addEventListener("click", () => acts[button.dataset.act](button));

one("[data-form=code]")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const input = event.target.elements.code;
  const help = one("[data-help]");
  help.textContent = "";
  const answer = await post(mine("/pages/code"), { code: input.value }).catch(() => null);
  if (answer?.status === 401) return show("over");
  const result = answer?.ok ? await answer.json() : null;
  const wrong = !result || result.outcome === "wrong";
  input.setAttribute("aria-invalid", String(wrong));
  if (!result) help.textContent = answer?.status === 400 ? "The code has four letters and digits." : "That did not work. Please try again.";
  else if (wrong) help.textContent = `That is not the code. ${result.left} ${result.left === 1 ? "try" : "tries"} left.`;
  if (wrong) input.select();
});

// How it begins

async function begin() {
  const run = ++runs;
  const fragment = location.hash.slice(1);
  if (kind === "link") return showLink(fragment);
  stopListening();
  page = fragment.match(/^page=([\w-]{12})$/)?.[1];
  if (page) return listen();
  for (const link of all("[data-back] a")) link.removeAttribute("href");
  const answer = fragment ? await post("/pages/ticket", { ticket: fragment }).catch(() => null) : null;
  if (run !== runs) return;
  // The ticket is still good, and stays in the address until somebody has said what became of it.
  if (fragment && !isSaid(answer)) return beginLater();
  one("[data-offline]").hidden = true;
  history.replaceState(null, "", location.pathname);
  const opened = answer?.ok ? await answer.json() : null;
  if (run !== runs) return;
  if (!opened) return show("closed");
  page = opened.page;
  history.replaceState(null, "", `#page=${page}`);
  listen();
}

/** Whether the server has answered, and not that it is unable to. A page that a proxy shows in its place, whatever its status, is no answer. */
function isSaid(answer) {
  return answer !== null && answer.status < 500 && Boolean(answer.headers.get("Content-Type")?.startsWith("application/json"));
}

function beginLater() {
  one("[data-offline]").hidden = false;
  timer = setTimeout(begin, 3000);
}

async function showLink(link) {
  const answer = await post("/pages/link", { link }).catch(() => null);
  if (!isSaid(answer)) return beginLater();
  one("[data-offline]").hidden = true;
  if (!answer.ok) return show("closed");
  const told = await answer.json();
  one("[data-server]").textContent = told.server;
  if (told.code) drawCode(told.code);
  show(told.code ? "waiting" : "tapped");
}

document.addEventListener("visibilitychange", () => {
  if (page && !["done", "closed", "over"].includes(shown)) listen();
});
addEventListener("hashchange", begin);
// Hidden until here: without scripts nothing is being prepared.
one("section[data-state=opening]").hidden = false;
begin();
