"""Which declarations of its target a Swift file uses. What cannot be told from the text is not claimed.

Claimed is
* a type under its name, or within or behind the type that it is nested in;
* a member where the type before the dot is known from a declaration, and one of a type's own inside of its extensions;
* a function or constant of a file, unless something nearer has the name;
* behind a dot of which nothing is known: a name that only one type of all targets has, when the file names that type too, or when it is made of
  several words and behind a value. WORDS_OF_LIBRARIES are never claimed so.
"""
from collections import defaultdict
from typing import NamedTuple

from swift_file import KEYWORDS, NAME, NOBODY, Declaration, SwiftFile

# What the compiler binds by itself.
IMPLICIT = {"error", "newValue", "oldValue", "_"}
WORDS_OF_LIBRARIES = set("""
    allCases allSatisfy badRequest cancelled compactMap compactMapValues contains contentLength contentType count debugDescription dropFirst dropLast
    elementsEqual endIndex enumerated eventLoop failure filter first firstIndex firstMatch flatMap forEach formUnion hashValue hasPrefix hasSuffix
    id inserted internalServerError isASCII isCancelled isEmpty isLetter isMultiple isNewline isNumber isWhitespace joined last lastIndex
    lastPathComponent localAddress localizedDescription lowercased makeAsyncIterator makeIterator map mapValues newValue noContent none notFound
    oldValue popFirst popLast queryParameters randomElement rawRepresentation rawValue readableBytes reduce remoteAddress removeAll removeFirst
    removeLast removeSubrange removeValue replaceSubrange reserveCapacity resume reversed serviceUnavailable some sorted standardError standardInput
    standardOutput startIndex starts stringValue success timeIntervalSince timeIntervalSince1970 trimmingCharacters unauthorized unicodeScalars
    uppercased utf8 uuidString waitUntilExit wholeMatch withCheckedContinuation withLock withUnsafeBufferPointer withUnsafeBytes
    withUnsafeMutableBytes withUnsafePointer
    """.split())


class Use(NamedTuple):
    file: SwiftFile
    line: int
    declaration: Declaration

    @property
    def name(self):
        return ".".join(self.declaration.path)


class Target:
    """The files of a target, and what their names mean to each other."""

    def __init__(self, name, files, names_elsewhere=frozenset(), modules=frozenset()):
        declarations = [one for file in files for one in file.declarations]
        self.name, self.files = name, files
        self.top = {one.name for one in declarations if one.kind == "type" and not one.owner}
        # A type of ours that is called like a module hides it.
        self.module, self.modules = {name} - self.top, modules - self.top
        self.types, self.members, self.by_name = defaultdict(list), defaultdict(list), defaultdict(list)
        self.supertypes, self.parameters = defaultdict(set), defaultdict(set)
        # Behind a dot these may be something else.
        self.unclear = names_elsewhere | WORDS_OF_LIBRARIES | set().union(*(file.tuple_labels for file in files))
        for declaration in declarations:
            if declaration.kind == "type":
                self.types[self.plain(declaration.path)].append(declaration)
            self.members[self.plain(declaration.owner), declaration.name].append(declaration)
            if declaration.owner and declaration.kind != "type":
                self.by_name[declaration.name].append(declaration)
        for file in files:
            for path, parents in file.supertypes.items():
                self.supertypes[self.plain(path)] |= parents
            for path, names in file.parameters.items():
                self.parameters[self.plain(path)] |= names

    def uses(self):
        """Every use across rooms."""
        for file in self.files:
            yield from Reader(self, file).uses()

    def plain(self, path):
        """A path without the module before it, unless ours would take it for a type of its own."""
        if len(path) > 1 and (path[0] in self.module or path[0] in self.modules and path[1] not in self.top):
            return path[1:]
        return path

    def with_supertypes(self, path):
        """A type and all that it inherits from or conforms to, as far as that is ours."""
        found = [path]
        for one in found:
            for parent in sorted(map(self.plain, self.supertypes.get(one, ()))):
                beside = one[:-1] + parent
                parent = beside if beside in self.types else parent
                if parent in self.types and parent not in found:
                    found.append(parent)
        return found


