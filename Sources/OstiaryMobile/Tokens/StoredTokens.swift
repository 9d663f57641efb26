import Foundation

/// The document about tokens: which logins there are, and under which names of the key store their secrets lie. It holds no secret itself.
///
/// Whatever is made gets its name into the document first, and whatever goes leaves it last: so at every moment each secret has a name that is found here.
struct StoredTokens: Codable, Equatable, Sendable {
    private static let version = 1

    struct Login: Codable, Equatable, Sendable {
        /// Whose it is, see `TokenSettings.login`.
        let login: String
        /// Of its ``LoginSecret``.
        var secret: String
        /// Of the device key that its tokens are bound to; nil for bearer tokens.
        var key: String?
    }

    /// The name of a key that was made for a login which has not come back from its browser.
    struct Draft: Codable, Equatable, Sendable {
        /// Seconds after which nobody comes back.
        static let life: UInt64 = 86_400

        let name: String
        /// Unix seconds.
        let since: UInt64
    }

    private var version = Self.version
    var logins: [Login] = []
    /// Logins that are over here, and of which the provider has still to be told.
    var ended: [Login] = []
    var drafts: [Draft] = []
    /// Names of what is to be destroyed, or is being made.
    var discarded: [String] = []

    init() {}

    /// - Throws: `storeUnreadable` for a damaged document, and for one of a newer version.
    init(decoding document: [UInt8]?) throws(TokenError) {
        guard let document else { return }
        guard let stored = try? JSONDecoder().decode(Self.self, from: Data(document)), stored.version == Self.version else { throw .storeUnreadable }
        self = stored
    }

    func encoded() throws(TokenError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(self) else { throw .storeUnavailable }
        return Array(bytes)
    }

    func login(_ name: String) -> Login? { logins.first { $0.login == name } }

    /// Puts a login, whose secret is on the list of what is being made, in the place of what there is of it.
    /// - Parameter former: what it was renewed from; nil for another login.
    /// - Returns: whether it was put. A turn can be over before its work is: not where meanwhile somebody logged out, logged in, renewed it, or swept it away.
    mutating func put(_ fresh: Login, renewing former: Login?) -> Bool {
        let isExpected: Bool
        if let former { isExpected = logins.contains(former) } else { isExpected = fresh.key == nil || drafts.contains { $0.name == fresh.key } }
        guard isExpected, discarded.contains(fresh.secret) else {
            if !discarded.contains(fresh.secret) { discarded.append(fresh.secret) }
            return false
        }
        discarded.removeAll { $0 == fresh.secret }
        drafts.removeAll { $0.name == fresh.key }
        if let old = login(fresh.login) {
            if former == nil { ended.append(old) } else { discarded.append(old.secret) }
        }
        logins.removeAll { $0.login == fresh.login }
        logins.append(fresh)
        return true
    }
}

/// What one login is worth: its tokens, and who it is of.
struct LoginSecret: Codable, Equatable, Sendable {
    var accessToken: String
    var kind: FreshToken.Kind
    /// When the access token came, by this device's clock, in Unix seconds.
    var obtainedAt: UInt64
    /// Seconds for which it is good; nil where the provider did not say.
    var life: UInt64?
    var scope: String
    /// Nil where the login does not last.
    var refreshToken: String?
    /// The last that was verified, as it came: what a logout shows.
    var idToken: String?
    var profile: TokenProfile?

    /// - Parameter profile: out of the ID token of this answer.
    init(_ answer: TokenAnswer, obtainedAt: UInt64, profile: TokenProfile?) {
        accessToken = answer.accessToken
        kind = answer.kind
        self.obtainedAt = obtainedAt
        life = answer.life
        scope = answer.scope
        refreshToken = answer.refreshToken
        idToken = profile == nil ? nil : answer.idToken
        self.profile = profile
    }

    /// After a refresh: what the answer leaves out stays.
    func renewed(by answer: TokenAnswer, obtainedAt: UInt64, profile: TokenProfile?) -> LoginSecret {
        var new = LoginSecret(answer, obtainedAt: obtainedAt, profile: profile ?? self.profile)
        new.refreshToken = answer.refreshToken ?? refreshToken
        new.idToken = profile == nil ? idToken : answer.idToken
        return new
    }

    /// Whether the access token is good for some time yet. One that says nothing of its end is good for a minute; one of a time that is still to come is of a
    /// clock that was set back.
    func isFresh(at now: UInt64, margin: UInt64) -> Bool {
        let life = life ?? 60
        // Of one that is shorter than the margin, half.
        let margin = min(margin, life / 2)
        return obtainedAt <= now && now - obtainedAt < life - margin
    }
}

extension LoginSecret: CustomStringConvertible, CustomReflectable {
    var description: String { "LoginSecret ‹secret›" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
