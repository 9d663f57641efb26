// The code of a phone without a connection, which its person types in. The login page loads this, and its texts, where its virtual server takes such codes
// and its login asks for no more, and tells it every snapshot that says so.

import { acts, listen, mine, showOver, wishes } from "./page.js";
import { isSaid, one, post, shown, shows } from "./view.js";

const texts = await (await fetch(`/pages/typed.json?lang=${document.documentElement.lang}`)).json();

function made(name, members, ...inside) {
  const element = Object.assign(document.createElement(name), members);
  element.append(...inside);
  return element;
}

const input = made("input", { id: "typed", className: "typed", dir: "ltr", autocapitalize: "characters", autocomplete: "off", spellcheck: false, maxLength: 32 });
const help = made("p", { id: "typed-help", className: "help" });
const send = made("button", { className: "button", textContent: texts.confirm });
const anew = made("button", { className: "button", type: "button", textContent: texts.newCode, hidden: true });
const form = made("form", { autocomplete: "off" }, made("label", { htmlFor: "typed", textContent: texts.codeLabel }), input, help, send, anew);
const place = made("details", { className: "quiet" }, made("summary", { textContent: texts.typedH }), made("p", { textContent: texts.typedP }), form);
help.setAttribute("role", "alert");
input.setAttribute("aria-describedby", help.id);
document.head.append(made("link", { rel: "stylesheet", href: "/pages/typed.css" }));
one("[data-app]").before(place);

/** Only while a phone is awaited, or has the login and has lost its connection since. */
function offer(state) {
  place.hidden = !["waiting", "scanned"].includes(state);
}
shows.push(offer);
offer(shown);

/** The code on the screen is what the typed one is for: while somebody types, no other takes its place. */
const note = () => (wishes.typing = place.open && Boolean(input.value));
input.addEventListener("input", note);
place.addEventListener("toggle", note);

/** How many tries the code on the screen has left, as far as is known here. The server counts them, and tells a page that was loaded again, too. */
let left;

/** What a snapshot says of that, or the answer to a code; the first of the two that does. */
export function count(told) {
  // What else was said of the last code stays.
  if (told.left === left && help.textContent) return;
  left = told.left;
  input.ariaInvalid = left < 3;
  help.textContent = texts[left === 0 ? "typed0" : `left${left}`] ?? "";
  // No more tries of this code on the screen.
  send.hidden = left === 0;
  anew.hidden = !send.hidden;
}

/** Empty again, for another code on the screen: what was typed for the former one, and what was said of that, is of no use there. */
function forget() {
  input.value = help.textContent = "";
  count({});
  note();
}
wishes.renewed = forget;

anew.addEventListener("click", async () => {
  await acts.renew(anew);
  // Where that went well; else it can be asked again.
  if (anew.hidden) place.open = false;
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  help.textContent = "";
  send.disabled = true;
  const answer = await post(mine("/pages/otp"), { code: input.value });
  // What a proxy says in the server's place is nothing of the code.
  const status = isSaid(answer) ? answer.status : null;
  const result = status === 200 ? await answer.json() : null;
  send.disabled = false;
  if (status === 401) return showOver();
  if (result?.outcome === "done") {
    forget();
    place.open = false;
    return listen();
  }
  if (result) count(result);
  else {
    input.ariaInvalid = true;
    help.textContent = texts[`typed${status}`] ?? texts.failed;
  }
  if (left === 0) return anew.focus();
  input.select();
});
