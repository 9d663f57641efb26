import Authentication
import HTTPService
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

/// Nothing is written to a stream here but news: a tick of its clock is an hour.
@Suite("Places of event streams", .timeLimit(.minutes(5)))
struct StreamPlaceTests {
    /// What asks for the streams of a page and of its session, and where their places are.
    private struct Asked: Sendable {
        let page: String
        let session: String

        init(at premises: PagesFixture) async throws {
            let cookie = try await premises.asBrowser { (browser) async throws in try await browser.open() }
            let name = try #require(PageClient.page(cookie))
            let stream = try #require(try await premises.session().stream)
            page = "GET /pages/events?page=\(name) HTTP/1.1\r\nHost: a\r\nCookie: \(cookie)\r\n\r\n"
            session = "GET /sessions/events?server=\(premises.serverID.text)&session=\(stream.text) HTTP/1.1\r\nHost: a\r\n\r\n"
        }
    }

    /// What the first event of a stream ends with.
    private static let endOfEvent = "}\n\n\r\n"
    /// What a stream ends with.
    private static let end = "\r\n0\r\n\r\n"

    /// A stream that is let in and has told `first`, all of which was read.
    private static func open(_ ask: String, at port: Int, until first: String) async throws -> RawClient {
        let client = try await onOwnThread { try RawClient(port: port) }
        let head = await onOwnThread {
            client.send(Array(ask.utf8))
            return client.hear("\r\n\r\n")
        }
        try #require(head.hasPrefix("HTTP/1.1 200 "), "\(head)")
        let told = await onOwnThread { client.hear(Self.endOfEvent) }
        try #require(told.contains(first), "\(told)")
        return client
    }

    @Test(
        "Who has gone has given the place back, of a page and of a session, and nothing is kept for it: the server waits for no sign of life that fails",
        arguments: RawClient.Leaving.allCases)
    func givesBack(way: RawClient.Leaving) async throws {
        let premises = try await PagesFixture(tick: .seconds(3_600))
        let asked = try await Asked(at: premises)
        let routes = premises.pageRoutes
        try await premises.publicListener.whileOpen(drain: premises.drain, logging: premises.log) { port in
            for (ask, first, gate) in [(asked.page, "event: page", routes.pageGate), (asked.session, "event: LOGOUT", routes.eventGate)] {
                let client = try await Self.open(ask, at: port, until: first)
                #expect(gate.count == 1 && premises.events.listenerCount > 0 && routes.ticker.count == 1)
                await onOwnThread { client.leave(way) }
                while gate.count > 0 || premises.events.listenerCount > 0 || routes.ticker.count > 0 { await Task.yield() }
                guard way == .halfClosing else { continue }
                let told = await onOwnThread { client.hear(Self.end) }
                #expect(told.hasSuffix(Self.end), "\(told)")
            }
        }
    }

    @Test("A newer stream than a session has places for is let in and hears what happens; the oldest ends, and is told when to come back")
    func letsInNewer() async throws {
        let premises = try await PagesFixture(tick: .seconds(3_600))
        let asked = try await Asked(at: premises)
        let gate = premises.pageRoutes.eventGate
        try await premises.publicListener.whileOpen(drain: premises.drain, logging: premises.log) { port in
            var clients: [RawClient] = []
            for _ in 0..<17 { clients.append(try await Self.open(asked.session, at: port, until: "event: LOGOUT")) }
            let oldest = clients.removeFirst()
            let told = await onOwnThread { oldest.hear(Self.end) }
            #expect(told.hasSuffix("retry: 10000\n\n" + Self.end), "\(told)")
            #expect(gate.count == 16)
            try await premises.scan()
            for client in clients {
                let told = await onOwnThread { client.hear("event: CONFIRMSCAN") }
                #expect(told.contains("event: CONFIRMSCAN") && !told.contains("retry: 10000"), "\(told)")
            }
            // It comes back, hears how it is, and takes the place of the next.
            _ = try await Self.open(asked.session, at: port, until: "event: LOGOUT")
            let next = clients.removeFirst()
            let ended = await onOwnThread { next.hear(Self.end) }
            #expect(ended.hasSuffix("retry: 10000\n\n" + Self.end), "\(ended)")
        }
    }

