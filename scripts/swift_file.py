"""What a Swift file declares, and which names its functions bind for themselves. Read from the text alone: nothing is compiled."""
import re
from bisect import bisect_right
from collections import defaultdict
from typing import NamedTuple

from swift_source import without_comments_and_strings

TOKEN = re.compile(r"`\w+`|[A-Za-z_]\w*|\$\w+|\d\w*(?:\.\d\w*)?|->|\.\.[.<]|[^\s\w]")
NAME = re.compile(r"[A-Za-z_]\w*")
# Lines with no name of ours.
DIRECTIVE = re.compile(
    r"^[ ]*(?:#(?:if|elseif|else|endif)\b|(?:@\w+(?:\([^)]*\))?[ ]+)*(?:(?:public|package|internal|private)[ ]+)?import[ ]).*$", re.M)
TYPES = {"struct", "class", "enum", "actor", "protocol", "extension"}
FUNCTIONS = {"func", "init", "subscript"}
DECLARING = TYPES | FUNCTIONS | {"deinit", "var", "let", "case", "typealias", "associatedtype"}
PRIVATE = {"private", "fileprivate"}
MODIFIERS = PRIVATE | {
    "public", "package", "internal", "open", "final", "static", "class", "override", "mutating", "nonmutating", "nonisolated", "lazy", "weak",
    "unowned", "indirect", "convenience", "required", "dynamic", "borrowing", "consuming"}
BEFORE_A_TYPE = {"inout", "borrowing", "consuming", "sending", "some", "any", "isolated"}
KEYWORDS = DECLARING | BEFORE_A_TYPE | MODIFIERS - {"open", "required"} | {
    "if", "else", "guard", "switch", "default", "for", "in", "while", "repeat", "do", "catch", "try", "throw", "throws", "rethrows", "return",
    "break", "continue", "fallthrough", "defer", "as", "is", "where", "await", "async", "nil", "true", "false", "super"}
# The type of an array, a tuple, a function or a parameter: nothing behind its dot is ours.
NOBODY = ("()",)


class Declaration(NamedTuple):
    name: str
    owner: tuple         # the path of the type around it, () for a name of the file
    file: str
    room: str
    kind: str            # type, member, or shared for what is asked of the type itself
    is_private: bool     # to its file
    type: tuple | None   # of its value or its result, as it is written; of a typealias what it stands for

    @property
    def path(self):
        return self.owner + (self.name,)


class Chunk:
    """A member with its body: where it stands, and the names that it binds. A type is a path, or the last token of the value that is bound."""

    def __init__(self, owner):
        self.owner = owner
        self.bound = {}

    def bind(self, name, type=None):
        # Bound twice and not alike: then it is not known which of the two is meant.
        self.bound[name] = type if self.bound.get(name, type) == type else None


