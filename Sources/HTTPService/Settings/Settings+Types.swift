import Foundation
import Logging
import NIOCore

/// Typed access. Each answers nil for a setting that is not set and throws ``SettingsError`` naming the key for one that is wrong.
extension Settings {
    /// A setting without which the server cannot start.
    package func required<Value>(_ key: SettingKey, _ value: Value?) throws(SettingsError) -> Value {
        guard let value else { throw .missing([key]) }
        return value
    }

    /// Looks whether all of `keys` are set, before any value is read: what is missing is told at once.
    package func require(_ keys: [SettingKey]) throws(SettingsError) {
        var missing: [SettingKey] = []
        for key in keys {
            if try text(key) == nil { missing.append(key) }
        }
        guard missing.isEmpty else { throw .missing(missing) }
    }

    /// A setting in the form of any parser whose errors are one line.
    package func parsed<Value>(_ key: SettingKey, _ parse: (String) throws -> Value) throws(SettingsError) -> Value? {
        guard let text = try text(key) else { return nil }
        do {
            return try parse(text)
        } catch {
            throw .invalid(key, reason: "\(error)")
        }
    }

    package func listenAddress(_ key: SettingKey) throws(SettingsError) -> ListenAddress? {
        try parsed(key, ListenAddress.init(parsing:))
    }

    package func publicURL(_ key: SettingKey) throws(SettingsError) -> PublicURL? {
        try parsed(key, PublicURL.init(parsing:))
    }

    /// Identities of servers, 32 bytes each.
    package func identities(_ key: SettingKey) throws(SettingsError) -> [[UInt8]]? { try list(key, parseIdentity) }

    package func integer<Number: FixedWidthInteger & Sendable>(
        _ key: SettingKey, in range: ClosedRange<Number>
    ) throws(SettingsError) -> Number? {
        try parsed(key) { text in
            guard let number = Number(text), range.contains(number) else {
                throw Expected("a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    package func bool(_ key: SettingKey) throws(SettingsError) -> Bool? {
        try parsed(key) { text in
            switch text.lowercased() {
            case "true", "yes", "on", "1": true
            case "false", "no", "off", "0": false
            default: throw Expected("true or false")
            }
        }
    }

    /// A time in seconds: a number, or a number with the unit s, m, h or d.
    package func seconds(_ key: SettingKey) throws(SettingsError) -> UInt64? {
        try parsed(key, parseSeconds)
    }

    /// Items between commas, without the spaces around them; an empty text has none.
    package func list<Item>(_ key: SettingKey, _ parse: (String) throws -> Item) throws(SettingsError) -> [Item]? {
        try parsed(key) { text in
            let items = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
            return items == [""] ? [] : try items.map(parse)
        }
    }

    /// The identity of a server, 32 bytes.
    package func identity(_ key: SettingKey) throws(SettingsError) -> [UInt8]? {
        try parsed(key, parseIdentity)
    }

    package func logLevel() throws(SettingsError) -> Logger.Level {
        try parsed(.logLevel) { text in
            guard let level = Logger.Level(rawValue: text.lowercased()) else {
                throw Expected(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return level
        } ?? .info
    }

    /// A secret that is given as a value or in a file, on one line whose ending does not belong to it. Others can neither read nor write that file
    /// (``SecretFile``).
    package func secret(_ key: SettingKey, file fileKey: SettingKey) throws(SettingsError) -> SecretText? {
        switch (try text(key), try text(fileKey)) {
        case (nil, nil): return nil
        case (let value?, nil):
            guard !value.contains(where: \.isNewline) else { throw .invalid(key, reason: "it has more than one line, or a line break at its end") }
            return SecretText(value)
        case (nil, let path?):
            do throws(SecretFileError) { return SecretText(try SecretFile.line(in: path)) } catch {
                throw SettingsError(error, of: fileKey, at: path)
            }
        case (_?, _?): throw .givenTwice(key, fileKey)
        }
    }
}

/// What a text should have been.
package struct Expected: Error, CustomStringConvertible {
    package let description: String

    package init(_ what: String) {
        description = "expected \(what)"
    }
}

/// Seconds: a number, or a number with the unit s, m, h or d.
package func parseSeconds(_ text: String) throws -> UInt64 {
    let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = UInt64(digits), digits.allSatisfy(\.isNumber), number <= 1_000_000_000 else {
        throw Expected("seconds, or a number with s, m, h or d")
    }
    return number * (unit ?? 1)
}

func parseIdentity(_ text: String) throws -> [UInt8] {
    if text.utf8.count == 64, let buffer = try? ByteBuffer(plainHexEncodedBytes: text), buffer.readableBytes == 32 {
        return Array(buffer.readableBytesView)
    }
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    guard text.utf8.count == 43, !text.contains("="), let data = Data(base64Encoded: base64 + "="), data.count == 32 else {
        throw Expected("an identity as the other server prints it, 43 characters of base64url or 64 hexadecimal digits")
    }
    return Array(data)
}
