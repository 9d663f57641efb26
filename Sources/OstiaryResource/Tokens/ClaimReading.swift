import OstiaryProtocol
import OstiaryTokens

extension JSONObject {
    /// Reads claims by their types, with the reasons of an API.
    func reading<Value>(_ read: (JSONObject) throws(ClaimError) -> Value) throws(TokenFault) -> Value {
        do { return try read(self) } catch { throw TokenFault(error) }
    }

    /// The key that has to be shown with a token; nil for a bearer token (RFC 9449 §6). What is bound to something that nobody here can check is none.
    func boundKey() throws(TokenFault) -> Thumbprint? {
        guard let confirmation = self["cnf"] else { return nil }
        guard let thumbprint = confirmation.object?["jkt"]?.string.flatMap(Thumbprint.init(text:)) else { throw .claimWrong("cnf") }
        return thumbprint
    }

    /// Space-separated words (RFC 6749 §3.3), or, from providers that write one, a list; none where there is none.
    func words(_ name: String, orList: Bool) throws(TokenFault) -> Set<String> {
        switch self[name] {
        case nil: return []
        case .string(let text): return Set(text.split(separator: " ").map(String.init))
        case let value?:
            guard orList, let strings = value.strings else { throw .claimWrong(name) }
            return Set(strings)
        }
    }

    /// Whether the API is one of those that it is for (RFC 7519 §4.1.3).
    func isFor(_ audience: String) throws(TokenFault) -> Bool {
        try reading { object throws(ClaimError) in try object.audiences() }.contains { $0.hasBytes(of: audience) }
    }

    /// A list of strings; none where there is none.
    func list(_ name: String) throws(TokenFault) -> [String] {
        guard let value = self[name] else { return [] }
        guard let strings = value.strings else { throw .claimWrong(name) }
        return strings
    }
}
