// The screen of the second factor: a pad of our own, tries, penalty, and the simulated sensor.
//
// A digit goes to the program at once and alone, in the body of a call; what stands on the page is how many there are.

import { callInOrder } from "./line.js";
import { all, one } from "./lists.js";
import { say } from "./screens.js";

const section = one("section[data-screen=factor]");
const pad = one("[data-pad]");
let current = null;
let until = 0;
let told = "";

const titles = {
  VERIFY: "Enter your PIN", FIRST_SET: "Choose a PIN", BIOMETRICS_ADD: "Enter your PIN", BIOMETRICS_REMOVE: "Enter your PIN",
  PIN_CHANGE_VERIFY: "Enter the PIN so far", PIN_CHANGE_SET: "Choose a new PIN",
};

/** Fills the screen; null when something else is asked. */
export function fillPad(phone, place) {
  const former = current;
  current = phone ? { ...phone.factor, question: phone.question, place } : null;
  // Only a wait that was waited out is said to be over.
  if (former?.question !== current?.question) one("[data-wait]").hidden = true;
  if (!current) {
    until = 0;
    told = "";
    return;
  }
  until = current.penalty > 0 ? performance.now() + current.penalty * 1000 : 0;
  one("[data-asks]", section).textContent = !current.pin ? "Show the simulated finger" : current.again ? "Type the same PIN again" : titles[current.context];
  const words = current.complaint ?? outcome(current);
  one("[data-outcome]").textContent = words;
  one("[data-outcome]").hidden = !words;
  one("[data-dots]").textContent = current.typed ? "●".repeat(current.typed) : "–";
  pad.hidden = !current.pin;
  one("[data-keys]").hidden = !current.pin;
  one("[data-act=finger]").hidden = !current.biometrics;
  one("[data-act=finger]").textContent = current.typed && current.pin ? "OK, with the simulated finger as well" : "Use the simulated finger";
  const count = current.typed === 0 ? "" : current.typed === 1 ? "1 digit" : `${current.typed} digits`;
  // The heading is read when the screen changes; what changes on it is said.
  const sentence = [current.again ? "Type the same PIN again." : "", words, count].filter(Boolean).join(" ");
  if (sentence !== told) say(sentence);
  told = sentence;
  tick();
}

function outcome({ result, blocked, failedAttempts, maxAttempts, penalty, counted }) {
  const left = Math.max(0, maxAttempts - failedAttempts);
  const tries = maxAttempts === 0 ? "" : left === 1 ? "The last try is next." : `${left} of ${maxAttempts} tries are left.`;
  if (blocked) return "No PIN is accepted any more, unless the operator has lifted that since.";
  if (result === "ERROR") return "It could not be checked at the moment. What you entered may well be right: try again.";
  if (result === "FAILED") return [counted ? "That was wrong." : penalty > 0 ? "Too early: nothing was counted." : "Not taken: nothing was counted.", tries].filter(Boolean).join(" ");
  return failedAttempts > 0 ? tries : "";
}

function isWaiting() {
  return until > performance.now();
}

/** Counts a penalty down. The end of it is said, and not every second. */
function tick() {
  const waits = isWaiting();
  const place = one("[data-wait]");
  const left = Math.ceil((until - performance.now()) / 1000);
  if (!place.hidden && !waits && current) say("You can try again now.");
  place.hidden = !waits;
  place.textContent = waits ? `Wait ${spelled(left)} before the next try.` : "";
  for (const key of all("[data-key]")) key.disabled = waits;
}
setInterval(tick, 500);

function spelled(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours) return minutes ? `${hours} h ${minutes} min` : `${hours} h`;
  return minutes ? (seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`) : `${seconds} s`;
}

async function press(key) {
  if (!current?.pin || isWaiting()) return;
  await callInOrder(current.place, "key", { question: current.question, key });
}

// A key that is clicked does not take the focus: Enter would press it again.
pad.addEventListener("mousedown", (event) => event.preventDefault());
pad.addEventListener("click", (event) => {
  const key = event.target.closest("[data-key]")?.dataset.key;
  if (key) press(key);
});

document.addEventListener("keydown", (event) => {
  if (!current || event.repeat || event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
  if (event.target.closest("input, textarea, select")) return;
  if (/^[0-9]$/.test(event.key)) press(event.key);
  else if (event.key === "Backspace") press("back");
  else if (event.key === "Delete") press("clear");
  // On a button the key is the button's.
  else if (event.key === "Enter" && !event.target.closest("button, a, summary")) press("enter");
  else return;
  event.preventDefault();
});

// The sensor's prompt

const prompt = one("[data-dialog=finger]");

let withPIN = false;

export function askFinger() {
  if (!current?.biometrics) return;
  // As the button said when it was pressed.
  withPIN = current.pin && current.typed > 0;
  prompt.showModal();
}

prompt.addEventListener("click", (event) => {
  const answer = event.target.closest("[data-finger]")?.dataset.finger;
  if (!answer || !current) return;
  const { place, question } = current;
  prompt.close();
  callInOrder(place, "finger", { question, answer, pin: withPIN });
});
