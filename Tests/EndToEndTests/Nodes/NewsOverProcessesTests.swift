import AsyncHTTPClient
import Foundation
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

/// What `NewsOverNodesTests` shows of nodes in one process, with the time that it takes between real ones. Who hears of nothing looks again: a phone after the
/// 25 seconds for which it waits, a stream of session events ten to fifteen seconds after it was opened.
@Suite("News between nodes as processes", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL is installed"), .timeLimit(.minutes(10)))
struct NewsOverProcessesTests {
    private static let hold: UInt8 = 25
    /// Sooner than anybody looks again.
    private static let longest = Duration.seconds(8)
    private static let usual = Duration.seconds(1)
    private static let stops = 5

    @Test("A phone that waits at one node, and a page's stream there, hear of a stop at another within a second, and never because they look again")
    func stop() async throws {
        let fixture = try await NodesFixture.running(["OSTIARY_LOG_LEVEL": "warning"])
        let (here, there) = (fixture.nodes[0], fixture.nodes[1])
        let backend = try await DemoBackend(fixture.layout)
        let person = Person(backend, TerminalPhone(home: fixture.folder.file("alice")))
        try await person.enrol(in: fixture.folder)
        let phone = try FixturePhone.onNetwork(in: person.phone.home, transport: PinnedTransport(to: there))
        let stopper = NodeCaller(0, at: here, fixture, serverID: backend.serverID)
        var (polls, streams) = ([Duration](), [Duration]())
        for _ in 0..<Self.stops {
            let nonce = ManagementClient.newNonce()
            let login = try await phone.logIn(try await backend.loginCode(nonce, asPNG: false))
            let session = try #require(login.end.session, "\(login.end) \(login.answers)")
            let (shown, show) = AsyncStream.makeStream(of: Void.self)
            let address = there.publicURL + (try await Self.events(of: nonce, backend))
            async let told = Self.listen(address, show)
            // It tells first how it is.
            for await _ in shown { break }
            async let heard = Self.wait(phone, session)
            // Until it waits there. Nothing tells; what comes too late finds the stop at once, and is none of the slow.
            try await Task.sleep(for: .milliseconds(500))
            try await stopper.logOut(nonce)
            let stopped = ContinuousClock.now
            let answer = try await heard
            #expect(answer.state == .stopped)
            polls.append(answer.moment - stopped)
            streams.append(try await told - stopped)
        }
        for delays in [polls, streams] {
            #expect(delays.allSatisfy { $0 < Self.longest }, "polls \(polls), streams \(streams)")
            // Two of them: a busy machine may keep the others.
            #expect(delays.sorted()[1] <= Self.usual, "polls \(polls), streams \(streams)")
        }
        try await fixture.stop()
    }

    /// Where the events of a session are told.
    private static func events(of nonce: String, _ backend: DemoBackend) async throws -> String {
        let status = try await backend.client.call("GET", "/servers/\(backend.serverID)/sessions/", nonce: nonce)
        let name = try #require(try JSONLine(String(decoding: status, as: UTF8.self))["hsid"]?.string)
        return "/sessions/events?server=\(backend.serverID)&session=\(name)"
    }

    /// A phone waits until its session is over, as apps do: news of something else ends one wait, and the next begins.
    private static func wait(_ phone: FixturePhone, _ session: Session) async throws -> (state: Presence, moment: ContinuousClock.Instant) {
        var state = Presence.loggedIn
        while state == .loggedIn { state = try await phone.ostiary.core(for: .system).engine.pingAnswer(session.id, hold: hold).state }
        return (state, .now)
    }

    /// Listens until a stream tells of the end.
    /// - Parameter shown: is told of the login.
    private static func listen(_ address: String, _ shown: AsyncStream<Void>.Continuation) async throws -> ContinuousClock.Instant {
        defer { shown.finish() }
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: address), timeout: .seconds(60))
        var text = ""
        for try await part in response.body {
            text += String(buffer: part)
            if text.contains("LOGOUT") { return .now }
            if text.contains("LOGIN") { shown.yield() }
        }
        throw Timeout(description: "\(response.status): the stream has ended, and told \(text)")
    }
}
