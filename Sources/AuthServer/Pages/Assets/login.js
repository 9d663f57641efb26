// What the login page has beside the enrol page: a code that may be held still, what phones say beside it, and the login that goes on elsewhere.

import { acts, followers, listen, wishes } from "./page.js";
import { fill, hide, one, say, texts } from "./view.js";

followers.push((now) => {
  hide("[data-hold]", !now.still);
  hide("[data-named]", !now.name);
  fill("[data-name]", now.name);
  hide("[data-read]", !now.read || now.beside);
  hide("[data-takeover]", !now.takeover);
  // What a phone says of itself beside the code is what the page says of a phone that has taken the login.
  hide("[data-beside]", !now.beside);
  if (now.beside) fill("[data-says]", one(`[data-state=${now.beside}] h1`).textContent);
});

// The code of a phone without a connection can be typed in, or all its tries were used.
followers.push((now) => "left" in now && import("./typed.js").then((place) => place.count(now)));

acts.still = (button) => {
  wishes.still = !wishes.still;
  button.dataset.still ??= button.textContent;
  button.textContent = button.dataset[wishes.still ? "moving" : "still"];
  say(wishes.still ? texts.held : "");
  listen();
};
