// Where a code comes from: a picture or a link that is pasted, dropped or chosen, a screen that is shared, and what the program itself can look at.

import { call } from "./line.js";
import { one } from "./lists.js";
import { say } from "./screens.js";

/** The longest edge of a frame. A code on a shared screen is large enough; what is larger only takes longer. */
const longestEdge = 1920;
/** Milliseconds between two frames. */
const pause = 400;

let phone = null;
let shared = null;

/** Which phone scans; null while something is asked. A shared screen is let go then. */
export function scanWith(place) {
  if (place !== phone) stopSharing();
  phone = place;
}

function tell(answer) {
  const text = answer === null ? "The program does not answer." : answer.ok ? "" : answer.told.message ?? "That did not work.";
  const place = one("[data-trouble]");
  place.textContent = text && text[0].toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
  place.hidden = !text;
}

async function send(path, body) {
  if (phone === null) return;
  tell(await call(phone, path, body));
}

export function look() {
  return send("look");
}

function read(data) {
  const file = [...(data?.files ?? [])].find((candidate) => candidate.type.startsWith("image/"));
  const text = data?.getData("text/plain").trim();
  if (file) send("picture", file);
  else if (text) send("link", { link: text });
  return Boolean(file || text);
}

document.addEventListener("paste", (event) => {
  const isField = event.target.closest?.("input, textarea") && ![...event.clipboardData.files].length;
  if (!isField && phone !== null && read(event.clipboardData)) event.preventDefault();
});
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  event.dataTransfer.dropEffect = phone === null ? "none" : "copy";
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (phone !== null) read(event.dataTransfer);
});

one("[data-file]").addEventListener("change", (event) => {
  const file = event.target.files[0];
  event.target.value = "";
  if (file) send("picture", file);
});

one("[data-form=link]").addEventListener("submit", (event) => {
  event.preventDefault();
  const { link } = event.target.elements;
  send("link", { link: link.value.trim() });
  link.value = "";
});

// A shared screen

export async function share() {
  if (!navigator.mediaDevices?.getDisplayMedia) return tell({ told: { message: "this browser cannot share a screen with a page: paste or choose a picture" } });
  const at = phone;
  let stream;
  try {
    stream = await navigator.mediaDevices.getDisplayMedia({ video: true, audio: false });
  } catch {
    return tell({ told: { message: "no screen was shared" } });
  }
  stopSharing();
  if (at === null || at !== phone) return stream.getTracks().forEach((track) => track.stop());
  tell({ ok: true });
  const video = Object.assign(document.createElement("video"), { srcObject: stream, muted: true, playsInline: true });
  shared = { stream, video };
  stream.getVideoTracks()[0].addEventListener("ended", stopSharing);
  one("[data-sharing]").hidden = false;
  say("Looking for a code on the screen that you share.");
  await video.play();
  watch(shared, at);
}

export function stopSharing() {
  if (!shared) return;
  for (const track of shared.stream.getTracks()) track.stop();
  shared.video.srcObject = null;
  shared = null;
  one("[data-sharing]").hidden = true;
}

/** One frame after the other, never two at a time, until one of them held a code. */
async function watch(mine, at) {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  while (shared === mine) {
    const { videoWidth, videoHeight } = mine.video;
    if (videoWidth && videoHeight) {
      const scale = Math.min(1, longestEdge / Math.max(videoWidth, videoHeight));
      const [width, height] = [videoWidth, videoHeight].map((edge) => Math.max(1, Math.round(edge * scale)));
      Object.assign(canvas, { width, height });
      context.drawImage(mine.video, 0, 0, width, height);
      const answer = await call(at, `frame?width=${width}&height=${height}`, luminance(context.getImageData(0, 0, width, height).data));
      if (shared === mine && answer?.told.found) return stopSharing();
    }
    await new Promise((resume) => setTimeout(resume, pause));
  }
}

/** One byte a pixel, as a reader of codes looks at it (the weights of ITU-R BT.601). */
function luminance(colours) {
  const grey = new Uint8Array(colours.length / 4);
  for (let at = 0; at < grey.length; at++) grey[at] = (colours[4 * at] * 77 + colours[4 * at + 1] * 150 + colours[4 * at + 2] * 29) >> 8;
  return grey;
}
