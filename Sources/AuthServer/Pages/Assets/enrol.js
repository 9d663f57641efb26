// What the enrol page has beside the login page: the name, what is compared with the phone, and the code that is typed.

import { drawPicture } from "./draw.js";
import { followers, mine, showOver } from "./page.js";
import { all, fill, hide, one, post, texts } from "./view.js";

followers.push((now) => {
  fill("[data-name]", now.name);
  hide("[data-forname]", !now.name);
  hide("[data-noname]", now.name);
  // At the end it is the phone that was shown before.
  if (now.device || now.state !== "done") fill("[data-device]", now.device);
  if (!now.words) return;
  for (const place of all("[data-picture]")) drawPicture(place, now.picture, place.dataset.label.replace("{words}", now.words.join(", ")));
  one("[data-words]").replaceChildren(...now.words.map((word) => Object.assign(document.createElement("span"), { textContent: word })));
});

const input = one("#code");
const help = one("[data-help]");
/** How many tries the code has left, as far as is known here. The server counts them, and tells a page that was loaded again, too. */
let left;

/** What a snapshot says of that, or the answer to a code; the first of the two that does. */
function count(told) {
  if (!told.left || told.left === left) return;
  left = told.left;
  input.ariaInvalid = left < 3;
  help.textContent = texts[`left${left}`] ?? "";
}
followers.push(count);

one("[data-form=code]").addEventListener("submit", async (event) => {
  event.preventDefault();
  help.textContent = "";
  const answer = await post(mine("/pages/code"), { code: input.value });
  if (answer?.status === 401) return showOver();
  const result = answer?.ok ? await answer.json() : null;
  const wrong = !result || result.outcome === "wrong";
  input.ariaInvalid = wrong;
  // By the status: what can be no code, and a phone that is blocked.
  if (result) count(result);
  else help.textContent = texts[answer?.status] ?? texts.failed;
  if (wrong) input.select();
});
