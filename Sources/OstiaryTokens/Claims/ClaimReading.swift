import OstiaryProtocol

/// Why claims are refused that were signed by whom they should be.
package enum ClaimError: Error, Equatable, Sendable {
    case missing(String)
    case wrong(String)
    case expired, notYetValid, issuedLater
}

/// Reads claims by their types (RFC 7519 §4.1).
extension JSONObject {
    package func text(_ name: String) throws(ClaimError) -> String {
        guard let value = self[name] else { throw .missing(name) }
        guard let text = value.string, !text.isEmpty else { throw .wrong(name) }
        return text
    }

    package func optionalText(_ name: String) throws(ClaimError) -> String? {
        guard self[name] != nil else { return nil }
        return try text(name)
    }

    /// A NumericDate (RFC 7519 §2). A fraction of a second is dropped; what lies before 1970 or beyond all calendars is none.
    package func moment(_ name: String) throws(ClaimError) -> Instant {
        guard let value = self[name] else { throw .missing(name) }
        switch value {
        case .integer(let seconds) where seconds >= 0: return Instant(UInt64(seconds))
        case .fraction(let seconds) where seconds >= 0 && seconds < 1e12: return Instant(UInt64(seconds))
        default: throw .wrong(name)
        }
    }

    package func optionalMoment(_ name: String) throws(ClaimError) -> Instant? {
        guard self[name] != nil else { return nil }
        return try moment(name)
    }

    /// `aud`: a string or an array of strings, at least one (RFC 7519 §4.1.3).
    package func audiences() throws(ClaimError) -> [String] {
        guard let value = self["aud"] else { throw .missing("aud") }
        if let one = value.string, !one.isEmpty { return [one] }
        guard let several = value.strings, !several.isEmpty else { throw .wrong("aud") }
        return several
    }

    /// `exp` is required and has to lie ahead, `nbf` and `iat` must not lie ahead; clocks may differ by `leeway` seconds.
    package func checkTimes(at now: Instant, leeway: UInt64) throws(ClaimError) {
        guard now < (try moment("exp")) + leeway else { throw .expired }
        if let earliest = try optionalMoment("nbf") {
            guard earliest <= now + leeway else { throw .notYetValid }
        }
        if let issued = try optionalMoment("iat") {
            guard issued <= now + leeway else { throw .issuedLater }
        }
    }
}

/// A moment as a NumericDate.
extension JSONValue {
    package static func moment(_ moment: Instant) -> JSONValue { .integer(Int64(clamping: moment.seconds)) }
}
