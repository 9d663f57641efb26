// QR symbols (ISO/IEC 18004) of bytes: byte mode, error correction M, the smallest version that holds them. The same symbol as the server's own
// pictures, but for the mask: it is always the second, column % 3 = 0. Any mask is legal and every reader undoes it. Choosing one of eight is
// there to break up regular content; what is shown here is ciphertext, hashes and ids, and half of it is other bytes a second later.

/** Codewords of error correction in a block, and how many blocks there are, by version (table 9, level M). */
const correction = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26];
const blocks = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
];
/** Level M and mask 2 with their correction and mask (table C.1). */
const format = 0x5e7c;

/** The square of modules, row by row: 1 is dark. There is no quiet zone. Throws when no version holds the bytes. */
export function symbol(bytes) {
  for (let version = 1; version <= 40; version++) {
    const { side, cells } = patterns(version);
    const count = cells.filter((cell) => cell < 0).length >> 3;
    const parity = correction[version - 1] ?? 28;
    const room = count - parity * blocks[version - 1];
    if (bytes.length + (version < 10 ? 2 : 3) <= room) {
      fill(cells, side, codewords(content(bytes, version, room), parity, blocks[version - 1]));
      return { side, modules: cells };
    }
  }
  throw new RangeError("too many bytes for a QR symbol");
}

/** What every symbol of a version has, format and version included; -1 where content goes. */
function patterns(version) {
  const side = 4 * version + 17;
  const cells = new Int8Array(side * side).fill(-1);
  const set = (column, row, dark) => {
    if (column >= 0 && column < side && row >= 0 && row < side) cells[row * side + column] = Number(dark);
  };
  /** Rings around a module, dark but for those at these distances. */
  const rings = (x, y, reach, light) => {
    for (let dx = -reach; dx <= reach; dx++) {
      for (let dy = -reach; dy <= reach; dy++) set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  };
  for (let i = 0; i < side; i++) [set(i, 6, i % 2 === 0), set(6, i, i % 2 === 0)];
  const centres = alignment(version, side);
  for (const x of centres) {
    for (const y of centres) {
      const isCorner = [x, y].every((place) => place === 6 || place === side - 7) && !(x === side - 7 && y === side - 7);
      if (!isCorner) rings(x, y, 2, [1]);
    }
  }
  for (const [x, y] of [[3, 3], [side - 4, 3], [3, side - 4]]) rings(x, y, 4, [2, 4]);
  for (let i = 0; i < 15; i++) {
    const dark = (format >> i) & 1;
    if (i < 8) [set(8, i < 6 ? i : i + 1, dark), set(side - 1 - i, 8, dark)];
    else [set(i === 8 ? 7 : 14 - i, 8, dark), set(8, side - 15 + i, dark)];
  }
  set(8, side - 8, 1);
  if (version >= 7) {
    let rest = version << 12;
    for (let i = 17; i >= 12; i--) if ((rest >> i) & 1) rest ^= 0x1f25 << (i - 12);
    for (let i = 0, bits = (version << 12) | rest; i < 18; i++) {
      const [near, far] = [Math.floor(i / 3), side - 11 + (i % 3)];
      [set(near, far, (bits >> i) & 1), set(far, near, (bits >> i) & 1)];
    }
  }
  return { side, cells };
}

/** Where alignment patterns have their centres, in both directions (annex E). */
function alignment(version, side) {
  if (version === 1) return [];
  const gaps = Math.floor(version / 7) + 1;
  const step = version === 32 ? 26 : 2 * Math.ceil((side - 13) / (2 * gaps));
  return [6, ...Array.from({ length: gaps }, (_, i) => side - 7 - step * (gaps - 1 - i))];
}

/** Mode, count, bytes and the end, filled up: by halves of a byte, because mode and end have four bits each. */
function content(bytes, version, room) {
  const count = (version < 10 ? [4, 0] : [12, 8, 4, 0]).map((shift) => (bytes.length >> shift) & 15);
  const halves = [4, ...count, ...[...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0];
  return Array.from({ length: room }, (_, i) => {
    const start = 2 * i;
    if (start < halves.length) return (halves[start] << 4) | halves[start + 1];
    return (start - halves.length) % 4 === 0 ? 0xec : 0x11;
  });
}

/** Content and correction of all blocks, a codeword of each in turn; the first blocks are shorter by one. */
function codewords(data, parity, count) {
  const short = Math.floor(data.length / count);
  const long = data.length % count;
  let start = 0;
  const parts = Array.from({ length: count }, (_, i) => data.slice(start, (start += short + (i >= count - long))));
  const checks = parts.map((part) => remainder(part, parity));
  const woven = (rows, length) => Array.from({ length }, (_, i) => rows.flatMap((row) => (i < row.length ? [row[i]] : []))).flat();
  return [...woven(parts, short + 1), ...woven(checks, parity)];
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
  for (let i = 0; i < parity; i++) {
    generator = [...generator, 0].map((term, j) => term ^ product(generator[j - 1] ?? 0, powers[i]));
  }
  const rest = [...part, ...Array(parity).fill(0)];
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
    for (let i = 0; i < side; i++) {
      for (const column of [right, right - 1]) {
        const cell = (up ? side - 1 - i : i) * side + column;
        if (cells[cell] >= 0) continue;
        const dark = ((words[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
        cells[cell] = dark ^ Number(column % 3 === 0);
        bit++;
      }
    }
  }
}
