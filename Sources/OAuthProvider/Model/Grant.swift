import Authentication
import OstiaryProtocol
import OstiaryTokens

/// One authorization: who let which client do what. Codes and tokens are given on it, and are good while it stands.
package struct Grant: Equatable, Sendable {
    package let id: GrantID
    package let server: ServerID
    package let client: ClientID
    package let holder: GrantHolder
    package let scopes: ScopeSet
    /// Nil for tokens that are good at userinfo only.
    package let api: APIIdentifier?
    package let authentication: AuthenticationClaims
    /// `nonce` of the request, for the ID token.
    package let nonce: String?
    /// `sid` of ID and logout tokens: the session in which it was given, also when the grant outlives it.
    package let session: SessionID
    package let createdAt: Instant
    /// What the client asked for by name, and may see for as long as it has this.
    package let asked: AskedClaims
    /// When somebody took it back: the client, an operator, or the provider because something was used twice.
    package var revokedAt: Instant?

    package init(
        id: GrantID, server: ServerID, client: ClientID, holder: GrantHolder, scopes: ScopeSet, api: APIIdentifier?,
        authentication: AuthenticationClaims, nonce: String?, session: SessionID, createdAt: Instant, asked: AskedClaims = .none,
        revokedAt: Instant? = nil
    ) {
        self.id = id
        self.server = server
        self.client = client
        self.holder = holder
        self.scopes = scopes
        self.api = api
        self.authentication = authentication
        self.nonce = nonce
        self.session = session
        self.createdAt = createdAt
        self.asked = asked
        self.revokedAt = revokedAt
    }
}

extension Grant {
    /// Whether a token of it is what a client asks for that names an API once more; one that names none means this one (RFC 8707 §2.2).
    func isFor(_ target: APIIdentifier?) -> Bool { target == nil || target == api }

    /// Seconds for which an access token of it is good. One that says something by itself is believed until it is over, so what hangs on a session is
    /// short; an opaque one is asked about, and ends with its session.
    func life(ofTokenFor api: ProtectedAPI?) -> UInt64 {
        let life = api?.life ?? ProtectedAPI.defaultLife
        guard case .session = holder, api?.form ?? .jwt == .jwt else { return life }
        return min(life, api?.sessionLife ?? ProtectedAPI.defaultSessionLife)
    }
}

/// What a grant hangs on: when that ends, the grant is over, and with it every token, at once and without being told.
package enum GrantHolder: Hashable, Sendable {
    /// A login: its grants end with it.
    case session(SessionID, AccountID)
    /// `offline_access`: the account and its device, whatever becomes of the session.
    case device(AccountID)

    init(of login: Login, in session: SessionID, _ scopes: ScopeSet) {
        self = scopes.contains(.offlineAccess) ? .device(login.account) : .session(session, login.account)
    }

    package var account: AccountID {
        switch self {
        case .session(_, let account), .device(let account): account
        }
    }
}

/// How many grants one client has at most: with offline access on one account, which is one device's, and for each API on one session.
package enum GrantLimit {
    package static let most = 20
}

/// A grant that stands at the moment of the question, with what is known of its person. Only the store makes one.
package struct StandingGrant: Equatable, Sendable {
    package let grant: Grant
    package let person: Person

    package init(grant: Grant, person: Person) {
        self.grant = grant
        self.person = person
    }
}

/// Who a grant is of, as far as tokens may tell.
package struct Person: Equatable, Sendable {
    /// `sub`, the same for all devices of one user of the business backend (OpenID Connect Core §8, public).
    package let subject: String
    package let profile: ProfileClaims

    /// - Parameter kept: the subject that the account has had since its first grant; nil before that.
    package init(account: AccountID, userID: String?, kept: String? = nil, profile: ProfileClaims = .none) {
        subject = kept ?? userID ?? account.text
        self.profile = profile
    }
}