    @Test("A page that has its own six is refused a seventh, as it asks by itself then, and those that it has go on")
    func refusesPages() async throws {
        let premises = try await PagesFixture(tick: .seconds(3_600))
        let asked = try await Asked(at: premises)
        let gate = premises.pageRoutes.pageGate
        try await premises.publicListener.whileOpen(drain: premises.drain, logging: premises.log) { port in
            var clients: [RawClient] = []
            for _ in 0..<6 { clients.append(try await Self.open(asked.page, at: port, until: "event: page")) }
            let answer = try await onOwnThread { try RawClient(port: port).ask(asked.page) }
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains(#""error":"busy""#), "\(answer)")
            try await premises.scan()
            for client in clients {
                let told = await onOwnThread { client.hear(#""read":true"#) }
                #expect(told.contains(#""read":true"#), "\(told)")
            }
            #expect(gate.count == 6)
        }
    }

    @Test("Room for a newer stream is made by the oldest of whoever has most: who is at one address takes none from somebody who has fewer")
    func shares() throws {
        let gate = StreamGate(limit: 99, perName: 4, perPeer: 50, givesWay: true)
        let (person, stranger, third) = (try peer("192.0.2.1"), try peer("192.0.2.2"), try peer("192.0.2.3"))
        let lost = LostPlaces()
        var held = [try lost.watched(gate.enter("a", from: person), "own")]
        for number in 0..<20 { held.append(try lost.watched(gate.enter("a", from: stranger), "\(number)")) }
        #expect(lost.names == (0..<17).map { "\($0)" } && gate.count == 4)
        // Of three and one, of two and two with one more, and of two and two beside a third.
        for (name, address, loser) in [("second", person, "17"), ("20", stranger, "18"), ("other", third, "own")] {
            held.append(try lost.watched(gate.enter("a", from: address), name))
            #expect(lost.names.last == loser && gate.count == 4, "\(name)")
        }
        #expect(lost.names.count == 20)
        withExtendedLifetime(held) {}
    }

    @Test("A place that was lost is told, also to who asks late, and is not given back a second time; other limits stay")
    func countsOnce() throws {
        let gate = StreamGate(limit: 2, perName: 1, perPeer: 2, givesWay: true)
        let (here, there) = (try peer("192.0.2.1"), try peer("192.0.2.2"))
        let first = try #require(gate.enter("a", from: here))
        let second = try #require(gate.enter("a", from: here))
        let lost = LostPlaces()
        _ = try lost.watched(first, "first")
        #expect(lost.names == ["first"])
        for _ in 0..<2 { first.leave() }
        #expect(gate.count == 1)
        // All places are taken: a name may have its own anew, and no other gets one.
        let third = try #require(gate.enter("b", from: here))
        #expect(gate.enter("c", from: there) == nil)
        _ = try lost.watched(second, "second")
        #expect(lost.names == ["first"])
        let fourth = try #require(gate.enter("a", from: here))
        #expect(lost.names == ["first", "second"] && gate.count == 2)
        for place in [first, second, third, fourth] { place.leave() }
        #expect(gate.count == 0)
        // The peer has all of its own again.
        let again = [gate.enter("d", from: here), gate.enter("e", from: here)]
        #expect(again.allSatisfy { $0 != nil })
        withExtendedLifetime(again) {}
    }

    private func peer(_ address: String) throws -> Peer { try #require(Peer(try SocketAddress(ipAddress: address, port: 4_000))) }
}

/// Which places were lost, in order.
private final class LostPlaces: Sendable {
    private let state = Mutex<[String]>([])

    var names: [String] { state.withLock { $0 } }

    /// The place, which is known here by a name.
    func watched(_ place: StreamGate.Place?, _ name: String) throws -> StreamGate.Place {
        let held = try #require(place)
        held.whenLost { self.state.withLock { $0.append(name) } }
        return held
    }
}
