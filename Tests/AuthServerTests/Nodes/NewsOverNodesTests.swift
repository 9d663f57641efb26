import Authentication
import Database
import HTTPService
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Nothing but news ends the waits of these tests: a second of a waiting phone, and of the ticker, is ten minutes.
@Suite("News between nodes", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(10)))
struct NewsOverNodesTests {
    /// A phone that is logged in, by a nonce.
    private func loggedIn(_ nodes: NodesFixture) async throws -> (phone: EnrolledPhone, session: SessionID, nonce: SessionNonce) {
        let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
        nodes.clock.advance(61)
        let nonce = try nodes[0].nonce()
        let session = try #require(try await phone.logIn(nonce).sessionID)
        return (phone, session, nonce)
    }

    @Test("A phone that waits at one node hears of the stop at another")
    func longPoll() async throws {
        try await NodesFixture.run(2) { nodes in
            let (phone, session, nonce) = try await loggedIn(nodes)
            async let answer = phone.moved(to: nodes[1]).ping(session, hold: 25)
            try await nodes[1].waiters(1)
            try await nodes[0].services.sessions.logOut(nonce, at: nodes[0].server, by: .backend, now: nodes.clock.now)
            let heard = try await answer
            #expect(heard.state == .stopped && heard.reason == .server)
        }
    }

    @Test("A phone that waits at one node for its code hears that it was typed at another")
    func code() async throws {
        try await NodesFixture.run(2) { nodes in
            let nonce = try nodes[0].nonce()
            let enrolling = try await TestPhone(nodes[0]).scan(try await nodes[0].invite(nonce))
            #expect(try await enrolling.finish().status == .ok)
            let waiting = EnrollingPhone(phone: enrolling.phone.moved(to: nodes[1]), claimed: enrolling.claimed)
            async let answer = waiting.wait(hold: 25)
            try await nodes[1].waiters(1)
            _ = try await nodes[0].services.enrolments.confirm(nonce, code: enrolling.code, at: nodes[0].server, by: .backend, now: nodes.clock.now)
            var status = try await answer.status
            // As phones do where the line for news was made anew meanwhile, or nobody had time.
            for _ in 0..<3 where status != .ok { status = try await waiting.wait(hold: 25).status }
            #expect(status == .ok)
        }
    }

    @Test("A page's event stream at one node tells what happened at another, by its name")
    func stream() async throws {
        try await NodesFixture.run(2) { nodes in
            let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
            nodes.clock.advance(61)
            let (server, nonce) = (nodes[0].server, try nodes[0].nonce())
            let link = try await nodes[0].link(nonce)
            let topic = EventTopic.stream(try await nodes[0].services.sessions.stream(of: nonce, at: server))
            guard case .stream(let name) = topic else { return }
            var news = nodes[1].services.events.subscribe(to: [topic]).makeAsyncIterator()
            async let response = nodes[1].phones.execute(uri: "/sessions/events?server=\(server.text)&session=\(name.text)", method: .get)
            try await nodes[1].waiters(2)
            let shown = try await phone.scan(link)
            let session = try #require(try await shown.logInByPIN().sessionID)
            try await phone.stop(session)
            // Whoever hears this has been told of all that was before it.
            nodes[0].services.events.publish(SessionNews(.cancelled(notMe: true), topics: [topic]))
            while let next = await news.next(), next.kind != .cancelled(notMe: true) {}
            nodes.drain.begin()
            let names = PageEvent.all(in: String(buffer: try await response.body)).map(\.name).filter { $0 != "CANCEL" }
            #expect(Array(names.suffix(3)) == ["CONFIRMSCAN", "LOGIN", "LOGOUT"], "\(names)")
        }
    }

