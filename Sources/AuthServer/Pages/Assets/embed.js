// The login page in a frame of another site. That site says hello (element.js), and is told which state is shown, how high it is, and where to go on:
// an address only if it is the site's own. Opened in a window of its own this is the login page.

import "./login.js";
import { begin, ways } from "./page.js";
import { one, show, shown, shows } from "./view.js";

/** The origin of the site, from its hello on. */
let host = null;
const back = one("[data-back] a");
/** For the frame, whatever is in it. */
const { title } = document;

const tell = (ostiary, more) => host && parent.postMessage({ ostiary, ...more }, host);

/** Tells of an address, which none but its own site hears; answers whether that was so. */
function lead(what, address) {
  const { href, origin } = new URL(address, location);
  tell(what, origin === host ? { url: href } : {});
  return origin === host;
}

/** What a phone says of itself is its person's business: neither is it told, nor how high that is. */
const tellUnless = (what, more) => /^(pen|blo|nos)/.test(shown) || tell(what, more);

shows.push((state) => tellUnless("state", { state, title }));

addEventListener("message", ({ source, origin, data }) => {
  if (host || source !== parent || data?.ostiary !== "hello") return;
  host = origin;
  ways.leave = (address) => {
    if (lead("returned", address)) return false;
    // Another site's: the window goes there when its person says so.
    one("[data-state=onward] a").href = address;
    show("onward");
    return true;
  };
  back.target = "_top";
  back.onclick = (event) => lead("cancelled", back.href) && event.preventDefault();
  const { body } = document;
  new ResizeObserver(() => tellUnless("height", { height: body.offsetHeight })).observe(body);
  // Where the browser keeps no cookie for a frame, the ticket is still good in a window of its own.
  document.cookie = "kept=1; Max-Age=9; Path=/; Secure; SameSite=None; Partitioned";
  if (document.cookie.includes("kept=1")) return begin();
  one("[data-state=cookies] a").href = "/login" + location.search + location.hash;
  show("cookies");
  // The ticket is good for a minute, of which some has passed.
  setTimeout(show, 50_000, "over");
});

// Where nobody says hello there is no site that could be told of anything: no code is shown, and the page says that it cannot be opened like this.
setTimeout(() => host || parent === window || show("closed"), 15_000);
