import Foundation
import OstiaryMobile
import Synchronization
import Testing

/// Mobile + API (S3), the mobile app: what the document has it do, step by step.
struct MobileAPICalls: Sendable {
    let client: TokenClient

    /// “Authorize the User” and “Get the Credentials”.
    static func settings() -> TokenSettings {
        var settings = TokenSettings(
            issuer: "https://login.example", clientID: "timesheets-mobile", audience: "https://api.exampleco.com/timesheets",
            scope: "create:timesheets read:timesheets openid profile email offline_access", redirectURL: URL(string: "com.exampleco.timesheets:/cb"))
        // The API of the document takes Bearer.
        settings.bindsToDevice = false
        return settings
    }

    func logIn(_ browser: any WebBrowser) async throws -> TokenCredentials { try await client.logIn(in: browser) }

    /// “Get the User Profile”.
    func profile() async throws -> (name: String?, email: String?, picture: URL?) {
        guard let profile = try await client.credentials()?.profile else { return (nil, nil, nil) }
        return (profile.name, profile.email, profile.picture)
    }

    /// “Display UI Elements Conditionally Based on Scope”.
    func showsApproval() async -> Bool { await client.hasScope("approve:timesheets") }

    /// “Call the API” and “Renew the Token”: the token is renewed before its end, and after a 401.
    func timesheets(_ call: @Sendable (_ fields: [String: String]) async throws -> (status: Int, body: [UInt8])) async throws -> [UInt8] {
        let url = try #require(URL(string: "https://api.exampleco.com/timesheets"))
        return try await client.performWithFreshToken { token in
            let (status, body) = try await call(try token.fields(method: "GET", url: url))
            guard status != 401 else { throw AccessTokenRefused() }
            return body
        }
    }

    /// “If Refresh Tokens are compromised or you no longer need them, you can revoke”.
    func revoke() async throws { try await client.revoke() }

    func logOut(_ browser: any WebBrowser) async throws { try await client.logOut(in: browser) }

    /// What to do when something failed.
    func screen(after error: TokenError) -> String {
        switch error.advice {
        case .retryLater: "again"
        case .logIn: "login"
        case .askUser: "help"
        case .askDeveloper: "report"
        case .nothing: "start"
        }
    }
}

@Suite("The documents' calls: mobile and API")
struct MobileAPICallTests {
    /// A provider of which nothing but the metadata can be read.
    private struct Metadata: Transport {
        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            guard request.url.absoluteString == "https://login.example/.well-known/openid-configuration" else { throw .unreachable }
            let text = """
                {"issuer":"https://login.example","authorization_endpoint":"https://login.example/authorize",
                 "token_endpoint":"https://login.example/oauth/token","jwks_uri":"https://login.example/keys","code_challenge_methods_supported":["S256"]}
                """
            return TransportResponse(status: 200, body: Array(text.utf8))
        }
    }

    /// A browser that shows the address to a test, and is closed.
    private final class Shown: WebBrowser {
        private struct Visit: BrowserVisit {
            let redirectURL: URL
            let shown: Shown

            func open(_ url: URL) async throws(BrowserError) -> URL {
                shown.address.withLock { $0 = url }
                throw .cancelled
            }
        }

        let address = Mutex<URL?>(nil)

        func visit(redirectURL: URL) async throws(BrowserError) -> any BrowserVisit { Visit(redirectURL: redirectURL, shown: self) }
    }

    private func app() throws -> (MobileAPICalls, home: URL) {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-calls-\(UUID())")
        let ports = try Ports.files(in: home.path, transport: Metadata())
        var settings = MobileAPICalls.settings()
        settings.patience = .zero
        return (MobileAPICalls(client: TokenClient(settings, ports: ports)), home)
    }

    @Test("S3-17…27, 41, 43, 45 the calls are there, and the browser is sent where the document says; without a login there is nothing to show")
    func calls() async throws {
        let (app, home) = try app()
        defer { try? FileManager.default.removeItem(at: home) }
        let browser = Shown()
        await #expect(throws: TokenError.cancelled) { try await app.logIn(browser) }
        let shown = try #require(browser.address.withLock { $0 })
        let items = try #require(URLComponents(url: shown, resolvingAgainstBaseURL: false)?.queryItems)
        let asked = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
        #expect(shown.host == "login.example" && shown.path == "/authorize")
        #expect(asked["client_id"] == "timesheets-mobile" && asked["audience"] == "https://api.exampleco.com/timesheets")
        #expect(asked["scope"] == "create:timesheets read:timesheets openid profile email offline_access")
        #expect(asked["response_type"] == "code" && asked["code_challenge"]?.count == 43 && asked["code_challenge_method"] == "S256")
        #expect(asked["redirect_uri"] == "com.exampleco.timesheets:/cb" && asked["dpop_jkt"] == nil)

        #expect(try await app.profile() == (nil, nil, nil))
        #expect(await !app.showsApproval())
        await #expect(throws: TokenError.notLoggedIn) { try await app.timesheets { _ in (200, []) } }
        try await app.revoke()
        await #expect(throws: TokenError.settings(.redirectURL)) { try await app.logOut(browser) }
        #expect(app.screen(after: .loginOver) == "login" && app.screen(after: .serverConnection) == "again")
        #expect(app.screen(after: .cancelled) == "start" && app.screen(after: .refused(.invalidTarget)) == "report")
    }
}
