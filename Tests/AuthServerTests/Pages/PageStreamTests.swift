import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Login page, live", .timeLimit(.minutes(10)))
struct PageStreamTests {
    @Test("It shows a code at once, and with each look of the ticker what the code says in the next seconds")
    func showsFrames() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let screen = try await PageScreen(premises, cookie: try await browser.open())
            let first = try await screen.until("waiting")
            #expect(first.text("server") == "Timesheets")
            #expect(first.text("link")?.hasPrefix("https://login.example/l#") == true)
            let session = try await premises.session()
            #expect(try frames(of: first.object("code")) == premises.frames(of: session, from: 0))
            premises.clock.advance(5)
            var told = try #require(await screen.next())
            // What was on its way when the clock was moved is of before.
            while try frames(of: told.data) == premises.frames(of: session, from: 0) { told = try #require(await screen.next()) }
            #expect(told.name == "code")
            #expect(try frames(of: told.data) == premises.frames(of: session, from: 5))
            #expect(screen.states == ["waiting"])
        }
    }

    @Test("A page that waits costs the store a look in five seconds, and is told the code of the next five then and not more often")
    func asksSeldom() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let page = try await premises.pageRoutes.pages.page(PageClient.page(cookie), in: [.cookie: cookie], at: premises.clock.now)
            let stream = try await premises.pageRoutes.stream(of: page, isStill: false)
            _ = premises.questions.take()
            var writer: any ResponseBodyWriter = CodeCounter(enough: 10)
            await #expect(throws: Enough.self) { try await stream.write(to: &writer) }
            // Session and server, when it begins and ten times afterwards.
            #expect(premises.questions.take() == 22)
        }
    }

    @Test("Each frame is a link that the server takes as a moving one in its own second, and in none before; no seed is among what is told")
    func drawsLinks() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            premises.clock.advance(7)
            let (session, keys) = (try await premises.session(), premises.keyring.keys)
            let answer = try await browser.get("/pages/state", cookie: cookie)
            let told = try frames(of: JSONObject(answer.body).object("code"))
            #expect(told == premises.frames(of: session, from: 7) && told.count == 6)
            let secret = keys.derivation.linkSecret(of: session.id)
            #expect(!String(buffer: answer.body).contains(Base64URL.encode(secret)))
            let rule = LinkRule(serverTag: keys.root.tag, linkSecret: secret, staticAge: 0, refusesUnboundLinks: false, hasPage: true)
            for (second, bytes) in told.enumerated() {
                let (link, shown) = (try Encoded<LoginLink>(decoding: bytes), premises.clock.now + UInt64(second))
                #expect(try rule.binding(of: link, via: .scan, at: shown + 5) == .qrDynamic)
                #expect(throws: Refusal.linkOld) { try rule.binding(of: link, via: .scan, at: shown + 6) }
                #expect(throws: Refusal.linkEarly) { try rule.binding(of: link, via: .scan, at: shown - 3) }
            }
        }
    }

    /// The links that a page makes of what it is told.
    private func frames(of code: JSONObject?) throws -> [[UInt8]] {
        let bytes = try #require(code?.text("bytes").flatMap { Base64URL.decode($0) })
        let macs = try #require(code?.text("next").flatMap { Base64URL.decode($0) })
        try #require(bytes.count == LoginLink.count && macs.count % 8 == 0)
        let first = Int(bytes[26]) << 8 | Int(bytes[27])
        return [bytes]
            + (0..<macs.count / 8).map { index in
                let frame = first + index + 1
                return bytes[..<26] + [UInt8(frame >> 8), UInt8(frame & 0xFF)] + bytes[28..<29] + macs[8 * index..<8 * index + 8]
            }
    }

    @Test("A code that stands still stays the same until half of its time is over")
    func standsStill() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let screen = try await PageScreen(premises, cookie: try await browser.open(), isStill: true)
            #expect(try await screen.until("waiting").object("code")?.names == ["bytes"])
            premises.clock.advance(3)
            // Looks 3 and 6 bring signs of life, look 9 the next code: after 45 of 90 seconds.
            var texts: [String] = []
            for _ in 0..<3 { texts.append(try #require(await screen.nextText())) }
            #expect(texts[0].hasPrefix(":") && texts[1].hasPrefix(":"))
            #expect(texts[2].hasPrefix("event: code") && !texts[2].contains("next"))
        }
    }

    @Test("A code may stand still where it lives for two looks", arguments: [(0, false), (9, false), (10, true), (90, true)])
    func offersStill(age: Int, offers: Bool) async throws {
        let premises = try await PagesFixture()
        try await premises.update { $0.staticQRAge = age }
        try await premises.asBrowser { (browser) async throws in
            #expect(try await browser.state(try await browser.open()).bool("still") == offers)
        }
    }

    @Test("A scan leaves the code and puts a word beside it; the phone that takes the login takes the code away; then the page says where to go")
    func tellsLogin() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let screen = try await PageScreen(premises, cookie: try await browser.open(returnURL: "https://shop.example/welcome?a=b"))
            try await screen.until("waiting")
            try await premises.scan()
            let read = try await screen.until("waiting")
            #expect(read.bool("read") == true && read.object("code") != nil)
            try await premises.claim(account)
            let taken = try await screen.until("scanned")
            #expect(taken.object("code") == nil && taken.bool("read") == false)
            try await premises.logIn(account)
            let page = try await screen.until("loggedin")
            #expect(page.text("returnurl") == "https://shop.example/welcome?a=b")
            #expect(page.names.isDisjoint(with: ["userid", "accountid", "name", "code", "link"]))
            #expect(screen.states == ["waiting", "waiting", "scanned", "loggedin"])
        }
    }

    @Test("A refusal says whether the person had started the login", arguments: [(false, "denied"), (true, "notme")])
    func tellsRefusal(notMe: Bool, state: String) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let screen = try await PageScreen(premises, cookie: cookie)
            try await screen.until("waiting")
            try await premises.deny(account, notMe: notMe)
            try await screen.until(state)
            #expect(try await browser.state(cookie).text("state") == state)
            // It can begin again, and is another session then.
            let before = try await premises.session().id
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            #expect(try await browser.state(cookie).text("state") == "waiting")
            #expect(try await premises.session().id != before)
        }
    }

    @Test("A code that nobody used in time is old, also without any news of it")
    func tellsExpiry() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let screen = try await PageScreen(premises, cookie: try await browser.open())
            try await screen.until("waiting")
            premises.clock.advance(301)
            try await screen.until("expired")
        }
    }

    @Test("A login that the backend ends is over on the page too")
    func tellsLogout() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            try await premises.logIn(account)
            let screen = try await PageScreen(premises, cookie: cookie)
            try await screen.until("loggedin")
            _ = try await premises.asBackend { backend in try await backend.send(.post, backend.path("/sessions/logout")) }
            try await screen.until("over")
        }
    }

    @Test("The stream ends when the page's time is over, to the second, and when a clock that ran ahead as it began is put right")
    func endsInTime() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let screen = try await PageScreen(premises, cookie: try await browser.open())
            try await screen.until("waiting")
            premises.clock.advance(PageLifetime.page - 1)
            try await screen.until("expired")
            #expect(await screen.nextText() != nil, "it goes on")
            premises.clock.advance(1)
            await #expect(throws: ScreenEnded.self) { try await screen.until("never") }

            premises.clock.advance(864_000)
            let ahead = try await PageScreen(premises, cookie: try await browser.open())
            try await ahead.until("waiting")
            premises.clock.setBack(864_000)
            await #expect(throws: ScreenEnded.self) { try await ahead.until("never") }
        }
    }

    @Test("The stream ends when the server stops")
    func ends() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let old = try await PageScreen(premises, cookie: cookie)
            let open = try await PageScreen(premises, cookie: cookie)
            premises.drain.begin()
            await #expect(throws: ScreenEnded.self) { try await open.until("never") }
            await #expect(throws: ScreenEnded.self) { try await old.until("never") }
            while premises.events.listenerCount > 0 { await Task.yield() }
        }
    }

    @Test("A browser hears it as server-sent events that nothing keeps back")
    func isEventStream() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let events = try await browser.events("/pages/events", cookie: cookie, after: 0) {}
            #expect(events.first?.name == "page")
            while premises.events.listenerCount > 0 { await Task.yield() }
        }
    }

    @Test("Streams are bounded for one page, and a closed one gives its place back")
    func boundsStreams() async throws {
        let gate = StreamGate(limit: 3, perName: 2, perPeer: 3)
        var first = gate.enter("a", from: nil)
        let second = gate.enter("a", from: nil)
        #expect(gate.enter("a", from: nil) == nil)
        let third = gate.enter("b", from: nil)
        #expect(gate.enter("c", from: nil) == nil)
        #expect(gate.count == 3)
        first = nil
        #expect(gate.enter("a", from: nil) != nil)
        withExtendedLifetime((first, second, third)) {}
        #expect(gate.count == 2)
    }

    @Test(
        "Streams are bounded for one peer as connections are: for one address, and for one /64 of IPv6; others still find a place",
        arguments: [
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"),
            ("::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.2"),
        ])
    func boundsPeers(one: String, same: String, other: String) async throws {
        let (one, same, other) = (try peer(one), try peer(same), try peer(other))
        let gate = StreamGate(limit: 9, perName: 9, perPeer: 2)
        var first = gate.enter("a", from: one)
        let second = gate.enter("b", from: same)
        #expect(gate.enter("c", from: one) == nil && gate.enter("c", from: same) == nil)
        let third = gate.enter("a", from: other)
        #expect(third != nil && gate.count == 3)
        first = nil
        #expect(gate.enter("c", from: same) != nil)
        withExtendedLifetime((first, second, third)) {}
    }

    @Test("Who finds no place for a stream is a line of the log once, and it is one when there is room again; a page that has its own six is none")
    func tellsOperator() async throws {
        let log = LogRecorder()
        let gate = StreamGate(limit: 4, perName: 2, perPeer: 2, told: LimitLog(logger: log.logger(level: .info), listener: "public"))
        let (one, other) = (try peer("192.0.2.1"), try peer("192.0.2.2"))
        let own = [gate.enter("a", from: nil), gate.enter("a", from: nil)]
        #expect(gate.enter("a", from: nil) == nil && log.lines.isEmpty)
        var held = [gate.enter("b", from: one), gate.enter("c", from: one)]
        for _ in 0..<100 { #expect(gate.enter("d", from: other) == nil) }
        #expect(log.lines.map(\.message) == ["limit met: \(LimitLog.Limit.streams.rawValue)"])
        #expect(log.lines.first?.level == .warning && log.lines.first?.facts["limit"] == "4")
        withExtendedLifetime(held) {}
        held = []
        #expect(log.lines.map(\.level) == [.warning, .notice] && log.lines.last?.message.hasPrefix("limit is over: as many event streams") == true)
        withExtendedLifetime(own) {}

        let peers = LogRecorder()
        let wide = StreamGate(limit: 40, perName: 40, perPeer: 2, told: LimitLog(logger: peers.logger(level: .info), listener: "public"))
        held = [wide.enter("a", from: one), wide.enter("b", from: one)]
        for _ in 0..<100 { #expect(wide.enter("c", from: one) == nil) }
        #expect(peers.lines.map(\.message) == ["limit met: \(LimitLog.Limit.peerStreams.rawValue)"])
        #expect(peers.lines.first?.facts["peer"] == "\(one)" && peers.lines.first?.facts["limit"] == "2")
        withExtendedLifetime(held) {}
        held = []
        #expect(peers.lines.map(\.level) == [.warning, .notice])
    }

    @Test("An open stream holds its place until it ends, and an address that has all of its places gets no stream")
    func holdsPlaces() async throws {
        let premises = try await PagesFixture()
        let routes = premises.pageRoutes
        let (cookie, uris) = try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let (page, session) = (try #require(PageClient.page(cookie)), try #require(try await premises.session().stream))
            _ = try await browser.events("/pages/events", cookie: cookie, after: 2) { #expect(routes.pageGate.count == 1) }
            let uris = ["/pages/events?page=\(page)", "/sessions/events?server=\(premises.serverID.text)&session=\(session.text)"]
            return (cookie, uris)
        }
        while routes.pageGate.count > 0 { await Task.yield() }
        let here = try peer("127.0.0.1")
        var held: [StreamGate.Place?] = []
        for number in 0..<2_000 {
            held.append(routes.pageGate.enter("\(number)", from: here))
            held.append(routes.eventGate.enter("\(number)", from: here))
        }
        let address = ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0))
        try await Application(responder: premises.publicResponder, configuration: address).test(.live) { (client) async throws in
            for uri in uris {
                let answer = try await client.execute(uri: uri, method: .get, headers: [.cookie: cookie])
                #expect(answer.status == .serviceUnavailable && JSONObject(answer.body).text("error") == "busy", "\(uri)")
            }
        }
        let told = premises.log.lines("limit met: \(LimitLog.Limit.peerStreams.rawValue)")
        #expect(told.map(\.facts["route"]) == ["/pages/events", "/sessions/events"] && told.allSatisfy { $0.facts["listener"] == "public" })
        withExtendedLifetime(held) {}
    }

    private func peer(_ address: String) throws -> Peer { try #require(Peer(try SocketAddress(ipAddress: address, port: 4_000))) }

    @Test("However often strangers look at a code, a page is woken by it once a tick, and what they cannot say still reaches it")
    func boundsScans() async throws {
        let hub = SessionEventHub()
        let topic = EventTopic.stream(StreamID(using: SystemRandomSource()))
        let signals = PageSignals(of: [topic], events: hub, ticker: PageTicker(every: .seconds(3_600)), drain: DrainSignal())
        for _ in 0..<20 { hub.publish(SessionNews(.scanned, topics: [topic])) }
        hub.publish(SessionNews(.claimed, topics: [topic]))
        var heard: [SessionNews.Kind] = []
        for await signal in signals.stream {
            if case .news(let news) = signal { heard.append(news.kind) }
            if heard.last == .claimed { break }
        }
        signals.end()
        #expect(heard == [.scanned, .claimed])
    }

    @Test("A server that stops still tells a stream what had happened by then")
    func stopping() async throws {
        let hub = SessionEventHub()
        for _ in 0..<100 {
            let (topic, drain) = (EventTopic.stream(StreamID(using: SystemRandomSource())), DrainSignal())
            let signals = PageSignals(of: [topic], events: hub, ticker: PageTicker(every: .seconds(3_600)), drain: drain)
            for kind in [.claimed, .cancelled(notMe: true)] as [SessionNews.Kind] { hub.publish(SessionNews(kind, topics: [topic])) }
            drain.begin()
            var heard: [SessionNews.Kind] = []
            for await signal in signals.stream { if case .news(let news) = signal { heard.append(news.kind) } }
            #expect(heard == [.claimed, .cancelled(notMe: true)])
        }
    }

    @Test("After a tick the next look wakes it again")
    func ticks() async throws {
        let hub = SessionEventHub()
        let topic = EventTopic.stream(StreamID(using: SystemRandomSource()))
        let signals = PageSignals(of: [topic], events: hub, ticker: PageTicker(every: .milliseconds(4)), drain: DrainSignal())
        var scans = 0
        hub.publish(SessionNews(.scanned, topics: [topic]))
        for await signal in signals.stream {
            switch signal {
            case .news: scans += 1
            case .tick: hub.publish(SessionNews(.scanned, topics: [topic]))
            case .displaced: break
            }
            if scans == 2 { break }
        }
        signals.end()
        #expect(scans == 2)
    }
}

/// Ends a stream after so many codes.
private struct CodeCounter: ResponseBodyWriter {
    let enough: Int
    private var codes = 0

    init(enough: Int) { self.enough = enough }

    mutating func write(_ buffer: ByteBuffer) async throws {
        codes += PageEvent.all(in: String(buffer: buffer)).filter { $0.name == "code" }.count
        guard codes < enough else { throw Enough() }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

private struct Enough: Error {}
