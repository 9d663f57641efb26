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
@Suite("News between nodes as processes", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL is installed"), .timeLimit(.minutes(30)))
struct NewsOverProcessesTests {
    private static let hold: UInt8 = 25
    /// Sooner than anybody looks again.
    private static let longest = Duration.seconds(8)
    /// News take some milliseconds: a NOTIFY after the commit, a look into the row, and an answer. The rest is what a busy machine may make of that. There is no
    /// setting by which nodes look more rarely, so it is far below any time after which somebody may look: who hears nothing and looks every two seconds is so
    /// quick one time in four.
    private static let usual = Duration.milliseconds(500)
    private static let stops = 5
    /// Of a series. A node that hears every other batch late has three in time at most, in each series, and one that looks every two seconds has four, of polls
    /// and of streams, in one of 4,000 series; a busy machine has one series that is better, among so many.
    private static let enough = 4
    private static let mostSeries = 10

    /// How long one series of stops took to be heard of.
    private struct Delays {
        var polls: [Duration] = []
        var streams: [Duration] = []

        var isPrompt: Bool {
            [polls, streams].allSatisfy { delays in
                let prompt = delays.filter { $0 <= NewsOverProcessesTests.usual }
                return prompt.count >= NewsOverProcessesTests.enough
            }
        }
    }

    /// Mostly: a machine that stands still for a while makes some late.
    private static func areNews(_ series: [Delays]) -> Bool {
        let all = series.flatMap { $0.polls + $0.streams }
        return all.count { $0 >= Self.longest } * 10 <= all.count
    }

    /// Who hears of it at one node, and who stops at another.
    private struct Scene {
        let phone: FixturePhone
        let backend: DemoBackend
        let there: NodesFixture.Node
        let stopper: NodeCaller
    }

    @Test("A phone that waits at one node, and a page's stream there, hear of a stop at another at once, and not because they look again")
    func stop() async throws {
        let fixture = try await NodesFixture.running(["OSTIARY_LOG_LEVEL": "warning"])
        let (here, there) = (fixture.nodes[0], fixture.nodes[1])
        let backend = try await DemoBackend(fixture.layout)
        let person = Person(backend, TerminalPhone(home: fixture.folder.file("alice")))
        try await person.enrol(in: fixture.folder)
        let scene = Scene(
            phone: try FixturePhone.onNetwork(in: person.phone.home, transport: PinnedTransport(to: there)), backend: backend, there: there,
            stopper: NodeCaller(0, at: here, fixture, serverID: backend.serverID))
        var series: [Delays] = []
        repeat { series.append(try await Self.delays(scene)) } while !series.contains { $0.isPrompt } && series.count < Self.mostSeries
        #expect(Self.areNews(series), "\(series)")
        #expect(series.contains { $0.isPrompt }, "\(series)")
        try await fixture.stop()
    }

    private static func delays(_ scene: Scene) async throws -> Delays {
        var delays = Delays()
        for number in 0..<stops {
            // News of somebody else now and then: what comes late every other time would else be the login's each time, and never the stop's.
            if !number.isMultiple(of: 2) {
                let other = ManagementClient.newNonce()
                try await scene.stopper.drawCode(other)
                try await scene.stopper.logOut(other)
            }
            let heard = try await Self.delay(of: ManagementClient.newNonce(), scene)
            delays.polls.append(heard.poll)
            delays.streams.append(heard.stream)
        }
        return delays
    }

    private static func delay(of nonce: String, _ scene: Scene) async throws -> (poll: Duration, stream: Duration) {
        let phone = scene.phone
        let login = try await phone.logIn(try await scene.backend.loginCode(nonce, asPNG: false))
        let session = try #require(login.end.session, "\(login.end) \(login.answers)")
        let (shown, show) = AsyncStream.makeStream(of: Void.self)
        let address = scene.there.publicURL + (try await Self.events(of: nonce, scene.backend))
        async let told = Self.listen(address, show)
        // It tells first how it is.
        for await _ in shown { break }
        async let heard = Self.wait(phone, session)
        // Until it waits there. Nothing tells; what comes too late finds the stop at once, and is none of the slow.
        try await Task.sleep(for: .milliseconds(500))
        try await scene.stopper.logOut(nonce)
        let stopped = ContinuousClock.now
        let answer = try await heard
        #expect(answer.state == .stopped)
        let shownOver = try await told
        return (answer.moment - stopped, shownOver - stopped)
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