class Reader:
    """Says what each name of one file means."""

    def __init__(self, target, file):
        self.target, self.file, self.tokens = target, file, file.tokens
        self.types = {}    # the type of the value that ends with a token
        self.own_private = {one.name for one in file.declarations if one.is_private}
        self.words = set(file.tokens)

    def uses(self):
        for at, token in enumerate(self.tokens):
            behind_dot = at > 0 and self.tokens[at - 1] == "."
            if not NAME.fullmatch(token) or token in KEYWORDS and not behind_dot or at in self.file.naming:
                continue
            found = self.behind_dot(at) if behind_dot else self.type(at) if token[0].isupper() else self.bare(at)
            if found:
                types = {self.type_of(one) for one in found}
                self.types[at] = types.pop() if len(types) == 1 else None
            rooms = {one.room for one in found}
            if len(rooms) == 1 and self.file.room not in rooms:
                yield Use(self.file, self.file.line(at), found[0])

    def visible(self, declarations):
        return [one for one in declarations if not one.is_private or one.file == self.file.path]

    def owner(self, at):
        return self.target.plain(self.file.chunks[at].owner)

    # What a name is.

    def type(self, at):
        token, owner = self.tokens[at], self.owner(at)
        if token in self.file.chunks[at].bound:
            return []
        if token == "Self" or token in self.target.module:
            self.types[at] = owner if token == "Self" else ()
            return []
        path = self.nearest(token, owner)
        self.types[at] = path or (token,)
        return self.visible(self.target.types.get(path, ()))

    def bare(self, at):
        token, owner, bound = self.tokens[at], self.owner(at), self.file.chunks[at].bound
        is_label = self.tokens[at + 1] == ":" and self.file.touches(at) or self.file.is_name(at + 1) and self.tokens[at + 2] == ":"
        if is_label or token in IMPLICIT:
            return []
        if token in bound:
            type = bound[token]
            self.types[at] = self.written(type, owner, bound) if isinstance(type, tuple) else self.left(type) if type else None
            return []
        for length in range(len(owner), 0, -1):
            found = self.members(owner[:length], token)
            # Of the types around only what needs no value of them.
            found = found if length == len(owner) else [one for one in found if one.kind == "shared"]
            if found:
                return found
        return self.members((), token)

    def behind_dot(self, at):
        token, left = self.tokens[at], self.left(at - 2)
        if left is not None:
            return self.members(left, token)
        if token[0].isupper() or token in self.own_private or token in self.target.unclear:
            return []
        found = self.visible(self.target.by_name.get(token, ()))
        if len({one.owner for one in found}) != 1:
            return []
        return found if found[0].owner[0] in self.words or self.is_value(at - 2) and not token.islower() else []

    def members(self, path, name):
        """What a type has under this name, or else all that its supertypes have."""
        own, *others = (self.visible(self.target.members.get((one, name), ())) for one in self.target.with_supertypes(path))
        return own or sum(others, [])

    # What is known of types.

    def is_value(self, at):
        """Whether a value ends with this token, which stands before a dot."""
        if self.tokens[at] in ("?", "!"):
            return self.file.touches(at)
        return self.tokens[at] in (")", "]", "}") or (self.file.is_name(at) or self.tokens[at][:1] == "$") and self.tokens[at] not in KEYWORDS

    def left(self, at):
        """The type of the value that ends with this token."""
        if not self.is_value(at):
            return None
        while self.tokens[at] in ("?", "!"):
            at -= 1
        if self.tokens[at] == ")" and self.file.touches(self.file.opening[at] - 1):
            at = self.file.opening[at] - 1
        return self.owner(at) if self.tokens[at] == "self" else self.types.get(at)

    def type_of(self, declaration):
        owner = self.target.plain(declaration.owner)
        if declaration.kind == "type":
            return self.written((declaration.name,), owner)
        return self.written(declaration.type, owner) if declaration.type else None

    def written(self, path, owner, bound=()):
        """The type that a path means where it is written: ours, or the path itself when it is somebody else's."""
        path = self.target.plain(path)
        if path[0] in bound:
            return NOBODY
        base = owner if path[0] == "Self" else self.nearest(path[0], owner)
        if base is None:
            return path
        for name in path[1:]:
            base = self.unaliased(base) + (name,)
        return self.unaliased(base)

    def unaliased(self, path):
        for one in self.visible(self.target.types.get(path, ())):
            if one.type and one.type != path[-1:]:
                return self.written(one.type, self.target.plain(one.owner))
        return path

    def nearest(self, name, owner):
        """The type with this name that is seen from within another; NOBODY for a parameter, None for somebody else's."""
        for length in range(len(owner), 0, -1):
            for path in self.target.with_supertypes(owner[:length]):
                if name in self.target.parameters.get(path, ()):
                    return NOBODY
                if self.visible(self.target.types.get(path + (name,), ())):
                    return path + (name,)
        return (name,) if self.visible(self.target.types.get((name,), ())) else None
