// The demonstration's page: two frames, what passes between the parties, and the tour.
//
// All that it shows comes from the process that serves it. The secret stands in the fragment of this page's address, stays there so that the page can
// be loaded again, and goes out in a header of every call.

const secret = location.hash.slice(1);
const one = (selector) => document.querySelector(selector);
const most = 200;

let demo = null;
let done = new Set();
let step = 0;
let reader = "all";

function call(path, options = {}) {
  return fetch(`/demo/${path}`, { cache: "no-store", ...options, headers: { "X-Demo-Secret": secret } });
}

function made(name, text, attributes = {}) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

// The tour

function showStep(focus) {
  const now = demo.steps[step];
  one("[data-count]").textContent = `Step ${step + 1} of ${demo.steps.length}`;
  one("[data-title]").textContent = now.title;
  one("[data-task]").textContent = now.task;
  one("[data-sentence]").textContent = now.sentence;
  one("[data-plan]").textContent = now.attack.plan;
  one("[data-act=thief]").textContent = now.attack.title;
  one("[data-act=back]").disabled = step === 0;
  one("[data-act=next]").disabled = step === demo.steps.length - 1;
  one("[data-tour]").dataset.step = now.id;
  one("[data-result]").replaceChildren();
  delete one("[data-result]").dataset.outcome;
  document.title = `${now.title} · Hallway`;
  showDone();
  if (focus) one("[data-title]").focus();
}

function showDone() {
  if (!demo) return;
  one("[data-done]").hidden = !done.has(demo.steps[step].id);
}

function showTour(isShown) {
  one("[data-tour]").hidden = !isShown;
  one("[data-left]").hidden = isShown;
  if (!isShown) document.title = "Hallway, a demonstration";
}

const acts = {
  back() {
    step -= 1;
    showStep(true);
  },
  next() {
    step += 1;
    showStep(true);
  },
  leave() {
    showTour(false);
    one("[data-act=enter]").focus();
  },
  enter() {
    showTour(true);
    showStep(true);
  },
  async thief(button) {
    const { attack } = demo.steps[step];
    const result = one("[data-result]");
    // Not disabled: it has the focus, and keeps it.
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    result.dataset.outcome = "running";
    result.replaceChildren(made("p", "The thief is at work …"));
    const answer = await call(`thief/${attack.id}`, { method: "POST" }).catch(() => null);
    const told = answer && (answer.ok || answer.status === 409) ? await answer.json() : { outcome: "failed", what: "the demonstration does not answer" };
    button.removeAttribute("aria-disabled");
    if (demo.steps[step].attack !== attack) return;
    result.dataset.outcome = told.outcome;
    const lines = made("ol");
    for (const line of told.seen ?? []) lines.append(made("li", line));
    result.replaceChildren(made("p", verdicts[told.outcome](told), { class: "verdict" }), lines);
    if (told.outcome !== "held") return;
    const why = made("p", attack.why);
    if (attack.section) why.append(" ", made("a", "Where the protocol says so", { href: attack.section, target: "protocol", rel: "noopener" }));
    result.append(why);
  },
};

const verdicts = {
  held: () => "It came to nothing.",
  succeeded: (told) => `The attack worked, which is a defect: ${told.what}.`,
  failed: (told) => `It could not be tried: ${told.what}.`,
  busy: () => "Another thief is at work. Wait a moment.",
};

for (const button of document.querySelectorAll("[data-act]")) button.addEventListener("click", () => acts[button.dataset.act](button));

// What each one knows

function nameOf(party) {
  return demo.parties.find((known) => known.id === party).name;
}

function chooseReader(party) {
  reader = party;
  const known = demo.parties.find((other) => other.id === party);
  const facts = known ? [["knows", known.knows], ["never has", known.never]] : demo.parties.map((each) => [each.name, each.knows]);
  one("[data-knowledge]").replaceChildren(...facts.flatMap(([what, which]) => [made("dt", what), made("dd", which)]));
  for (const item of one("[data-messages]").children) showItem(item);
}

function showItem(item) {
  const { from, to, background } = item.dataset;
  const isTheirs = reader === "all" || from === reader || to === reader;
  item.hidden = !isTheirs || (background === "true" && !one("[data-background]").checked);
  for (const field of item.querySelectorAll("[data-opens]")) {
    field.classList.toggle("open", field.dataset.opens === reader);
    field.textContent = spelled(field.dataset.bytes, field.dataset.opens);
  }
}

