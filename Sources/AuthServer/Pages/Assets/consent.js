// What a client asks of a person who is logged in: shown as it stands, and answered once. The answer is an address, to which this page goes: it may be
// an app's own, which some browsers open only when a person presses a link.

import { all, dress, fill, isSaid, lost, one, post, say, show, texts } from "./view.js";

let mark = "";

function ask() {
  fetch(`state${location.search}`, { cache: "no-store" }).then(follow, () => follow(null));
}

async function follow(answer) {
  lost(!isSaid(answer));
  if (!isSaid(answer)) return setTimeout(ask, 3000);
  if (!answer.ok) return show("closed");
  const now = await answer.json();
  if (now.location) return location.replace(now.location);
  mark = now.mark;
  dress(now);
  fill("[data-client]", now.client);
  const site = one("[data-site]");
  site.textContent = now.site ?? "";
  site.hidden = !now.site;
  for (const list of all("[data-scopes]")) list.replaceChildren(...now.scopes.map(item));
  show(now.state);
}

function item(text) {
  const line = document.createElement("li");
  line.dir = "auto";
  line.textContent = text;
  return line;
}

async function decide(allow) {
  const answer = await post(`decision${location.search}`, { mark, allow });
  if (!answer) return say(texts.unconnected);
  if (!isSaid(answer)) return say(texts.failed);
  // Something else is asked by now: it is shown before anybody says yes to it.
  if (answer.status === 409) return ask();
  if (!answer.ok) return show("closed");
  const said = await answer.json();
  if (!said.location) return show(said.state);
  if (said.form) return send(said.location, said.form);
  one("[data-onward]").href = said.location;
  show("onward");
  location.replace(said.location);
}

/** To a client that has its answer posted; where nothing comes of that, by a button. */
function send(address, parameters) {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: address });
  for (const [name, value] of Object.entries(parameters)) {
    const field = document.createElement("input");
    form.append(Object.assign(field, { type: "hidden", name, value }));
  }
  const link = one("[data-onward]");
  const button = document.createElement("button");
  form.append(Object.assign(button, { className: "button", textContent: link.textContent }));
  link.closest("p").replaceWith(form);
  show("onward");
  form.submit();
}

for (const button of all("[data-answer]")) {
  button.addEventListener("click", async () => {
    for (const each of all("[data-answer]")) each.disabled = true;
    await decide(button.dataset.answer === "yes");
    for (const each of all("[data-answer]")) each.disabled = false;
  });
}
one("section[data-state=opening]").hidden = false;
ask();
