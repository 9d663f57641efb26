import OstiaryTokens

/// One way to a token: what it reads of the request, and what it decides in the one transaction of the call.
package protocol TokenGrant: Sendable {
    static var type: GrantType { get }

    /// The parameters of its own, well formed.
    init(_ parameters: Parameters) throws(TokenRefusal)

    /// Decides and writes. Nothing that it needs changes before it has committed; it may run twice for one call.
    func redeem(_ turn: TokenTurn, in rows: any OAuthRows) throws -> Redemption
}

/// A grant that may have nothing to write: then nobody waits for those that write.
package protocol ReadingGrant: TokenGrant {
    /// Decides, and writes nothing.
    /// - Returns: nil where something has to be written.
    func redeem(_ turn: TokenTurn, reading rows: any OAuthRows) throws -> Redemption?
}

/// Every way that there is.
package enum TokenGrants {
    package static let all: [any TokenGrant.Type] = [
        CodeGrant.self, RefreshGrant.self, ClientCredentialsGrant.self, PolledGrant<DevicePoll>.self, PolledGrant<BackchannelPoll>.self,
        ExchangeGrant.self,
    ]

    static func read(_ parameters: Parameters) throws(TokenRefusal) -> any TokenGrant {
        guard let name = parameters["grant_type"] else { throw .parameterMissing("grant_type") }
        guard let grant = all.first(where: { $0.type.rawValue == name }) else { throw .grantTypeUnknown }
        return try grant.init(parameters)
    }
}

extension Parameters {
    func required(_ name: String) throws(TokenRefusal) -> String {
        guard let value = self[name] else { throw .parameterMissing(name) }
        return value
    }

    /// `scope`; nil when it was left out.
    func scopes() throws(TokenRefusal) -> ScopeSet? {
        guard let text = self["scope"] else { return nil }
        do { return try ScopeSet(parsing: text) } catch { throw .scope(error) }
    }

    /// The one API that is asked for, by `audience` or `resource` (RFC 8707 §2); nil when neither is there.
    func target() throws(TokenRefusal) -> APIIdentifier? {
        let named = Set(values("audience") + values("resource"))
        guard let text = named.first else { return nil }
        guard named.count == 1, let identifier = APIIdentifier(text) else { throw .targetUnknown }
        return identifier
    }
}
