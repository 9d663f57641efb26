"""Receipts in the two forms in which rows have them (docs/decisions/0068), for the part `repacking`: the long one, as programs of before step 44 wrote it, and
how it is made again of a short one. What ShortReceipt.swift does, written a second time: where the two differ a receipt does not come out as it was.

Of rows that were filled the receipt is none, of the length of a short form (growth_rows.py); they get a template. Receipts of phones that log in are made of
what their rows say.
"""

import struct
import time

# Version 1, a receipt, the suite.
HEAD = bytes([1, 0x35, 1, 1])
SHORT, FILLED = b"\x81", b"\0"
LONG_BYTES, SHORT_BYTES = 254, 147
ATTEMPT, KEY, LAST_PIN, WITHOUT_PIN = 1, 2, 4, 8
# After the attempt: the hash of the session, context, method, epoch, number, key, hash of signatures, tries without PIN, last PIN, issued at; the signature's
# key and the signature; and the length of one that is not there.
TAIL = ">32sBBIQ32s32sHQQ8s64s2x"


def template(now):
    """What follows the attempt in the receipt of a filled row: a login with PIN, epoch 1, number 1, and the key that its epoch has."""
    return struct.pack(TAIL, bytes(32), 1, 1, 1, 1, bytes(32), bytes(32), 0, now, now, bytes(8), bytes(64))


def is_filled(words):
    return f"substr(receipt, 1, 1) = {words.blob(FILLED)}"


def long_of_row(engine, words, now):
    """An expression: the template with what the row says."""
    joined = f"{words.blob(HEAD)} || server || id || evaluated_attempt || {words.blob(template(now))}"
    # On SQLite bytes that are joined are a text.
    return f"CAST({joined} AS BLOB)" if engine == "sqlite" else joined


def lengthening(engine, words):
    """The statements that make a database that has just taken step 44 of one whose rows were filled: all receipts long, and nothing repacked."""
    return [
        f"UPDATE instance SET receipt = {long_of_row(engine, words, int(time.time()))} WHERE {is_filled(words)}",
        "UPDATE repacking SET place = NULL, is_over = 0 WHERE name = 'receipts'"]


class Reader:
    def __init__(self, content):
        self.content, self.at = content, 0

    def take(self, count):
        self.at += count
        if self.at > len(self.content):
            raise ValueError("a short form that ends too soon")
        return self.content[self.at - count:self.at]

    def number(self):
        """Seven bits in each byte, the lowest first; the eighth says that more follow."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value


def long_form(short, server, instance, attempt, keys):
    """The receipt as it was signed. `attempt`: the one that the row says was evaluated last; `keys`: by the number of an epoch."""
    reader = Reader(short)
    version, marks, context, method = reader.take(4)
    if version != SHORT[0]:
        raise ValueError(f"no short form: it begins with {version:#x}")
    epoch, number, issued = reader.number(), reader.number(), reader.number()
    last = reader.number() if marks & LAST_PIN else issued
    without = reader.number() if marks & WITHOUT_PIN else 0
    attempt = reader.take(16) if marks & ATTEMPT else attempt
    session = reader.take(32)
    key = reader.take(32) if marks & KEY else keys[epoch]
    hashed, signer, signature = reader.take(32), reader.take(8), reader.take(64)
    if reader.at != len(short):
        raise ValueError("a short form with more behind it")
    tail = struct.pack(TAIL, session, context, method, epoch, number, key, hashed, without, last, issued, signer, signature)
    return HEAD + server + instance + attempt + tail
