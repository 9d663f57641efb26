import OstiaryProtocol
import OstiaryTokens

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ResourceVerifier {
    /// JWTs of a provider that has RFC 9068 and metadata, as Ostiary has.
    /// - Parameters:
    ///   - issuer: as tokens have it, byte for byte.
    ///   - audience: the identifier of this API.
    ///   - base: under which scheme, host and port callers know this API.
    public init(issuer: String, audience: String, base: String) throws(ResourceSettingsError) {
        try self.init(ResourceSettings(base: base, provider: ProviderSettings(issuer: issuer, audience: audience)))
    }

    /// - Throws: ``ResourceSettingsError`` for settings that no API can be protected with. The provider is not asked for anything yet: an API starts without it.
    public init(_ settings: ResourceSettings, ports: ResourcePorts = ResourcePorts()) throws(ResourceSettingsError) {
        guard settings.provider != nil || settings.webNonce != nil else { throw .nothingTaken }
        guard settings.clockTolerance <= 60 else { throw .toleranceTooLong }
        let clock = ports.now
        let now: @Sendable () -> Instant = { Instant(clock()) }
        var tokens: TokenVerifier?
        if let provider = settings.provider { tokens = try Self.tokens(provider, settings.clockTolerance, ports, now) }
        var sessions: SessionQuestion?
        if let webNonce = settings.webNonce { sessions = try Self.sessions(webNonce, ports.calls) }
        self.init(
            tokens: tokens, sessions: sessions, proofs: try Self.proofs(settings, ports), webNonceField: settings.webNonce?.field,
            realm: settings.realm, tolerance: settings.clockTolerance, clock: now)
    }

    private static func tokens(
        _ settings: ProviderSettings, _ tolerance: UInt64, _ ports: ResourcePorts, _ now: @escaping @Sendable () -> Instant
    ) throws(ResourceSettingsError) -> TokenVerifier {
        guard let issuer = ProviderAddress(settings.issuer), !issuer.hasQuery else { throw .address(settings.issuer) }
        guard !settings.audience.isEmpty else { throw .audienceEmpty }
        guard settings.jwt != nil || settings.introspection != nil else { throw .nothingTaken }
        guard settings.jwt?.recheckedEvery == nil || settings.introspection != nil else { throw .recheckNeedsIntrospection }
        let algorithms = settings.jwt?.algorithms ?? Set(TokenAlgorithm.allCases)
        guard !algorithms.isEmpty else { throw .algorithmsEmpty }
        let rules = TokenRules(
            issuer: settings.issuer, audience: settings.audience, algorithms: Set(algorithms.map(\.signature)),
            profile: settings.jwt?.profile ?? .rfc9068, tolerance: tolerance, permissionsClaim: settings.permissionsClaim)
        let source = ProviderSource(issuer, keys: try origin(settings.jwt?.keys ?? .discovered), calls: ports.calls, now: now)
        var question: IntrospectionQuestion?
        if let introspection = settings.introspection {
            question = try Self.question(introspection, rules, source, settings.jwt?.recheckedEvery ?? 0, ports)
        }
        return TokenVerifier(
            rules: rules, jwt: settings.jwt == nil ? nil : JWTCheck(rules: rules, provider: source), introspection: question,
            rememberedFor: settings.introspection?.rememberedFor ?? 0, recheckedEvery: settings.jwt?.recheckedEvery)
    }

    private static func origin(_ keys: JWTSettings.Keys) throws(ResourceSettingsError) -> KeyOrigin {
        switch keys {
        case .discovered: return .discovered
        case .address(let text):
            guard let address = ProviderAddress(text) else { throw .address(text) }
            return .address(address)
        case .fixed(let json):
            guard let set = try? JWKSet(json: json), !set.keys.isEmpty else { throw .keysWrong }
            return .fixed(set)
        }
    }

    private static func question(
        _ settings: IntrospectionSettings, _ rules: TokenRules, _ source: ProviderSource, _ recheckedEvery: UInt64, _ ports: ResourcePorts
    ) throws(ResourceSettingsError) -> IntrospectionQuestion {
        var endpoint = IntrospectionQuestion.Endpoint.discovered(source)
        if let text = settings.address {
            guard let address = ProviderAddress(text) else { throw .address(text) }
            endpoint = .address(address)
        }
        return IntrospectionQuestion(
            rules: rules, endpoint: endpoint, credential: credential(settings, rules.issuer, ports.randomBytes),
            mayLackAudience: settings.mayLackAudience, calls: ports.calls,
            memory: AnswerMemory(longest: max(settings.rememberedFor, recheckedEvery)))
    }

    private static func credential(
        _ settings: IntrospectionSettings, _ issuer: String, _ randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) -> ClientCredential {
        switch settings.credential {
        case .secret(let secret):
            // Both parts are encoded like a form first (RFC 6749 §2.3.1).
            let pair = "\(PercentEscape.text(settings.clientID)):\(PercentEscape.text(secret))"
            return .basic("Basic " + Data(pair.utf8).base64EncodedString())
        case .key(let key):
            return .assertions(
                ClientAssertions(
                    clientID: settings.clientID, audience: settings.assertionAudience ?? issuer, signer: key.signer, keyID: key.id,
                    randomBytes: randomBytes))
        }
    }

    private static func sessions(_ settings: WebNonceSettings, _ calls: any ResourceCalls) throws(ResourceSettingsError) -> SessionQuestion {
        guard let address = ProviderAddress(settings.restAddress, plainHTTP: settings.plainHTTP), !address.hasQuery else {
            throw .address(settings.restAddress)
        }
        guard Base64URL.decode(settings.server)?.count == 16 else { throw .nameWrong(settings.server) }
        guard isFieldName(settings.field) else { throw .nameWrong(settings.field) }
        guard !settings.apiKey.isEmpty, settings.apiKey.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .apiKeyWrong }
        return SessionQuestion(
            address: "\(address.withoutTrailingSlash)/servers/\(settings.server)/sessions/", apiKey: settings.apiKey, scopes: settings.scopes,
            calls: calls, age: settings.rememberedFor, memory: AnswerMemory(longest: settings.rememberedFor))
    }

    private static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty && !["authorization", "dpop", "cookie", "host"].contains(name.lowercased())
            && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D }
    }

    private static func proofs(_ settings: ResourceSettings, _ ports: ResourcePorts) throws(ResourceSettingsError) -> ProofCheck {
        guard let base = ProviderAddress(settings.base), !base.hasQuery else { throw .address(settings.base) }
        guard settings.proofs.nonceKey.map({ $0.count == 32 }) ?? true else { throw .nonceKeyWrong }
        let nonces = settings.proofs.needNonce ? DPoPNonces(key: settings.proofs.nonceKey ?? ports.randomBytes(32)) : nil
        return ProofCheck(base: base.withoutTrailingSlash, nonces: nonces, spent: settings.proofs.spent)
    }
}
