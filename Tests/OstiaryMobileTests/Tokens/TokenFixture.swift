import Foundation
import OstiaryProtocol
import OstiaryTesting
import Synchronization

@testable import OstiaryMobile

/// A phone with stores in memory, a provider, and a person at a browser who says yes.
struct TokenFixture {
    static let redirectURL = URL(string: "com.example.timesheets:/cb")!
    static let byeURL = URL(string: "com.example.timesheets:/bye")!

    let clock: TestClock
    let server: TokenServer
    let documents: MemoryAccountStore
    let keys: MemoryKeyStore
    /// Of the turn of its processes.
    let leases: MemoryAccountStore
    var settings: TokenSettings

    init(bindsToDevice: Bool = true) throws {
        clock = TestClock()
        server = try TokenServer(clock: clock)
        (documents, keys, leases) = (MemoryAccountStore(), MemoryKeyStore(), MemoryAccountStore())
        settings = TokenSettings(
            issuer: TokenServer.issuer, clientID: "timesheets", audience: "https://api.example.com/timesheets",
            scope: "create:timesheets read:timesheets openid profile email offline_access", redirectURL: Self.redirectURL)
        settings.postLogoutRedirectURL = Self.byeURL
        settings.bindsToDevice = bindsToDevice
    }

    var browser: PersonAtBrowser { PersonAtBrowser { [server] in try server.authorize($0) } }

    /// A process of the app, or of one of its extensions, on these stores; one that ends where a wire trips.
    /// - Parameter waiting: the clock that it waits by; nil for that of all.
    func process(_ wire: Tripwire = Tripwire(steps: nil, isAfterEffect: false), waiting: (any DeviceClock)? = nil) -> TokenClient {
        var ports = Ports(
            keys: TrippedKeyStore(base: keys, wire: wire), accounts: MemoryAccountStore(), transport: TrippedTransport(base: server, wire: wire),
            clock: waiting ?? clock)
        ports.tokens = TrippedAccountStore(base: documents, wire: wire)
        ports.tokenLock = LeasedTokenLock(in: TrippedAccountStore(base: leases, wire: wire), clock: clock)
        return TokenClient(settings, ports: ports, source: nil, random: SystemRandomSource())
    }

    /// A process in which somebody is logged in.
    func loggedIn() async throws -> TokenClient {
        let client = process()
        try await client.logIn(in: browser)
        return client
    }

    /// The access token is over, and the refresh token is not.
    func passLife() { clock.advance(400) }

    var stored: StoredTokens {
        get throws { try StoredTokens(decoding: documents.document) }
    }

    /// Whether each key and secret has a name in the document, and nothing is listed to no purpose but what is to be destroyed.
    var isTidy: Bool {
        get throws {
            let stored = try stored
            let named = stored.logins + stored.ended
            let known = Set(named.map(\.secret) + named.compactMap(\.key) + stored.drafts.map(\.name) + stored.discarded)
            return Set(keys.names).isSubset(of: known)
        }
    }
}

/// A clock that stands still while somebody waits by it, however long others take.
struct StillClock: DeviceClock {
    let base: TestClock

    var wall: UInt64 { base.wall }
    var monotonic: UInt64 { base.monotonic }
    func sleep(seconds: Double) async { await Task.yield() }
}

/// A browser in which somebody does what a closure says.
struct PersonAtBrowser: WebBrowser {
    private struct Visit: BrowserVisit {
        let redirectURL: URL
        let answer: @Sendable (URL) throws -> URL

        func open(_ url: URL) async throws(BrowserError) -> URL {
            await Task.yield()
            do { return try answer(url) } catch { throw error as? BrowserError ?? .unavailable }
        }
    }

    let answer: @Sendable (URL) throws -> URL

    init(_ answer: @escaping @Sendable (URL) throws -> URL) { self.answer = answer }

    func visit(redirectURL: URL) async throws(BrowserError) -> any BrowserVisit { Visit(redirectURL: redirectURL, answer: answer) }
}
