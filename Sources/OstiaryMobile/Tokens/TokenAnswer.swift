import OstiaryTokens

/// What the token endpoint gave (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3), of which nothing is used before it is stored, and its ID token verified.
struct TokenAnswer: Sendable {
    let accessToken: String
    let kind: FreshToken.Kind
    /// Seconds; nil where the provider does not say.
    let life: UInt64?
    let scope: String
    let refreshToken: String?
    let idToken: String?

    /// - Parameters:
    ///   - asked: the scope of the request, which is that of the answer where it names none (§5.1).
    ///   - isBound: whether a proof went with the request: then a token that anybody could use is none (RFC 9449 §5).
    /// - Throws: `serverAnswer`.
    init(_ bytes: [UInt8], asked: String, isBound: Bool) throws(TokenError) {
        guard let object = try? JSONReader.object(bytes) else { throw .serverAnswer }
        guard let accessToken = object["access_token"]?.string, Self.isToken(accessToken), let type = object["token_type"]?.string else {
            throw .serverAnswer
        }
        guard let kind = [FreshToken.Kind.bearer, .dpop].first(where: { $0.rawValue.lowercased() == type.lowercased() }), isBound == (kind == .dpop)
        else { throw .serverAnswer }
        self.accessToken = accessToken
        self.kind = kind
        life = try Self.life(object["expires_in"])
        scope = try Self.text("scope", of: object) ?? asked
        // An empty one is none, and must not take the place of one that is good.
        refreshToken = try Self.text("refresh_token", of: object).flatMap { $0.isEmpty ? nil : $0 }
        idToken = try Self.text("id_token", of: object)
    }

    private static func life(_ value: JSONValue?) throws(TokenError) -> UInt64? {
        switch value {
        case nil: nil
        case .integer(let seconds)? where seconds >= 0: UInt64(seconds)
        default: throw .serverAnswer
        }
    }

    private static func text(_ name: String, of object: JSONObject) throws(TokenError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.string else { throw .serverAnswer }
        return text
    }

    /// Goes into a field of a header: visible characters only (RFC 6750 §2.1 has fewer).
    private static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

extension TokenAnswer: CustomStringConvertible, CustomReflectable {
    var description: String { "TokenAnswer ‹secret›" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
