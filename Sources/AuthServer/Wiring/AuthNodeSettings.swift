import HTTPService
import OAuthProvider
import OstiaryProtocol

/// What the operator decides about an authentication server, wherever it listens.
package struct AuthNodeSettings: Sendable {
    package let publicURL: PublicURL
    package let apiKey: SecretText
    /// Hash of the second-factor server's root, 32 bytes.
    package let secondFactorIdentity: [UInt8]
    /// Name of the default virtual server: given at its making, and again whenever the operator sets another. One that was applied before says nothing
    /// new: that of the database stays, which the REST API may have changed.
    package let serverName: String?
    package let serverLogo: [UInt8]?
    /// Days for which the audit trail is kept; 0 for ever.
    package let auditDays: UInt64
    /// Days for which it is known of a deleted account that there was one; 0 for ever.
    package let deletedAccountDays: UInt64
    /// Whether proofs of possession of OAuth clients need a nonce of this server (RFC 9449 §8).
    package let asksProofNonces: Bool
    /// Proxies before the public listener whose `X-Forwarded-For` says who asks.
    package let trustedProxies: TrustedProxies
    /// OAuth clients that may register themselves in a day from one address, where anybody may.
    package let registrationsPerPeer: Int

    package init(
        publicURL: PublicURL, apiKey: SecretText, secondFactorIdentity: [UInt8], serverName: String? = nil, serverLogo: [UInt8]? = nil,
        auditDays: UInt64 = 0, deletedAccountDays: UInt64 = AuthNodeSettings.usualDeletedAccountDays, asksProofNonces: Bool = false,
        trustedProxies: TrustedProxies = .none,
        registrationsPerPeer: Int = ClientRegistrationService.mostByPlace
    ) {
        self.publicURL = publicURL
        self.apiKey = apiKey
        self.secondFactorIdentity = secondFactorIdentity
        self.serverName = serverName
        self.serverLogo = serverLogo
        self.auditDays = auditDays
        self.deletedAccountDays = deletedAccountDays
        self.asksProofNonces = asksProofNonces
        self.trustedProxies = trustedProxies
        self.registrationsPerPeer = registrationsPerPeer
    }

    /// - Throws: ``SettingsError``, of the first setting that is wrong or missing.
    init(_ settings: Settings) throws(SettingsError) {
        publicURL = try settings.required(.publicURL, settings.publicURL(.publicURL))
        apiKey = try settings.required(.rootAPIKey, settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
        let file = try settings.text(.rootAPIKey) == nil ? settings.text(.rootAPIKeyFile) : nil
        let source: SettingKey = file == nil ? .rootAPIKey : .rootAPIKeyFile
        guard apiKey.isStrong else { throw .weakSecret(source) }
        // A server with such a key would run, and answer 401 to all.
        if let trouble = apiKey.fieldTrouble { throw .invalid(source, reason: "the API key\(file.map { " in \($0)" } ?? "") \(trouble)") }
        secondFactorIdentity = try settings.required(.secondFactorIdentity, settings.identity(.secondFactorIdentity))
        serverName = try settings.serverName()
        serverLogo = try Self.logo(settings)
        auditDays = try settings.integer(.auditDays, in: 0...36_500) ?? 0
        deletedAccountDays = try settings.integer(.deletedAccountDays, in: 0...36_500) ?? Self.usualDeletedAccountDays
        asksProofNonces = try settings.bool(.dpopNonces) ?? false
        trustedProxies = TrustedProxies(try settings.list(.trustedProxies, TrustedProxy.init(parsing:)) ?? [])
        registrationsPerPeer = try settings.integer(.registrationsPerPeer, in: 1...1_000) ?? ClientRegistrationService.mostByPlace
    }

    private static func logo(_ settings: Settings) throws(SettingsError) -> [UInt8]? {
        guard let path = try settings.text(.serverLogo) else { return nil }
        do throws(LogoError) {
            let logo = try Logo(file: path)
            guard PlainPicture(logo.bytes) != nil else { throw LogoError.notPlain }
            return logo.bytes
        } catch {
            if case .unreadable(let path, let reason) = error { throw SettingsError.unreadable(.serverLogo, path: path, reason: reason) }
            throw SettingsError.invalid(.serverLogo, reason: "\(error)")
        }
    }

    /// Two years: for as long a phone may lie in a drawer and still delete by itself what was deleted here. One that comes later is told that the account is
    /// unknown, and its person deletes it (docs/decisions/0059).
    package static let usualDeletedAccountDays: UInt64 = 730

    /// The name of the default virtual server when it is made and none is set.
    package static let defaultServerName = "Ostiary"
}