class Code:
    """The tokens of a text, and how to find one's way among them."""

    def __init__(self, path, text):
        code = DIRECTIVE.sub(lambda match: " " * len(match[0]), without_comments_and_strings(text))
        found = list(TOKEN.finditer(code))
        self.path = path
        self.count = len(found)
        # Looking ahead at the end finds nothing.
        self.tokens = [match[0].strip("`") for match in found] + [""] * 4
        self.starts = [match.start() for match in found] + [len(code)] * 4
        self.ends = [match.end() for match in found] + [-1] * 4
        self.breaks = [match.start() for match in re.finditer("\n", code)]
        self.match_brackets()

    def match_brackets(self):
        self.closing, self.opening, stack = {}, {}, []
        for at, token in enumerate(self.tokens[:self.count]):
            if token in "([{":
                stack.append(at)
            elif token in ")]}":
                if not stack or self.tokens[stack[-1]] + token not in ("()", "[]", "{}"):
                    raise ValueError(f"{self.path}:{self.line(at)}: this {token} closes nothing")
                self.opening[at] = stack.pop()
                self.closing[self.opening[at]] = at
        if stack:
            raise ValueError(f"{self.path}:{self.line(stack[-1])}: this {self.tokens[stack[-1]]} is not closed")

    def line(self, at):
        return bisect_right(self.breaks, self.starts[at]) + 1

    def touches(self, at):
        """Whether the next token follows without a space."""
        return self.starts[at + 1] == self.ends[at]

    def is_name(self, at):
        return bool(NAME.fullmatch(self.tokens[at]))

    def behind_angles(self, at):
        """Behind the `<…>` that begins here; here, when none does."""
        depth = 0
        while at < self.count:
            depth += (self.tokens[at] == "<") - (self.tokens[at] == ">")
            if depth == 0:
                return at + (self.tokens[at] == ">")
            at += 1
        return at

    def parameters_of_type(self, at):
        """The tokens of the names that `<…>` declares."""
        return [i for i in range(at + 1, self.behind_angles(at))
                if self.is_name(i) and self.tokens[i] not in ("let", "each") and self.tokens[i - 1] in ("<", ",", "let", "each")]

    def type_at(self, at):
        """The path of the type that is written here, and what is behind it."""
        while self.tokens[at] in BEFORE_A_TYPE or self.tokens[at] == "@":
            is_attribute = self.tokens[at] == "@"
            at += 2 if is_attribute else 1
            if is_attribute and self.tokens[at] == "(" and self.touches(at - 1):
                at = self.closing[at] + 1
        if self.tokens[at] == "(" and self.tokens[at + 1] in ("any", "some"):
            return self.type_at(at + 1)[0], self.closing[at] + 1
        if not self.is_name(at):
            return NOBODY, self.closing.get(at, at) + 1
        path, at = [self.tokens[at]], self.behind_angles(at + 1)
        while self.tokens[at] == "." and self.is_name(at + 1):
            path.append(self.tokens[at + 1])
            at = self.behind_angles(at + 2)
        return tuple(path), at

    def result(self, at):
        """The type that a function gives back; `at` is behind its name."""
        at = self.behind_angles(at)
        if self.tokens[at] != "(":
            return None
        at = self.closing[at] + 1
        while self.tokens[at] in ("async", "throws", "rethrows"):
            at = self.closing[at + 1] + 1 if self.tokens[at + 1] == "(" else at + 1
        return self.type_at(at + 1)[0] if self.tokens[at] == "->" else NOBODY

    def made(self, at):
        """The type whose initialiser is called here."""
        if not self.tokens[at][:1].isupper():
            return None
        path, behind = self.type_at(at)
        return path if self.tokens[behind] == "(" and path[-1][0].isupper() else None

    def end_of_chain(self, at):
        """The last token of `one.two(…)?.three`, when that is all of a value."""
        while self.tokens[at] in ("try", "await", "?", "!"):
            at += 1
        if not self.is_name(at) or self.tokens[at] in KEYWORDS:
            return None
        while True:
            last = at
            if self.tokens[at + 1] == "(" and self.touches(at):
                at = last = self.closing[at + 1]
            while self.tokens[at + 1] in ("?", "!") and self.touches(at):
                at += 1
            if self.tokens[at + 1] != "." or not self.is_name(at + 2):
                break
            at += 2
        follows = self.tokens[at + 1]
        if follows in (",", ";", "else", "{", "}", ")", "") or follows == self.tokens[at + 2] == "?":
            return last
        return last if self.line(at + 1) > self.line(at) and (self.is_name(at + 1) or follows in "@.") else None


