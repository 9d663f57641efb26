// The way out: the person is asked, where nothing shows that they want it; or it is done, and they are told.

import { isSaid, one, post, say, show, texts } from "./view.js";

one("[data-answer]").addEventListener("click", async (event) => {
  event.target.disabled = true;
  const answer = await post(`${location.pathname}/decision`, { query: location.search.slice(1) });
  event.target.disabled = false;
  if (!answer) return say(texts.unconnected);
  if (!isSaid(answer) || !answer.ok) return say(texts.failed);
  location.replace((await answer.json()).location);
});

show(location.pathname.endsWith("/done") ? "gone" : "ask");
