// The login and enrol pages: one small state machine that the server drives.
//
// The server sends a snapshot whenever something changes, and what the code says in the next seconds every five. Each snapshot says
// everything, so a page that was away only has to listen again. Nothing here is secret: the ticket leaves the address bar at once and becomes a
// cookie that scripts cannot read; the code that the phone shows is typed in, never sent to this page. What stays in the address is the page's
// name, which every request carries: a browser may have several pages open, and sends the cookies of all of them.

import { drawCode, stopFrames } from "./draw.js";
import { all, backOfTab, dress, goBackTo, hide, isSaid, kind, lost, one, post, say, show, shown, texts } from "./view.js";

/** What else is done with a snapshot. */
export const followers = [];
/** What the person wants of the code, whether they are typing another, and what is done when it was made anew (typed.js). */
export const wishes = { still: false };
/** How this page is left, and whether it stays nevertheless: in a frame otherwise (embed.js). */
export const ways = { leave: (address) => location.replace(address) };
/** The virtual server in whose frame this page is. Every request says so, since only a page that was meant for it may be shown there. */
const frame = parent === window ? undefined : location.pathname.split("/embed/")[1];

let page;
let runs = 0;
let isRead = false;
let isRenewing = false;
/** A new code was refused while nobody had asked for it: then somebody has to. */
let hasToBeAsked = false;
let stream;
let failures = 0;
let timer = 0;

/** A phone is at it, or the way back is near: such a page listens also while nobody looks. */
const lively = ["scanned", "code", "returning", "inapp", "gaveup", "penalised", "blocked", "nosecondfactor"];
/** Nothing more is heard of these. */
const ended = ["done", "returning", "closed", "over"];

// What the server says

function follow(now) {
  lost(false);
  failures = 0;
  if (now.kind !== kind) return location.replace(`/${now.kind}${location.search}#page=${page}`);
  if (now.state === "returning") return goBack(now.returnurl);
  if (now.state === "expired" && now.renews && !document.hidden && !hasToBeAsked && !wishes.typing) return renewUnasked();
  dress(now);
  isRead = now.read;
  if (now.code) drawCode(now.code);
  else stopFrames();
  for (const link of all("[data-link]")) now.link ? (link.href = now.link) : link.removeAttribute("href");
  for (const follower of followers) follower(now);
  goBackTo(now.cancelurl ?? now.returnurl);
  show(now.state);
  if (now.state === "loggedin" || now.state === "done") leave(now.returnurl);
}

/**
 * At once, in the place of this page: the address holds the code that ends the login in this browser, and is good once. A page that has to be asked
 * to go there hears what becomes of it meanwhile.
 */
function goBack(address) {
  if (shown !== "onward") show("returning");
  if (!ways.leave(address)) stopListening();
}

function leave(address) {
  hide("[data-leaving]", !address);
  hide("[data-staying]", address);
  if (!address) return;
  stopListening();
  timer = setTimeout(() => ways.leave(address), 1200);
}

// How it says it: a stream of events, or, where none gets through, a question every two seconds. A page that nobody sees, and that no phone is
// at, lets go of its stream and asks now and then: a browser opens few connections to one server, and a stream holds one

function isPaused() {
  return document.hidden && !isRead && !lively.includes(shown);
}

export function listen() {
  stopListening();
  if (failures >= 3 || isPaused()) return ask();
  stream = new EventSource(mine("/pages/events") + (wishes.still ? "&still" : ""));
  stream.addEventListener("page", (event) => follow(JSON.parse(event.data)));
  stream.addEventListener("code", (event) => drawCode(JSON.parse(event.data)));
  stream.addEventListener("error", () => {
    failures += 1;
    if (stream?.readyState !== EventSource.CLOSED && failures < 3) return lost(true);
    stopListening();
    ask();
  });
}