class SwiftFile(Code):
    """A file of a room: its declarations, and for each token the chunk that it stands in."""

    def __init__(self, path, room, text):
        super().__init__(path, text)
        self.room = room
        self.declarations = []
        self.naming = set()        # tokens that name what is declared there
        self.supertypes, self.parameters = defaultdict(set), defaultdict(set)
        self.tuple_labels = set()
        self.chunks = []
        self.read()

    def read(self):
        """Walks over files and types, where names are declared for others, and over what is in brackets there, where they are not."""
        scopes, chunk, entered, inside_until = [((), False, self.count)], Chunk(()), None, -1
        for at in range(self.count):
            token, (owner, is_private, end) = self.tokens[at], scopes[-1]
            is_inside = at <= inside_until
            if at == end:
                scopes.pop()
                chunk = Chunk(scopes[-1][0])
            elif not is_inside and token == "{" and entered:
                scopes.append((*entered, self.closing[at]))
                chunk, entered = Chunk(entered[0]), None
            elif not is_inside and self.begins_declaration(at):
                chunk = Chunk(owner)
                if token in TYPES:
                    entered = self.declare_type(at, owner, is_private)
                else:
                    self.declare(at, chunk, is_private)
            elif not is_inside and token in "([{":
                inside_until, is_inside = self.closing[at], True
            if is_inside:
                self.bind(at, chunk)
            self.chunks.append(chunk)

    def begins_declaration(self, at):
        token, follows = self.tokens[at], self.tokens[at + 1]
        if token not in DECLARING or at and self.tokens[at - 1] == "." or token == "class" and follows in DECLARING | MODIFIERS:
            return False
        return self.is_name(at + 1) or token in FUNCTIONS or token in ("deinit", "let", "var")

    def modifiers(self, at):
        """The words before a declaration. `private(set)` is not one: what it says is for writing only."""
        found = set()
        while at > 0:
            at -= 1
            if self.tokens[at] == ")" and self.tokens[self.opening[at] - 1] in MODIFIERS:
                at = self.opening[at] - 1
            elif self.tokens[at] in MODIFIERS:
                found.add(self.tokens[at])
            else:
                break
        return found

    def add(self, at, owner, kind, is_private, type=None):
        self.naming.add(at)
        self.declarations.append(Declaration(self.tokens[at], owner, self.path, self.room, kind, is_private, type))

    def declare_type(self, at, owner, is_private):
        """Declares a type, and says of which path the members in its braces are and whether they are private."""
        is_private = is_private or not PRIVATE.isdisjoint(self.modifiers(at))
        if self.tokens[at] == "extension":
            path, at = self.type_at(at + 1)
        else:
            self.add(at + 1, owner, "type", is_private)
            path, at = owner + (self.tokens[at + 1],), at + 2
            self.naming.update(self.parameters_of_type(at))
            self.parameters[path].update(self.tokens[i] for i in self.parameters_of_type(at))
            at = self.behind_angles(at)
        while self.tokens[at] in (":", ",", "&"):
            parent, at = self.type_at(at + (2 if self.tokens[at + 1] == "~" else 1))
            self.supertypes[path].add(parent)
        return path, is_private

    def declare(self, at, chunk, is_private):
        """Declares what is no type."""
        token, owner, modifiers = self.tokens[at], chunk.owner, self.modifiers(at)
        is_private = is_private or not PRIVATE.isdisjoint(modifiers)
        kind = "shared" if token == "case" or not modifiers.isdisjoint({"static", "class"}) else "member"
        if token in FUNCTIONS:
            self.bind_function(at, chunk)
        if token == "func" and self.is_name(at + 1):
            result = self.result(at + 2)
            self.add(at + 1, owner, kind, is_private, NOBODY if result and result[0] in chunk.bound else result)
        elif token in ("let", "var"):
            for name in self.names_bound(at):
                type = self.type_at(name + 2)[0] if self.tokens[name + 1] == ":" else self.made(name + 2) if self.tokens[name + 1] == "=" else None
                self.add(name, owner, kind, is_private, type)
        elif token == "typealias":
            self.add(at + 1, owner, "type", is_private, self.type_at(at + 3)[0] if self.tokens[at + 2] == "=" else None)
        elif token == "associatedtype":
            self.parameters[owner].add(self.tokens[at + 1])
        while token == "case" and self.is_name(at + 1):
            self.add(at + 1, owner, kind, is_private, owner)
            at = self.closing[at + 2] if self.tokens[at + 2] == "(" else at + 1
            if self.tokens[at + 1] == "=":
                while self.tokens[at + 1] != "," and self.line(at + 1) == self.line(at):
                    at += 1
            token, at = "case" if self.tokens[at + 1] == "," else "", at + 1

    def names_bound(self, at):
        """The tokens of the names behind `let` or `var`: one, several, or those of a tuple or a pattern."""
        at += 1
        if self.tokens[at] == ".":
            while self.tokens[at] not in ("(", "=", "{", ":", ""):
                at += 1
        if self.tokens[at] == "(":
            return [i for i in range(at, self.closing[at]) if self.is_name(i) and self.tokens[i - 1] != "."]
        names = [at]
        while self.tokens[at + 1] == "," and self.is_name(at + 2) and self.tokens[at + 3] in (",", ":"):
            at += 2
            names.append(at)
        return [name for name in names if self.is_name(name)]

    def bound_type(self, name):
        """The type that a name is given, or the last token of the value that it is."""
        if self.tokens[name + 1] == ":":
            return self.type_at(name + 2)[0]
        return self.end_of_chain(name + 2) if self.tokens[name + 1] == "=" else None

    def bind(self, at, chunk):
        """Binds what this token of a body or of parameters introduces."""
        token, before = self.tokens[at], self.tokens[at - 1]
        if token in ("let", "var"):
            for name in self.names_bound(at):
                chunk.bind(self.tokens[name], self.bound_type(name))
        elif token == "for" and before not in ("(", ",") and self.tokens[at + 1] != ":":
            while self.tokens[at] not in ("in", "{", ""):
                at += 1
                chunk.bind(self.tokens[at])
        elif token in FUNCTIONS and before != "." and self.tokens[at + 1] != ":":
            self.bind_function(at, chunk)
            self.naming.add(at + 1)
            chunk.bind(self.tokens[at + 1])
        elif token in TYPES and before not in (".", ":") and self.tokens[at + 1][:1].isupper():
            chunk.bind(self.tokens[at + 1])
        elif token == "{":
            self.bind_closure(at, chunk)
        elif token == "(" and before in ("->", "[", ":", "=", ",", "(", "<", "return", "in", "{", "}", "as"):
            self.tuple_labels.update(self.tokens[i] for i in range(at + 1, self.closing[at])
                                     if self.is_name(i) and self.tokens[i + 1] == ":" and self.tokens[i - 1] in ("(", ","))

    def bind_function(self, at, chunk):
        """The parameters of a function, and those of its types."""
        at += 2 if self.tokens[at] == "func" and self.is_name(at + 1) else 1
        while self.tokens[at] not in ("(", "<", "") or self.tokens[at] == "<" and not self.is_name(at + 1):
            at += 1
        for name in self.parameters_of_type(at):
            chunk.bind(self.tokens[name])
        at = self.behind_angles(at)
        for i in range(at, self.closing.get(at, at)):
            if self.is_name(i) and self.tokens[i + 1] == ":":
                chunk.bind(self.tokens[i], self.type_at(i + 2)[0])

    def bind_closure(self, at, chunk):
        """What stands between a brace and `in`, when that is the head of a closure."""
        end = at + 1
        while self.is_name(end) and self.tokens[end] not in KEYWORDS - {"async", "throws", "weak", "unowned"} or self.tokens[end] in (
                "(", "[", ",", ":", "->", "?", "@", ".", "<", ">"):
            end = self.closing.get(end, end) + 1
        if self.tokens[end] != "in":
            return
        for i in range(at + 1, end):
            if self.tokens[i][:1].islower() and self.tokens[i - 1] != "@":
                chunk.bind(self.tokens[i], self.type_at(i + 2)[0] if self.tokens[i + 1] == ":" else None)
