import OstiaryProtocol

/// The checks on what a backend says of a login: only values that may travel get into a request. `field` names what is refused.
package enum LoginText {
    static let keyLimit = 64
    static let textLimit = 1_024
    /// Bytes of an address or of the name of a browser.
    static let lineLimit = 255

    /// In the order of the keys, so that the same object always reads the same.
    /// - Parameter areShown: to a person. Then a key and a text each have something to see: one alone would read as a line of the app's own.
    package static func info(_ texts: [String: String], _ field: String, areShown: Bool) throws(LoginTextError) -> [Announcement] {
        guard texts.count <= ShownContext.mostAnnouncements else { throw .tooMany("\(field).info") }
        var items: [Announcement] = []
        for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
            guard !key.isEmpty, PlainLine.allows(key, cap: keyLimit) else { throw .badKey("\(field).info") }
            guard PlainLine.allows(text, cap: textLimit) else { throw .badText("\(field).info.\(key)") }
            if areShown {
                guard !PlainLine.isBlank(key) else { throw .blankKey("\(field).info", key) }
                guard !PlainLine.isBlank(text) else { throw .blankText("\(field).info.\(key)") }
            }
            items.append(Announcement(key: key, text: text))
        }
        return items
    }

    /// A line about a browser, empty for none. What is noted is shown where nothing is announced, so each has something to see.
    package static func line(_ text: String, _ field: String) throws(LoginTextError) -> String {
        guard PlainLine.allows(text, cap: lineLimit) else { throw .badLine(field) }
        guard text.isEmpty || !PlainLine.isBlank(text) else { throw .blankText(field) }
        return text
    }

    /// Nil for no bytes.
    package static func logo(_ bytes: [UInt8], _ field: String) throws(LoginTextError) -> ShownLogo? {
        guard !bytes.isEmpty else { return nil }
        guard PlainPicture(bytes) != nil, let picture = ServerLogo(bytes) else { throw .badLogo(field) }
        return ShownLogo(picture)
    }
}

/// Why what is said of a login is refused, with the field's name.
package enum LoginTextError: Error, Equatable, Sendable {
    case tooMany(String)
    case badKey(String)
    case badText(String)
    /// Nobody would see the key.
    case blankKey(String, String)
    /// Nobody would see the text.
    case blankText(String)
    case badLine(String)
    case badLogo(String)
    /// A picture where nobody would see it.
    case hiddenLogo(String)
}

extension LoginTextError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooMany(let field): "\(field) has at most \(ShownContext.mostAnnouncements) texts"
        case .badKey(let field):
            "\(field) has keys of 1 to \(LoginText.keyLimit) bytes on one line, without control or direction characters"
        case .badText(let field): "\(field) has at most \(LoginText.textLimit) bytes on one line, without control or direction characters"
        case .blankKey(let field, let key):
            "\(field) has a key that nobody sees: \(key.unicodeScalars.map(Self.name(of:)).joined(separator: " "))"
        case .blankText(let field): "\(field) has nothing to see: leave it out"
        case .badLine(let field): "\(field) has at most \(LoginText.lineLimit) bytes on one line, without control or direction characters"
        case .badLogo(let field): "\(field) \(PlainPicture.rule), in base64"
        case .hiddenLogo(let field): "\(field) is shown to nobody: send it as announceinfo.logo"
        }
    }

    /// As Unicode writes it: `U+00A0`.
    private static func name(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
