// A link that was opened in a browser instead of the app: what it is for, its code where an app may scan it, and the way to the app.

import { drawCode } from "./draw.js";
import { dress, hide, isPhone, isSaid, lost, one, post, show } from "./view.js";

async function begin() {
  const answer = await post("/pages/link", { link: location.hash.slice(1) });
  lost(!isSaid(answer));
  if (!isSaid(answer)) return setTimeout(begin, 3000);
  if (!answer.ok) return show("closed");
  const told = await answer.json();
  hide("[data-here]", !isPhone);
  hide("[data-elsewhere]", isPhone);
  one("[data-app]").open = isPhone;
  if (told.code) drawCode(told.code);
  dress(told);
  show(told.code ? "waiting" : "tapped");
}

addEventListener("hashchange", begin);
begin();