async function ask() {
  stopListening();
  const run = runs;
  try {
    const answer = await fetch(mine("/pages/state"), { cache: "no-store" });
    const now = answer.ok && await answer.json();
    // What comes late, or fails late, is of the link before.
    if (run !== runs) return;
    if (answer.status === 401) return over();
    if (now) {
      const tried = failures;
      const idle = isPaused();
      follow(now);
      failures = tried;
      // A phone has come to a page that nobody looks at.
      if (idle && !isPaused() && !ended.includes(shown)) return listen();
    }
    lost(!now);
  } catch {
    lost(true);
  }
  if (run === runs && !stream && !ended.includes(shown)) timer = setTimeout(ask, isPaused() ? 2e4 : 2000);
}

/** The page's time is over; what was told before stays true. */
function over() {
  stopListening();
  goBackTo(history.state?.back);
  if (["opening", "waiting", "scanned", "code"].includes(shown)) show("over");
}

function stopListening() {
  stream?.close();
  stream = null;
  clearTimeout(timer);
}

/** An address that says whose page asks. */
export function mine(path) {
  return `${path}?page=${page}${frame ? `&frame=${frame}` : ""}`;
}

// What the person does

/** Begins anew; answers whether that was heard. */
async function renew() {
  const answer = await post(mine("/pages/renew"), {});
  if (!answer) say(texts.unconnected);
  else if (!isSaid(answer)) say(texts.failed);
  else if (answer.status === 401) showOver();
  else if (answer.status === 429) say(texts.often.replace("{seconds}", answer.headers.get("Retry-After")));
  else {
    if (answer.status === 409) say((await answer.json()).error === "account_blocked" ? texts[409] : texts.on);
    else wishes.renewed?.();
    failures = 0;
    hasToBeAsked = false;
    listen();
    return true;
  }
}

/** The code ran out while somebody looks at it, and a new one takes nothing from anybody. Where that does not work the person is asked. */
async function renewUnasked() {
  if (isRenewing) return;
  isRenewing = true;
  hasToBeAsked = !(await renew());
  if (hasToBeAsked && shown !== "over") {
    const why = one("[data-said]").textContent;
    show("expired");
    say(why);
  }
  isRenewing = false;
}

/** What buttons do, by their names; the button is told. */
export const acts = {
  async renew(button) {
    button.disabled = true;
    await renew();
    button.disabled = false;
  },
};
for (const button of all("[data-act]")) button.addEventListener("click", () => acts[button.dataset.act](button));

// How it begins

export async function begin() {
  const run = ++runs;
  const fragment = location.hash.slice(1);
  stopListening();
  // In a tab that went from one link to another: what is shown still belongs to the one before.
  stopFrames();
  show("opening");
  page = fragment.match(/^page=([\w-]{12})$/)?.[1];
  if (page) return listen();
  goBackTo(null);
  const answer = fragment && await post("/pages/ticket", { ticket: fragment, frame });
  if (run !== runs) return;
  // The ticket is still good, and stays in the address until somebody has said what became of it.
  if (fragment && !isSaid(answer)) return beginLater();
  lost(false);
  history.replaceState(null, "", location.pathname + location.search);
  const opened = answer?.ok && await answer.json();
  if (run !== runs) return;
  if (!opened) {
    goBackTo(backOfTab(), true);
    return show("closed");
  }
  page = opened.page;
  history.replaceState(null, "", `#page=${page}`);
  listen();
}

function beginLater() {
  lost(true);
  timer = setTimeout(begin, 3000);
}

export function showOver() {
  over();
  show("over");
}

document.addEventListener("visibilitychange", () => {
  hasToBeAsked = false;
  if (!page || ended.includes(shown) || (stream && !isPaused())) return;
  listen();
});
addEventListener("hashchange", begin);
// Hidden until here: without scripts nothing is being prepared.
one("section[data-state=opening]").hidden = false;
// The page for frames (embed.js) begins in one when the site says so.
if (!frame) begin();
