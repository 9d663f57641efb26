// QR symbols (ISO/IEC 18004) of bytes: byte mode, error correction M, the smallest version that holds them. The same symbol as the server's own
// pictures, but for the mask: it is always number 2, column % 3 = 0. Any mask is legal and every reader undoes it. Choosing one of eight is
// there to break up regular content; what is shown here is ciphertext, hashes and ids, and half of it is other bytes a second later.

/** Codewords of correction in a block, 28 from version 22 on, and how many blocks there are, by version (table 9, level M). */
const parities = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26];
const counts = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
];
/** Level M and mask 2 with their correction and mask (table C.1). */
const format = 0x5e7c;
const list = (length, make) => Array.from({ length }, (_, i) => make(i));

/** The square of modules, row by row: 1 is dark. There is no quiet zone. Throws when no version holds the bytes. */
export function symbol(bytes) {
  for (let version = 1; version <= 40; version++) {
    const side = 4 * version + 17;
    const cells = patterns(version, side);
    const parity = parities[version - 1] ?? 28;
    const count = counts[version - 1];
    const room = (cells.filter((cell) => cell < 0).length >> 3) - parity * count;
    if (bytes.length + (version < 10 ? 2 : 3) > room) continue;
    fill(cells, side, codewords(content(bytes, version, room), parity, count));
    return { side, modules: cells };
  }
  throw new RangeError("too long");
}

/** What every symbol of a version has, format and version included; -1 where content goes. */
function patterns(version, side) {
  const cells = new Int8Array(side * side).fill(-1);
  const set = (x, y, dark) => {
    if (x >= 0 && x < side && y >= 0 && y < side) cells[y * side + x] = dark & 1;
  };
  const both = (x, y, dark) => [set(x, y, dark), set(y, x, dark)];
  /** Rings around a module, dark but for those at these distances. */
  const rings = (x, y, reach, light) => {
    for (let dx = -reach; dx <= reach; dx++) {
      for (let dy = -reach; dy <= reach; dy++) set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  };
  for (let i = 0; i < side; i++) both(i, 6, i + 1);
  const centres = alignment(version, side);
  // The corners are the finders'.
  for (const x of centres) for (const y of centres) if (x + y > side - 1 || (x > 6 && y > 6)) rings(x, y, 2, [1]);
  for (const i of centres.slice(1, -1)) [rings(i, 6, 2, [1]), rings(6, i, 2, [1])];
  for (const [x, y] of [[3, 3], [side - 4, 3], [3, side - 4]]) rings(x, y, 4, [2, 4]);
  for (let i = 0; i < 15; i++) {
    const dark = format >> i;
    set(8, i < 8 ? i + (i > 5) : side - 15 + i, dark);
    set(i < 8 ? side - 1 - i : i > 8 ? 14 - i : 7, 8, dark);
  }
  set(8, side - 8, 1);
  if (version > 6) {
    let rest = version << 12;
    for (let i = 5; i >= 0; i--) if ((rest >> i) & 0x1000) rest ^= 0x1f25 << i;
    for (let i = 0; i < 18; i++) both(Math.floor(i / 3), side - 11 + (i % 3), ((version << 12) | rest) >> i);
  }
  return cells;
}

/** Where alignment patterns have their centres, in both directions (annex E). */
function alignment(version, side) {
  if (version < 2) return [];
  const gaps = Math.floor(version / 7) + 1;
  const step = version === 32 ? 26 : 2 * Math.ceil((side - 13) / (2 * gaps));
  return [6, ...list(gaps, (i) => side - 7 - step * (gaps - 1 - i))];
}

/** Mode, count, bytes and the end, filled up: by halves of a byte, because mode and end have four bits each. */
function content(bytes, version, room) {
  const count = (version < 10 ? [4, 0] : [12, 8, 4, 0]).map((shift) => (bytes.length >> shift) & 15);
  const halves = [4, ...count, ...[...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0];
  return list(room, (i) => (2 * i < halves.length ? (halves[2 * i] << 4) | halves[2 * i + 1] : (2 * i - halves.length) % 4 ? 0x11 : 0xec));
}

/** Content and correction of all blocks, a codeword of each in turn; the first blocks are shorter by one. */
function codewords(data, parity, count) {
  const short = Math.floor(data.length / count);
  let start = 0;
  const parts = list(count, (i) => data.slice(start, (start += short + (i >= count - (data.length % count)))));
  const woven = (rows, length) => list(length, (i) => rows.map((row) => row[i])).flat().filter((word) => word !== undefined);
  return [...woven(parts, short + 1), ...woven(parts.map((part) => remainder(part, parity)), parity)];
}

/** Powers of 2 in GF(256) modulo x⁸ + x⁴ + x³ + x² + 1, twice, and their logarithms. */
const powers = [];
const logarithms = [];
for (let i = 0, value = 1; i < 510; i++, value = (value << 1) ^ (value > 127 ? 0x11d : 0)) {
  powers.push(value);
  logarithms[value] = i % 255;
}
const product = (a, b) => (a && b ? powers[logarithms[a] + logarithms[b]] : 0);

/** The Reed–Solomon codewords of a block. */
function remainder(part, parity) {
  let generator = [1];
  for (let i = 0; i < parity; i++) generator = [...generator, 0].map((term, j) => term ^ product(generator[j - 1], powers[i]));
  const rest = [...part, ...list(parity, () => 0)];
  for (let i = 0; i < part.length; i++) {
    const lead = rest[i];
    generator.forEach((term, j) => (rest[i + j] ^= product(term, lead)));
  }
  return rest.slice(part.length);
}

/** Up and down in pairs of columns from the right, without the column of the timing pattern; then the mask. */
function fill(cells, side, words) {
  let bit = 0;
  for (let right = side - 1, up = true; right > 0; right -= right === 8 ? 3 : 2, up = !up) {
    for (let i = 0; i < 2 * side; i++) {
      const x = right - (i & 1);
      const cell = (up ? side - 1 - (i >> 1) : i >> 1) * side + x;
      if (cells[cell] >= 0) continue;
      cells[cell] = ((words[bit >> 3] >> (7 - (bit & 7))) & 1) ^ (x % 3 === 0);
      bit++;
    }
  }
}
