"""Reads Swift as text: what is left without comments and strings, and what the tests of a file are called."""
import re

# What is no code: comments and regular expressions. A string may hold code; one of several lines has nothing behind its three quotes. Parentheses
# count inside of that code.
IN_CODE = re.compile(
    r'''(?P<blank>//[^\n]*|/\*.*?\*/|\#/[^\n]*?/\#|(?:(?<=[=,:][ ])|(?<=\())/(?![\s/*])(?:\\.|[^/\\\n])+/)
    |(?P<hashes>\#*)(?P<quotes>"""(?=[^\S\n]*\n)|")|[()]''', re.S | re.X)


def without_comments_and_strings(text):
    """The same text with comments and the contents of strings blanked, line breaks kept. Code in `\\(…)` is code."""
    pieces = []
    read_code(text, 0, pieces, keeps_strings=False)
    return "".join(pieces)


def without_comments(text):
    """The same text with comments blanked, line breaks kept."""
    pieces = []
    read_code(text, 0, pieces, keeps_strings=True)
    return "".join(pieces)


def blanked(text):
    return re.sub(r"[^\n]", " ", text)


def read_code(text, at, pieces, keeps_strings, is_interpolated=False):
    """Reads to the end of the text, or behind the parenthesis that closes an interpolation, and says where that is."""
    depth = 0
    while match := IN_CODE.search(text, at):
        pieces.append(text[at:match.start()])
        at, found = match.end(), match[0]
        if match["quotes"]:
            pieces.append(found if keeps_strings else " " * (len(found) - 1) + '"')
            at = read_string(text, at, match["hashes"], match["quotes"], pieces, keeps_strings)
        else:
            pieces.append(blanked(found) if match["blank"] else found)
        if is_interpolated and found in "()":
            depth += 1 if found == "(" else -1
            if depth == 0:
                return at
    pieces.append(text[at:])
    return len(text)


def read_string(text, at, hashes, quotes, pieces, keeps_strings):
    """Reads behind the end of a string that began before `at`; one that has no end is over with its line."""
    ends = quotes + hashes
    inside = re.compile(rf"\\{hashes}(\(|.)|{ends}" + ("" if len(quotes) == 3 else r"|(?=\n)"), re.S)
    while match := inside.search(text, at):
        pieces.append(text[at:match.start()] if keeps_strings else blanked(text[at:match.start()]))
        if match[1] == "(":
            at = match.end() - 1
            pieces.append(text[match.start():at] if keeps_strings else " " * (at - match.start()))
            at = read_code(text, at, pieces, keeps_strings, is_interpolated=True)
        elif match[1]:
            at = match.end()
            pieces.append(match[0] if keeps_strings else blanked(match[0]))
        else:
            pieces.append(match[0] if keeps_strings else '"' + " " * (len(match[0]) - 1) if match[0] else "")
            return match.end()
    pieces.append(text[at:] if keeps_strings else blanked(text[at:]))
    return len(text)


def test_names(text):
    """What the tests of a file are called, in order."""
    for name in re.findall(r'@Test\(\s*"((?:\\.|[^"\\\n])*)"', without_comments(text)):
        yield name.replace('\\"', '"')
