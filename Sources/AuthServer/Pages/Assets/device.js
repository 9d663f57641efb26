// The code that a device shows, typed or brought by its link. Either way the person goes on by a press of the button: a link is anybody's.

import { isSaid, one, post, say, show, texts } from "./view.js";

const field = one("#code");
field.value = new URLSearchParams(location.search).get("user_code")?.slice(0, 20) ?? "";

one("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = one("form button");
  button.disabled = true;
  const answer = await post(`${location.pathname}/code${language()}`, { code: field.value });
  button.disabled = false;
  if (!answer) return say(texts.unconnected);
  if (answer.status === 429) return say(texts.often);
  if (!isSaid(answer) || !answer.ok) return say(texts.failed);
  const said = await answer.json();
  if (said.location) return location.assign(said.location);
  say(texts.wrong);
  field.select();
});

/** The code of the address is no part of what is asked. */
function language() {
  const lang = new URLSearchParams(location.search).get("lang");
  return lang ? `?lang=${encodeURIComponent(lang)}` : "";
}

show("code");
