import OstiaryProtocol
import OstiaryTokens

/// A client that showed who it is, as far as one that keeps no secret can.
package struct AuthenticatedClient: Sendable {
    package let application: Application
    /// The assertion that it came with, to be taken once.
    let assertion: SpentAssertion?

    fileprivate init(application: Application, assertion: SpentAssertion?) {
        self.application = application
        self.assertion = assertion
    }
}

struct SpentAssertion: Sendable {
    let key: [UInt8]
    let until: Instant
}

/// Whether a client is who it says (RFC 6749 §3.2.1). Verifies a signature, so it is asked outside every body that writes.
package struct ClientAuthentication: Sendable {
    /// Seconds by which clocks may differ.
    static let leeway: UInt64 = 10
    /// Seconds for which an assertion may be good at most.
    static let longestAssertion: UInt64 = 3_600

    package let issuer: String

    package init(issuer: String) { self.issuer = issuer }

    /// - Parameter application: what the store knows by the name that was presented.
    package func check(_ presented: PresentedClient, of application: Application?, at now: Instant) throws(ClientRefusal) -> AuthenticatedClient {
        guard let application, application.id == presented.id else { throw .unknown }
        guard application.isEnabled else { throw .disabled }
        switch (application.authentication, presented) {
        case (.none, .name): return AuthenticatedClient(application: application, assertion: nil)
        // By the header or in the body: a secret is a secret, and libraries choose for themselves.
        case (.basic, .secret(_, let secret)), (.post, .secret(_, let secret)):
            guard application.secrets.reduce(false, { $1.isOf(secret.text, at: now) || $0 }) else { throw .secretWrong }
            return AuthenticatedClient(application: application, assertion: nil)
        case (.privateKeyJWT, .assertion(_, let assertion)):
            return AuthenticatedClient(application: application, assertion: try check(assertion, of: application, at: now))
        case (.none, _), (.basic, _), (.post, _), (.privateKeyJWT, _): throw .methodWrong
        }
    }

    /// RFC 7523 §3, with the issuer for its one audience, as a string (FAPI 2.0 §5.3.2.1): the address of an endpoint may be one that another provider
    /// named to the client, and what is for two is for whoever hears it first.
    private func check(_ assertion: UnverifiedJWS, of application: Application, at now: Instant) throws(ClientRefusal) -> SpentAssertion {
        let claims: JSONObject
        do {
            claims = try assertion.verified(
                by: application.keys, as: .clientAssertion, allowing: application.mayAssertByRS256 ? [.es256, .edDSA, .rs256] : [.es256, .edDSA]
            )
            .claims
        } catch { throw .assertion(error) }
        guard claims["iss"]?.string == application.id.text, claims["sub"]?.string == application.id.text else { throw .issuerIsNotSubject }
        let (id, end) = try read(claims, at: now)
        guard let audience = claims["aud"]?.string, audience.isSame(as: issuer) else { throw .audienceWrong }
        guard end <= now + Self.longestAssertion else { throw .assertionTooLong }
        return SpentAssertion(key: Self.spentAs(id, by: application), until: end + Self.leeway)
    }

    /// Under what name a store remembers it: two servers may have a client of one name, and no space stands in a client's.
    private static func spentAs(_ id: String, by application: Application) -> [UInt8] {
        SHA(Array("assertion".utf8) + [0] + application.server.bytes + Array("\(application.id.text) \(id)".utf8))
    }

    private func read(_ claims: JSONObject, at now: Instant) throws(ClientRefusal) -> (id: String, end: Instant) {
        do {
            try claims.checkTimes(at: now, leeway: Self.leeway)
            return (try claims.text("jti"), try claims.moment("exp"))
        } catch { throw .assertionClaims(error) }
    }
}

extension SpentRows {
    /// Takes the client's assertion, once.
    func spend(_ client: AuthenticatedClient, by redemption: RedemptionID) throws {
        guard let assertion = client.assertion else { return }
        guard try spend(assertion.key, by: redemption, until: assertion.until) else { throw ClientRefusal.assertionReplayed }
    }
}