function spelled(bytes, party) {
  return party === reader ? `${bytes} bytes, which it opens` : `sealed: ${bytes} bytes, which only the ${nameOf(party)} opens`;
}

/** The same again, as pings and their answers are, is counted and not listed. */
function follow(message) {
  const list = one("[data-messages]");
  const key = [message.from, message.name, message.thief, message.fields.map((field) => field.text).join()].join(" ");
  const former = [...list.children].slice(0, 2).find((item) => item.dataset.key === key);
  one("[data-none]").hidden = true;
  if (former) {
    former.dataset.times = Number(former.dataset.times) + 1;
    former.querySelector("[data-again]").textContent = ` × ${former.dataset.times}`;
    return;
  }
  const item = made("li", undefined, {
    "data-key": key, "data-times": 1, "data-from": message.from, "data-to": message.to, "data-background": String(message.background),
    "data-name": message.name,
  });
  if (message.thief) item.classList.add("thiefs");
  const details = made("details");
  const summary = made("summary");
  summary.append(
    made("span", `${nameOf(message.from)} → ${nameOf(message.to)}`, { class: "way" }), " ", made("b", message.name),
    made("span", "", { "data-again": "" }), message.thief ? made("span", " thief", { class: "mark" }) : "",
  );
  details.append(summary, made("p", message.sentence), fieldsOf(message));
  if (message.section) details.append(made("a", `${message.name} in the protocol`, { href: message.section, target: "protocol", rel: "noopener" }));
  details.addEventListener("toggle", () => details.open && call("looked", { method: "POST" }).catch(() => null));
  item.append(details);
  list.prepend(item);
  while (list.children.length > most) list.lastChild.remove();
  showItem(item);
}

function fieldsOf(message) {
  const fields = made("dl");
  fields.append(made("dt", message.wrapping ? `on the wire, in a ${message.wrapping}` : "on the wire"), made("dd", `${message.bytes} bytes`));
  for (const field of message.fields) {
    const value = made("dd", field.text);
    if (field.secret !== undefined) value.textContent = `a secret of ${field.secret} bytes, of which the server keeps a hash at most`;
    if (field.sealed !== undefined) {
      Object.assign(value.dataset, { opens: field.opens, bytes: field.sealed });
      value.className = "sealed";
    }
    fields.append(made("dt", field.name), value);
  }
  return fields;
}

// What comes

async function listen() {
  const answer = await call("feed").catch(() => null);
  if (!answer?.ok) return answer?.status === 403 ? stranger() : over();
  one("[data-messages]").replaceChildren();
  const lines = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const part = await lines.read().catch(() => ({ done: true }));
    if (part.done) break;
    const whole = (rest + part.value).split("\n");
    rest = whole.pop();
    for (const line of whole) if (line) hear(JSON.parse(line));
  }
  setTimeout(listen, 1000);
}

function hear(news) {
  if (news.done) {
    done = new Set(news.done);
    showDone();
  } else {
    follow(news);
  }
}

function over() {
  one("[data-over]").hidden = false;
  setTimeout(begin, 3000);
}

function stranger() {
  one("[data-stranger]").hidden = false;
}

// How it begins

function drawParties() {
  const all = [{ id: "all", name: "everyone" }, ...demo.parties];
  one("[data-parties]").replaceChildren(
    ...all.map((party) => {
      const label = made("label");
      const input = made("input", undefined, { type: "radio", name: "reader", value: party.id });
      input.checked = party.id === reader;
      input.addEventListener("change", () => chooseReader(party.id));
      label.append(input, ` ${party.name}`);
      return label;
    }),
  );
}

function drawFrames() {
  const site = one("[data-site]");
  if (!site.src) site.src = demo.site;
  const phone = one("[data-phone]");
  if (demo.phone && !phone.src) phone.src = demo.phone;
  phone.hidden = !demo.phone;
  one("[data-terminal]").hidden = Boolean(demo.phone);
  one("[data-commands]").textContent = demo.commands.join("\n");
}

async function begin() {
  const answer = secret ? await call("state").catch(() => null) : { status: 403 };
  if (answer?.status === 403) return stranger();
  if (!answer?.ok) return over();
  one("[data-over]").hidden = true;
  demo = await answer.json();
  one("[data-stage]").hidden = false;
  drawFrames();
  drawParties();
  chooseReader(reader);
  if (demo.protocol) Object.assign(one("[data-protocol]"), { href: demo.protocol, hidden: false });
  if (one("[data-left]").hidden) showTour(true);
  showStep(false);
  listen();
}

one("[data-background]").addEventListener("change", () => chooseReader(reader));
begin();
