import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryMobile
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

/// The SDK's client of tokens at the real provider: browser, forms and proofs are what apps send, and what looks at them is what apps meet.
@Suite("An app with tokens, by the SDK and the provider", .timeLimit(.minutes(10)))
struct AppWithTokensTests {
    /// How many of the next answers of the token endpoint are lost on their way.
    private final class Losses: Sendable {
        private let left = Mutex(0)

        func lose(_ count: Int) { left.withLock { $0 = count } }

        func takesOne() -> Bool {
            left.withLock { left in
                guard left > 0 else { return false }
                left -= 1
                return true
            }
        }
    }

    /// The way from the app to the provider.
    private struct Wire: Transport {
        let client: any TestClientProtocol
        let losses: Losses

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            var headers: HTTPFields = [:]
            for (name, value) in request.fields { if let name = HTTPField.Name(name) { headers[name] = value } }
            let isForToken = request.url.path == "/oauth/token"
            let response: TransportResponse
            do {
                let answer = try await client.execute(
                    uri: request.url.path, method: request.body == nil ? .get : .post, headers: headers,
                    body: request.body.map { ByteBuffer(bytes: $0) })
                response = TransportResponse(
                    status: answer.status.code, body: Array(buffer: answer.body),
                    fields: request.told(of: answer.headers.map { (name: $0.name.rawName, value: $0.value) }))
            } catch { throw .unreachable }
            guard !isForToken || !losses.takesOne() else { throw .unreachable }
            return response
        }
    }

    /// A device whose clock is that of the servers.
    private struct DeviceAtServer: DeviceClock {
        let clock: OstiaryTesting.TestClock

        var wall: UInt64 { clock.now.seconds }
        var monotonic: UInt64 { clock.now.seconds }
        func sleep(seconds: Double) async { await Task.yield() }
    }

    /// The system's browser, in which a person does what a test says.
    private struct SystemBrowser: WebBrowser {
        struct Visit: BrowserVisit {
            let redirectURL: URL
            let person: @Sendable (String) async throws -> String?

            func open(_ url: URL) async throws(BrowserError) -> URL {
                do {
                    let address = try await person(url.absoluteString)
                    return try #require(address.flatMap { URL(string: $0) })
                } catch {
                    Issue.record(error)
                    throw .unavailable
                }
            }
        }

        let person: @Sendable (String) async throws -> String?

        func visit(redirectURL: URL) async throws(BrowserError) -> any BrowserVisit { Visit(redirectURL: redirectURL, person: person) }
    }

    private struct App: Sendable {
        let client: TokenClient
        let browser: Browser
        let losses: Losses
        let systemBrowser: SystemBrowser
        /// The operator blocks Alice's account.
        let block: @Sendable () async throws -> Void

        func logIn() async throws -> TokenCredentials { try await client.logIn(in: systemBrowser) }

        func userInfo(_ token: FreshToken) async throws -> Int { try await userInfo(with: try fields(of: token)) }

        /// What goes with a question about the person: once, where there is a proof in it.
        func fields(of token: FreshToken) throws -> HTTPFields {
            let url = try #require(URL(string: "\(AuthorizeFixture.origin)/userinfo"))
            var headers: HTTPFields = [:]
            for (name, value) in try token.fields(method: "GET", url: url) { if let name = HTTPField.Name(name) { headers[name] = value } }
            return headers
        }

        func userInfo(with headers: HTTPFields) async throws -> Int {
            try await browser.client.execute(uri: "/userinfo", method: .get, headers: headers, body: nil).status.code
        }
    }

    /// Alice's app, whose scheme is its own: the provider asks her each time.
    private func run(
        bindsToDevice: Bool, allow: Bool = true, _ body: @Sendable @escaping (App, AuthorizeFixture) async throws -> Void
    ) async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        let folder = try TemporaryFolder()
        try await fixture.run { (browser) async throws in
            let losses = Losses()
            let ports = try Ports.files(
                in: folder.file("phone"), transport: Wire(client: browser.client, losses: losses), clock: DeviceAtServer(clock: fixture.clock))
            var settings = TokenSettings(
                issuer: AuthorizeFixture.origin, clientID: "app", audience: "https://api.example/things", scope: "openid profile read offline_access",
                redirectURL: URL(string: "com.example.app:/cb"))
            settings.bindsToDevice = bindsToDevice
            let person = SystemBrowser { address in
                let back = try await browser.logIn(try await browser.get(browser.path(address)), as: alice)
                let (asked, visit) = try await browser.question(back)
                return JSONObject(try await browser.decide(visit, asked.text("mark"), allow: allow).body).text("location")
            }
            let app = App(client: TokenClient(settings, ports: ports), browser: browser, losses: losses, systemBrowser: person) {
                try await fixture.block(alice)
            }
            try await body(app, fixture)
        }
    }

    @Test("S3-17…40, 42, 44…49 an app logs in, has a profile and scopes, calls with its token, renews it, and revokes it", arguments: [true, false])
    func journey(_ bindsToDevice: Bool) async throws {
        try await run(bindsToDevice: bindsToDevice) { (app, fixture) async throws in
            let given = try await app.logIn()
            #expect(given.profile?.subject == "alice" && given.profile?.name == "alice")
            #expect(given.hasScope("read") && !given.hasScope("write") && given.isLasting && given.isBound == bindsToDevice)
            let first = try await app.client.freshToken()
            #expect(first.kind == (bindsToDevice ? .dpop : .bearer))
            #expect(try await app.userInfo(first) == 200)
            fixture.clock.advance(90_000)
            #expect(try await app.userInfo(first) == 401, "it is over")
            let second = try await app.client.freshToken()
            #expect(try await app.userInfo(second) == 200)
            // Afterwards a bound one has no key, and can be shown by nobody.
            let kept = try app.fields(of: second)
            try await app.client.revoke()
            #expect(try await app.userInfo(with: kept) == 401)
            if bindsToDevice { #expect(throws: TokenError.notLoggedIn) { try app.fields(of: second) } }
            await #expect(throws: TokenError.notLoggedIn) { try await app.client.freshToken() }
        }
    }

    @Test("rt_lost_response_retry: answers of refreshes are lost again and again, and nobody is logged out", arguments: [true, false])
    func lostAnswers(_ bindsToDevice: Bool) async throws {
        try await run(bindsToDevice: bindsToDevice) { (app, fixture) async throws in
            _ = try await app.logIn()
            for lost in [1, 3, 2, 4] {
                fixture.clock.advance(90_000)
                app.losses.lose(lost)
                #expect(try await app.userInfo(try await app.client.freshToken()) == 200)
            }
        }
    }

    @Test("The answer to a code is lost: the code is not sent again, and nobody is logged in")
    func lostCode() async throws {
        try await run(bindsToDevice: true) { (app, _) async throws in
            app.losses.lose(1)
            await #expect(throws: TokenError.codeSpent) { try await app.logIn() }
            #expect(try await app.client.credentials() == nil)
        }
    }

    @Test("A person who says no in the browser has let the app do nothing, and the app knows that it was a no")
    func denied() async throws {
        try await run(bindsToDevice: true, allow: false) { (app, _) async throws in
            await #expect(throws: TokenError.denied) { try await app.logIn() }
        }
    }

    @Test("A block of the account is the end of the app's login, and it is told to log in again")
    func ended() async throws {
        try await run(bindsToDevice: true) { (app, fixture) async throws in
            _ = try await app.logIn()
            try await app.block()
            fixture.clock.advance(90_000)
            await #expect(throws: TokenError.loginOver) { try await app.client.freshToken() }
            #expect(try await app.client.credentials() == nil)
        }
    }
}
