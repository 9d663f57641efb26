// Pictures of square tiles, as SVG: QR codes, which this page draws by itself, and the picture that is compared with the phone.

import { symbol } from "./qr.js";
import { all } from "./view.js";

let frames = 0;

/** Bytes of base64url. */
function decode(text) {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
}

/** One path; `isInk` is asked by number, row by row. */
function draw(into, { columns, rows, ink, paper }, isInk, label) {
  let path = "";
  for (let tile = 0; tile < columns * rows; tile++) if (isInk(tile)) path += `M${tile % columns} ${Math.floor(tile / columns)}h1v1h-1z`;
  let svg = into.querySelector("svg");
  if (!svg || svg.getAttribute("viewBox") !== `0 0 ${columns} ${rows}`) {
    svg = element("svg", { viewBox: `0 0 ${columns} ${rows}`, "shape-rendering": "crispEdges", role: "img", "aria-label": label });
    svg.append(element("rect", { width: columns, height: rows }), element("path", {}));
    into.replaceChildren(svg);
  }
  svg.firstChild.setAttribute("fill", paper);
  svg.lastChild.setAttribute("fill", ink);
  svg.lastChild.setAttribute("d", path);
}

function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** A QR code now and, of one that moves, a frame for each second until the server has said more: the next number and the next mac in it. */
export function drawCode(code) {
  stopFrames();
  const bytes = decode(code.bytes);
  const macs = decode(code.next ?? "");
  drawSymbol(bytes);
  let drawn = 0;
  if (macs.length) frames = setInterval(() => (8 * ++drawn > macs.length ? stopFrames() : drawSymbol(frame(bytes, macs, drawn))), 1000);
}

export function stopFrames() {
  clearInterval(frames);
}

/** The frame after so many seconds (protocol §3): its number is in bytes 26 and 27 of the link, its mac in the last eight. */
function frame(bytes, macs, seconds) {
  const next = bytes.slice();
  const view = new DataView(next.buffer);
  view.setUint16(26, view.getUint16(26) + seconds);
  next.set(macs.subarray(8 * seconds - 8, 8 * seconds), next.length - 8);
  return next;
}

/** With the standard's margin of four modules. */
function drawSymbol(bytes) {
  const { side, modules } = symbol(bytes);
  const edge = side + 8;
  const isDark = (tile) => {
    const [column, row] = [(tile % edge) - 4, Math.floor(tile / edge) - 4];
    return column >= 0 && column < side && row >= 0 && row < side && modules[row * side + column];
  };
  for (const place of all("[data-qr]")) draw(place, { columns: edge, rows: edge, ink: "#000", paper: "#fff" }, isDark, place.dataset.label);
}

/** `bits` is base64url, one bit a tile. */
export function drawPicture(into, picture, label) {
  const bits = decode(picture.bits);
  draw(into, picture, (tile) => (bits[tile >> 3] >> (7 - (tile & 7))) & 1, label);
}
