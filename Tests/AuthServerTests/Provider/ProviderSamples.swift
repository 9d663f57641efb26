import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// Values of the provider with every field set, for stores to keep.
extension Sample {
    static let client = ClientID("shop-1")!
    static let api = APIIdentifier("https://api.example/things")!
    static let thumbprint = Thumbprint(text: Base64URL.encode(bytes(0x71)))!
    static func grantID(_ byte: UInt8) -> GrantID { GrantID(bytes(byte, 16))! }
    static func redemption(_ byte: UInt8) -> RedemptionID { RedemptionID(bytes(byte, 16))! }
    static func scopes(_ text: String) -> ScopeSet { (try? ScopeSet(parsing: text)) ?? [] }

    static func application(_ authentication: ClientAuthenticationMethod = .none, kind: Application.Kind = .native) -> Application {
        var application = Application(id: client, server: server, kind: kind, name: "Shop", authentication: authentication)
        application.apis = [api: scopes("read write")]
        application.grantTypes = [.authorizationCode, .refreshToken, .deviceCode]
        return application
    }

    static func fullApplication() throws -> Application {
        var application = application(.basic)
        application.siteURL = "https://shop.example"
        application.isFirstParty = true
        application.isEnabled = false
        application.redirectURIs = try ["com.example.shop:/cb", "http://127.0.0.1/cb", "https://shop.example/cb?a=b"].map {
            try RedirectURI(registering: $0, ofApp: true)
        }
        application.postLogoutRedirectURIs = ["https://shop.example/bye", "https://shop.example/a"]
        application.backchannelLogoutURI = "https://shop.example/logout"
        application.secrets = [ClientSecret(hash: bytes(1), expiresAt: nil), ClientSecret(hash: bytes(2), expiresAt: now + 9)]
        application.keys = JWKSet([try LocalSigner(.es256, stored: bytes(61)).key, try LocalSigner(.edDSA, stored: bytes(62)).key])
        application.apis[APIIdentifier("urn:other")!] = []
        application.serves = [api, APIIdentifier("urn:other")!]
        application.requiresDPoP = true
        application.requiresPushedRequests = true
        application.mayAssertByRS256 = false
        application.idTokenAlgorithm = .rs256
        application.backchannel = .ping("https://shop.example/ping")
        application.refreshLife = RefreshLife(absolute: 1_000, idle: 10)
        return application
    }

    static func protectedAPI(offline: Bool = true) -> ProtectedAPI {
        var protected = ProtectedAPI(identifier: api, server: server, name: "Things")
        protected.scopes = [APIScope(Scope("read")!, words: "read what you have"), APIScope(Scope("write")!, words: "change it")]
        protected.allowsOfflineAccess = offline
        return protected
    }

    static func grant(
        _ byte: UInt8, on session: UInt8, of account: UInt8, offline: Bool = false, api: APIIdentifier? = Sample.api,
        client: ClientID = Sample.client, asked: AskedClaims = .none
    ) -> Grant {
        let holder: GrantHolder = offline ? .device(accountID(account)) : .session(sessionID(session), accountID(account))
        return Grant(
            id: grantID(byte), server: server, client: client, holder: holder, scopes: scopes(offline ? "openid read offline_access" : "openid read"),
            api: api, authentication: AuthenticationClaims(time: now - 5, acr: "mfa", amr: ["mfa", "pin"]), nonce: "n-1",
            session: sessionID(session), createdAt: now, asked: asked)
    }

    static func code(_ byte: UInt8, for grant: Grant) throws -> AuthorizationCode {
        AuthorizationCode(
            hash: AuthorizationCode.hash(of: "code-\(byte)"), server: server, client: client, grant: grant.id, redirectURI: nil,
            challenge: try CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), boundKey: nil, expiresAt: now + AuthorizationCode.life)
    }

    /// Of RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    static func polled(
        _ byte: UInt8, _ way: PolledAuthorization.Way, state: PolledAuthorization.State = .pending, pinged: Bool = false, createdAt: Instant = now,
        client: ClientID = Sample.client, session: SessionID? = nil
    ) -> PolledAuthorization {
        let notification = PolledAuthorization.Notification(
            address: "https://shop.example/ping", token: StoredSecret(bytes(0x21)), requestID: StoredSecret(bytes(0x22)))
        return PolledAuthorization(
            hash: SHA("polled-\(byte)".utf8), server: server, client: client, way: way, scopes: scopes("openid read"), api: api,
            strengths: [.twoFactors, .phishingResistant], bindingMessage: "W4 – 12 €", createdAt: createdAt, life: 300, interval: 10,
            polledAt: createdAt + 1, polledBy: redemption(3), state: state, session: session,
            notification: pinged ? notification : nil)
    }
}
