import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("ID and logout tokens")
struct IDTokenTests {
    private func token(nonce: String?) -> IDTokenClaims {
        IDTokenClaims(
            issuer: TokenFixture.issuer, subject: "alice", clientID: "timesheets", issuedAt: TokenFixture.now,
            authentication: AuthenticationClaims(time: TokenFixture.now - 5, acr: "mfa", amr: ["pin"]), nonce: nonce, session: "session",
            profile: ProfileClaims(name: "Alice", email: "alice@example.com", isEmailVerified: true))
    }

    @Test("idt_nonce_echo, idt_nonce_absent_if_absent")
    func nonce() {
        #expect(token(nonce: "n-0S6").json["nonce"] == .string("n-0S6"))
        #expect(token(nonce: nil).json["nonce"] == nil)
    }

    @Test("idt_alg_none_never_unless_registered: there is no way to write one")
    func algorithms() {
        #expect(SignatureAlgorithm.allCases.map(\.rawValue) == ["ES256", "EdDSA", "RS256"])
    }

    @Test("An ID token says for whom it is, who logged in, when and how, and no more of the person than there is")
    func claims() {
        let json = token(nonce: nil).json
        #expect(json.names == ["iss", "sub", "aud", "iat", "exp", "auth_time", "acr", "amr", "sid", "name", "email", "email_verified"])
        #expect(json["aud"] == .string("timesheets"))
        #expect(json["exp"] == .integer(1_800_003_600))
        #expect(json["auth_time"] == .integer(1_799_999_995))
    }

    @Test("bcl_token_has_events_sid_no_nonce_typ: a logout token is told from every other")
    func logout() throws {
        let claims = LogoutTokenClaims(
            issuer: TokenFixture.issuer, clientID: "timesheets", subject: "alice", session: "session", issuedAt: TokenFixture.now, id: "one")
        let json = claims.json
        #expect(json["events"] == .object(JSONObject([LogoutTokenClaims.event: .object(JSONObject())])))
        #expect(json["sid"] == .string("session"))
        #expect(json["nonce"] == nil)
        let signer = try TokenFixture.es256()
        let text = try signer.sign(json, as: .logoutToken)
        #expect(try UnverifiedJWS(compact: text).header.type == "logout+jwt")
        #expect(TokenFixture.refusal(of: text, by: JWKSet([signer.key]), as: .idToken) == .typeWrong)
    }
}