    @Test("A logout that a node never heard of its event stream tells when the connection that listens is made anew, once")
    func lostLogout() async throws {
        try await NodesFixture.run(2, silent: 0) { nodes in
            let (phone, session, nonce) = try await loggedIn(nodes)
            let server = nodes[0].server
            let name = try await nodes[0].services.sessions.stream(of: nonce, at: server)
            var news = nodes[1].services.events.subscribe(to: [.stream(name)]).makeAsyncIterator()
            async let response = nodes[1].phones.execute(uri: "/sessions/events?server=\(server.text)&session=\(name.text)", method: .get)
            try await nodes[1].waiters(2)
            try await phone.stop(session)
            try await nodes.cutListeners()
            // The second is of its own making: whoever hears it has been told of the first.
            for _ in 0..<2 { #expect(await news.next()?.kind == .missed) }
            nodes.drain.begin()
            let names = PageEvent.all(in: String(buffer: try await response.body)).map(\.name)
            // It may have looked for the first time after the stop.
            #expect(names == ["LOGIN", "LOGOUT"] || names == ["LOGOUT"], "\(names)")
        }
    }

    @Test("What a node never heard of, a phone that waits there hears when the connection that listens is made anew")
    func lostNews() async throws {
        try await NodesFixture.run(2, silent: 0) { nodes in
            let (phone, session, nonce) = try await loggedIn(nodes)
            async let answer = phone.moved(to: nodes[1]).ping(session, hold: 25)
            try await nodes[1].waiters(1)
            // This node tells nobody.
            try await nodes[0].services.sessions.logOut(nonce, at: nodes[0].server, by: .backend, now: nodes.clock.now)
            try await nodes.cutListeners()
            let heard = try await answer
            #expect(heard.state == .stopped && heard.reason == .server)
        }
    }

    @Test("After a listening connection was ended it is made anew and hears what comes then, each time")
    func again() async throws {
        try await NodesFixture.run(2) { nodes in
            let topic = EventTopic.account(AccountID(using: SystemRandomSource()))
            for _ in 0..<3 {
                var news = nodes[1].services.events.subscribe(to: [topic]).makeAsyncIterator()
                try await nodes.cutListeners()
                // It listens again. What the round before said last may come first; what was on its way when the other's own connection ended is told as a gap, too.
                var heard = await news.next()?.kind
                while heard == .scanned { heard = await news.next()?.kind }
                #expect(heard == .missed)
                repeat { nodes[0].services.events.publish(SessionNews(.scanned, topics: [topic])) } while await news.next()?.kind == .missed
            }
        }
    }

    @Test("What travels names neither session nor account, and what somebody else says on that channel is believed by nobody")
    func sealed() async throws {
        try await NodesFixture.run(2) { nodes in
            let (session, account) = (SessionID(using: SystemRandomSource()), AccountID(using: SystemRandomSource()))
            let (notes, note) = AsyncStream.makeStream(of: [UInt8].self)
            nodes.databases[1].announcements?.listen { if case .note(let bytes) = $0 { note.yield(bytes) } }
            var news = nodes[1].services.events.subscribe(to: [.session(session)]).makeAsyncIterator()
            nodes[0].services.events.publish(SessionNews(.loggedIn(account), topics: [.session(session)]))
            #expect(await news.next()?.kind == .loggedIn(account))
            var heard = notes.makeAsyncIterator()
            let travelled = try #require(await heard.next())
            for id in [session.bytes, account.bytes] { #expect(!travelled.indices.contains { travelled[$0...].starts(with: id) }) }
            // Bent, cut off, by another key, and no note at all.
            let stranger = KeyEncryptionKey.random().derived(for: "news/1", writer: Array(travelled.prefix(16)))
            let forged = try stranger.wrap(Array(travelled.dropFirst(16)), context: "news/1")
            var bent = travelled
            bent[bent.count - 1] ^= 1
            let others: [[UInt8]] = [bent, Array(travelled.dropLast()), Array(travelled.prefix(16)) + forged, [7]]
            for bytes in others { nodes.databases[0].announcements?.announce(bytes) }
            nodes[0].services.events.publish(SessionNews(.expired, topics: [.session(session)]))
            #expect(await news.next()?.kind == .expired)
        }
    }
}

extension NodesFixture {
    /// Ends every connection that listens, as a restart of the database or a broken line does.
    func cutListeners() async throws {
        let ended = try await databases[0].read { connection in
            try connection.query(
                """
                SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
                WHERE datname = current_database() AND application_name LIKE '%@@announcements'
                """
            ).count
        }
        try #require(ended > 0)
    }
}
