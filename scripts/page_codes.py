"""The symbols that pages draw by themselves (qr.js), held against those of the library that draws the server's pictures: scripts/page-test."""

import ctypes
import ctypes.util
import random

from trial import check

# One of every length that a link of a page mostly has, and some of every size beyond: all versions.
SHORT, LONG, LONGEST = range(1, 330), range(330, 2331, 41), 2331
# What libqrencode says of a module beside its colour: whether it is of the format, and whether it is no content.
FORMAT, FIXED = 0x04, 0x80
# Which modules the masks invert (ISO/IEC 18004 table 10).
MASKS = [
    lambda row, column: (row + column) % 2 == 0, lambda row, column: row % 2 == 0, lambda row, column: column % 3 == 0,
    lambda row, column: (row + column) % 3 == 0, lambda row, column: (row // 2 + column // 3) % 2 == 0,
    lambda row, column: row * column % 2 + row * column % 3 == 0, lambda row, column: (row * column % 2 + row * column % 3) % 2 == 0,
    lambda row, column: ((row + column) % 2 + row * column % 3) % 2 == 0,
]
# The pages' mask, and the fifteen bits that tell of it and of level M.
MASK, FORMAT_BITS = 2, 0x5E7C
DRAW = """
const [payloads, done] = [arguments[0], arguments[1]];
import("/pages/qr.js").then(({ symbol }) => done(payloads.map((bytes) => {
  const { side, modules } = symbol(Uint8Array.from(bytes));
  return [side, [...modules].join("")];
}))).catch((error) => done(String(error)));
"""


class Symbol(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("width", ctypes.c_int), ("data", ctypes.POINTER(ctypes.c_ubyte))]


def library():
    encoder = ctypes.CDLL(ctypes.util.find_library("qrencode") or "libqrencode.so.4")
    encoder.QRcode_encodeData.restype = ctypes.POINTER(Symbol)
    encoder.QRcode_free.argtypes = [ctypes.POINTER(Symbol)]
    return encoder


def expected(encoder, payload):
    """Sources/QRCode's symbol, with its mask undone and the pages' in its place: side and modules, row by row."""
    made = encoder.QRcode_encodeData(len(payload), payload, 0, 1)
    side = made.contents.width
    modules = [made.contents.data[place] for place in range(side * side)]
    encoder.QRcode_free(made)
    # The three bits of the mask stand in the row below the first finder, themselves under the mask 101 0100 0001 0010 of the format.
    mask = sum((modules[8 * side + column] & 1) << (4 - column) for column in (2, 3, 4)) ^ 0b101

    def colour(row, column):
        module = modules[row * side + column]
        if module & FORMAT:
            return format_bit(side, row, column)
        inverts = not module & FIXED and MASKS[mask](row, column) != MASKS[MASK](row, column)
        return (module & 1) ^ inverts

    return side, "".join(str(int(colour(row, column))) for row in range(side) for column in range(side))


def format_bit(side, row, column):
    """The bit of the format that stands there, in either copy; the module above the lower one is always dark."""
    if (row, column) == (side - 8, 8):
        return 1
    if column == 8 and row < 9:
        bit = row if row < 6 else row - 1
    elif row == 8 and column < 8:
        bit = 8 if column == 7 else 14 - column
    else:
        bit = side - 1 - column if row == 8 else row - side + 15
    return FORMAT_BITS >> bit & 1


def payloads():
    """The same at every run: random bytes, and the most regular ones."""
    source = random.Random(18004)
    made = [source.randbytes(length) for length in (*SHORT, *LONG, LONGEST)]
    return made + [bytes([value]) * length for value in (0, 0x55, 0xFF) for length in (37, 120, 400)]


def same_symbols(browser):
    """The browser is on a page of ours, whose policy the script obeys."""
    encoder, drawn = library(), []
    every = payloads()
    for start in range(0, len(every), 100):
        answer = browser.run_later(DRAW, [list(payload) for payload in every[start:start + 100]])
        check(isinstance(answer, list), f"the page draws symbols by itself {answer if isinstance(answer, str) else ''}")
        drawn += answer
    differing = [len(payload) for payload, (side, modules) in zip(every, drawn) if (side, modules) != expected(encoder, payload)]
    check(not differing and len(drawn) == len(every), f"{len(every)} symbols are those of the server, module by module {differing or ''}")
