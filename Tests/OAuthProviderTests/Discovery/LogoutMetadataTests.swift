import OAuthProvider
import OstiaryTokens
import Testing

@Suite("Discovery of logouts, OpenID Connect RP-Initiated Logout §2.1 and Back-Channel Logout §2.1")
struct LogoutMetadataTests {
    @Test("A client finds where it logs people out, and that it will be told of every session by name that ends elsewhere")
    func logout() {
        let json = ProviderMetadata(issuer: ProviderFixture.issuer).json
        #expect(json["end_session_endpoint"] == .string(ProviderPath.endSession.address(at: ProviderFixture.issuer)))
        #expect(json["backchannel_logout_supported"] == .bool(true) && json["backchannel_logout_session_supported"] == .bool(true))
    }
}
