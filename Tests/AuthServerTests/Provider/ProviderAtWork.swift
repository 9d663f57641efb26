import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@testable import AuthServer

/// The keys of one server, for tests of its store.
private struct FixedKeyring: TokenKeyring {
    private let tokenKeys: TokenKeys

    init() throws {
        let signer = try LocalSigner(.es256, stored: Sample.bytes(31))
        tokenKeys = TokenKeys(issuer: "https://login.example", signers: [signer], published: JWKSet([signer.key]), secret: ProviderAtWork.secret)
    }

    func keys(of server: ServerID) async throws -> TokenKeys { tokenKeys }
}

/// The services of the provider over a store of a test, half a minute after everything in it began.
struct ProviderAtWork: Sendable {
    static let moment = Sample.now + 30
    /// Of which refresh tokens are derived.
    static let secret = Sample.bytes(33)

    let fixture: ProviderStoreFixture
    let services: OAuthServices

    /// - Parameter devices: codes that may wait.
    init(_ fixture: ProviderStoreFixture, devices: WaitingLimit = .devices) throws {
        self.fixture = fixture
        services = OAuthServices(store: fixture.store, keyring: try FixedKeyring(), random: SystemRandomSource(), devices: devices)
    }

    func answer(_ parameters: [Parameter]) async throws -> TokenResponse {
        let call = TokenCall(
            server: Sample.server, method: "POST", contentType: "application/x-www-form-urlencoded",
            parameters: [Parameter("client_id", Sample.client.text)] + parameters,
            target: try #require(HTTPTarget("https://login.example/oauth/token")))
        return try await services.token.answer(call, at: Self.moment)
    }
}
