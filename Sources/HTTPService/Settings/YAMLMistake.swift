/// What is wrong with a YAML file, in words of ours. What the reader says quotes the file, and the API key may be in it: of the file only
/// the place is told, and names that can be no key.
struct YAMLMistake {
    let content: String
    let keys: [SettingKey]

    /// Why the file could not be read as YAML.
    func sentence(for error: any Error) -> String {
        // The place comes before the first word that could be the file's.
        if let place = "\(error)".prefixMatch(of: /(\d+):(\d+): error:/) {
            return "line \(place.1), column \(place.2), or a line before it: look for a missing colon, quote or bracket, a second colon, or a tab"
        }
        if let (name, first, second) = doubledName { return "\(name) stands in line \(first) and again in line \(second): keep one" }
        return "each line is a name that docs/operations.md lists, a colon, a space and a value; each name stands there once"
    }

    /// The error for a name that is no setting, or that has names inside.
    func error(for name: String, path: String) -> SettingsError {
        let outer = String(name.prefix { $0 != "." })
        guard keys.named(outer) != nil || Self.isHarmless(outer) && isWhole(outer) else {
            return .unnamedKey(line: line(of: outer), meant: keys.nearest(to: outer), path: path)
        }
        return name == outer ? .unknownKey(name, meant: keys.nearest(to: name), path: path) : .nestedKey(outer, path: path)
    }

    /// Whether a word can be said aloud: too short for an API key that would be accepted, and without digits.
    private static func isHarmless(_ word: String) -> Bool { word.wholeMatch(of: /[A-Za-z_\-]{1,21}/) != nil }

    /// Whether a line has it as its name, and not as the beginning of one with a dot in it.
    private func isWhole(_ name: String) -> Bool {
        lines.contains { line in
            let start = line.drop { !$0.isLetter && !$0.isNumber }
            return start.hasPrefix(name) && start.dropFirst(name.count).first { $0 != "\"" && $0 != "'" && $0 != " " } == ":"
        }
    }

    /// A setting that stands there twice.
    private var doubledName: (name: String, first: Int, second: Int)? {
        var seen: [SettingKey: Int] = [:]
        for (index, line) in lines.enumerated() {
            let word = line.prefix { $0 != ":" }.trimming { $0.isWhitespace || $0 == "\"" || $0 == "'" }
            guard let key = keys.named(word) else { continue }
            if let first = seen[key] { return (key.name, first, index + 1) }
            seen[key] = index + 1
        }
        return nil
    }

    /// Where a name stands, quoted or not.
    private func line(of name: String) -> Int? {
        func word(_ text: some StringProtocol) -> some StringProtocol { text.drop { !$0.isLetter && !$0.isNumber } }
        guard !word(name).isEmpty else { return nil }
        return lines.firstIndex { word($0).hasPrefix(word(name)) }.map { $0 + 1 }
    }

    private var lines: [Substring] { content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> String {
        String(drop(while: isTrimmed).reversed().drop(while: isTrimmed).reversed())
    }
}
