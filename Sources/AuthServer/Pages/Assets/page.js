// The login, enrol and link pages: one small state machine that the server drives.
//
// The server sends a snapshot whenever something changes, and a fresh code every second. Each snapshot says everything, so a page that
// was away only has to listen again. Nothing here is secret: the ticket leaves the address bar at once and becomes a cookie that scripts
// cannot read; the code that the phone shows is typed in, never sent to this page.

const kind = document.body.dataset.kind;
const all = (selector) => [...document.querySelectorAll(selector)];
const one = (selector) => document.querySelector(selector);

let shown = "opening";
let holdStill = false;
let stream = null;
let failures = 0;
let timer = 0;

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
  one("[data-announce]").textContent = next.querySelector("h1").textContent;
  next.querySelector("input")?.focus();
}

/** A picture of square tiles as one SVG path; `bits` is base64url, row by row, one bit a tile. */
function draw(into, { columns, rows, bits, ink, paper }, label) {
  const bytes = Uint8Array.from(atob(bits.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
  const isInk = (tile) => (bytes[tile >> 3] >> (7 - (tile & 7))) & 1;
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

function fill(selector, text) {
  if (text) for (const place of all(selector)) place.textContent = text;
}

function drawCode(code) {
  for (const place of all("[data-qr]")) draw(place, code, place.dataset.label);
}

// What the server says

function follow(page) {
  one("[data-offline]").hidden = true;
  failures = 0;
  if (page.kind !== kind) {
    location.replace(page.kind === "enrol" ? "/enrol" : "/login");
    return;
  }
  one("[data-server]").textContent = page.server;
  for (const logo of all("[data-logo]")) if (page.logo && logo.hidden) Object.assign(logo, { src: page.logo, hidden: false });
  if (page.code) drawCode(page.code);
  for (const button of all("[data-act=still]")) button.parentElement.hidden = holdStill || !page.still;
  for (const link of all("[data-link]")) page.link ? (link.href = page.link) : link.removeAttribute("href");
  fill("[data-name]", page.name);
  for (const place of all("[data-forname]")) place.hidden = !page.name;
  fill("[data-device]", page.device);
  for (const place of all("[data-picture]")) if (page.picture) draw(place, page.picture, `The picture, in words: ${page.words.join(", ")}`);
  for (const place of all("[data-words]")) {
    if (page.words) place.replaceChildren(...page.words.map((word) => Object.assign(document.createElement("span"), { textContent: word })));
  }
  show(page.state);
  if (page.state === "loggedin" || page.state === "done") leave(page.returnurl);
}

function leave(address) {
  for (const place of all("[data-leaving]")) place.hidden = !address;
  for (const place of all("[data-staying]")) place.hidden = Boolean(address);
  if (!address) return;
  stopListening();
  setTimeout(() => location.replace(address), 1200);
}

// How it says it: a stream of events, or, where none gets through, a question every two seconds

function listen() {
  stopListening();
  if (!window.EventSource || failures >= 3) return ask();
  stream = new EventSource(holdStill ? "/pages/events?still" : "/pages/events");
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
  try {
    const answer = await fetch("/pages/state", { cache: "no-store" });
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
  if (!["done", "closed"].includes(shown)) timer = setTimeout(ask, 2000);
}

/** The page's time is over; what was told before stays true. */
function over() {
  stopListening();
  if (["opening", "waiting", "scanned", "code"].includes(shown)) show("closed");
}

function stopListening() {
  stream?.close();
  stream = null;
  clearTimeout(timer);
}

function post(path, value) {
  return fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
}

// What the person does

const acts = {
  still(button) {
    holdStill = true;
    button.parentElement.hidden = true;
    listen();
  },
  async renew(button) {
    button.disabled = true;
    const answer = await post("/pages/renew", {}).catch(() => null);
    button.disabled = false;
    if (answer?.status === 401) return show("closed");
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
  const answer = await post("/pages/code", { code: input.value }).catch(() => null);
  const result = answer?.ok ? await answer.json() : null;
  const wrong = !result || result.outcome === "wrong";
  input.setAttribute("aria-invalid", String(wrong));
  if (!result) help.textContent = answer?.status === 400 ? "The code has four letters and digits." : "That did not work. Please try again.";
  else if (wrong) help.textContent = `That is not the code. ${result.left} ${result.left === 1 ? "try" : "tries"} left.`;
  if (wrong) input.select();
});

// How it begins

async function begin() {
  const secret = location.hash.slice(1);
  if (kind === "link") return showLink(secret);
  if (secret) {
    history.replaceState(null, "", location.pathname);
    const answer = await post("/pages/ticket", { ticket: secret }).catch(() => null);
    if (!answer?.ok) return show("closed");
  }
  listen();
}

async function showLink(link) {
  const answer = await post("/pages/link", { link }).catch(() => null);
  if (!answer?.ok) return show("closed");
  const page = await answer.json();
  one("[data-server]").textContent = page.server;
  drawCode(page.code);
  show("waiting");
}

addEventListener("hashchange", begin);
begin();
