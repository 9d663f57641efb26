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

one("[data-form=code]").addEventListener("submit", async (event) => {
  event.preventDefault();
  const input = event.target.elements.code;
  const help = one("[data-help]");
  help.textContent = "";
  const answer = await post(mine("/pages/code"), { code: input.value });
  if (answer?.status === 401) return showOver();
  const result = answer?.ok ? await answer.json() : null;
  const wrong = !result || result.outcome === "wrong";
  input.setAttribute("aria-invalid", String(wrong));
  // By the status: what can be no code, and a phone that is blocked.
  if (!result) help.textContent = texts[answer?.status] ?? texts.failed;
  else if (wrong) help.textContent = result.left === 1 ? texts.left1 : texts.left2;
  if (wrong) input.select();
});
