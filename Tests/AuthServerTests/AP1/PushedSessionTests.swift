import Authentication
import Database
import Hummingbird
import HummingbirdTesting
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Logins that wait for a phone (protocol §6, §8)", .againWithLostCommits, .timeLimit(.minutes(10)))
struct PushedSessionTests {
    /// A server with Alice's phone.
    private static func run(
        second: Duration = .milliseconds(20), _ body: @Sendable @escaping (ServersFixture, EnrolledPhone) async throws -> Void
    ) async throws {
        try await ServersFixture.run(second: second) { servers in
            try await body(servers, try await TestPhone(servers).enrol(try servers.nonce()))
        }
    }

    @Test("Its own phone fetches it, and is told two wrong numbers before the right one; nobody else's is told of it")
    func whole() async throws {
        try await Self.run { servers, phone in
            let stranger = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let begun = try await servers.push(to: phone.account)
            #expect(try await stranger.fetch().isEmpty)
            #expect(await servers.refusal { try await stranger.fetch(by: phone.account) } == .refused)
            let waiting = try await phone.fetch()
            #expect(waiting.map(\.link.value.sessionID) == [begun.session] && waiting.first?.expiresAt == servers.now + 300)
            let shown = try await phone.showWaiting()
            #expect(shown.screen.needsNumber && shown.screen.browser.binding == .push && shown.screen.selects(phone.account) == true)
            let attempt = try await shown.proved()
            for step in 1...2 {
                let wrong = try shown.accepting(attempt, number: try begun.other(by: step))
                #expect(await servers.refusal { try await shown.send(wrong) } == .numberWrong)
                // The network brings it again: it is counted once.
                #expect(await servers.refusal { try await shown.send(wrong) } == .numberWrong)
            }
            let answer = try await shown.send(try shown.accepting(attempt, number: begun.number))
            #expect(answer.result == .loggedIn && answer.sessionID == begun.session && answer.webNonce == nil && answer.returnCode == nil)
            #expect(try await phone.ping(begun.session).state == .loggedIn)
            #expect(try await phone.fetch().isEmpty)
            #expect(try await servers.counted().highest == 1, "a number costs no try of the PIN")
        }
    }

    @Test("qr_number_mismatch_denied: the third wrong number is a no each time it comes; then the right one is too late, and nothing waits")
    func spent() async throws {
        try await Self.run { servers, phone in
            let begun = try await servers.push(to: phone.account)
            let shown = try await phone.showWaiting()
            let attempt = try await shown.proved()
            for step in 1...2 {
                let wrong = try shown.accepting(attempt, number: try begun.other(by: step))
                #expect(await servers.refusal { try await shown.send(wrong) } == .numberWrong)
            }
            let third = try shown.accepting(attempt, number: "")
            for _ in 0..<2 { #expect(try await shown.send(third).result == .denied) }
            let right = try shown.accepting(attempt, number: begun.number)
            #expect(await servers.refusal { try await shown.send(right) } == .sessionOver)
            #expect(try await phone.fetch().isEmpty)
            #expect(await servers.refusal { try await phone.ping(begun.session) } == .sessionUnknown)
        }
    }

    @Test("Nine wrong numbers in a day, by one login after another, are all that a person has: then nothing rings, and the right one is a no")
    func budget() async throws {
        try await Self.run { servers, phone in
            let first = try await servers.push(to: phone.account)
            let open = try await phone.showWaiting()
            let proof = try await open.proved()
            for round in 1...3 {
                servers.clock.advance(1)
                let begun = try await servers.push(to: phone.account)
                let shown = try await phone.showWaiting()
                let attempt = try await shown.proved()
                for step in 1...2 {
                    let wrong = try shown.accepting(attempt, number: try begun.other(by: step))
                    #expect(await servers.refusal { try await shown.send(wrong) } == .numberWrong, "\(round)")
                }
                #expect(try await shown.send(try shown.accepting(attempt, number: try begun.other(by: 3))).result == .denied)
                // A try whose number was wrong stays a try until a login counts.
                try await phone.logIn(try servers.nonce())
            }
            #expect(try await phone.fetch().isEmpty)
            let right = try open.accepting(proof, number: first.number)
            for _ in 0..<2 { #expect(try await open.send(right).result == .denied) }
            _ = try await servers.push(to: phone.account)
            #expect(try await phone.fetch().isEmpty)
            // Nine, and the one that was not looked at; of the sessions of that time only.
            let (start, end) = (servers.now - 3, servers.now)
            let store = SQLAuthenticationStore(database: servers.database, key: .random())
            for (moment, count) in [(start, 10), (start + 1, 9), (end + 1, 0)] {
                #expect(try await store.read { rows in try rows.wrongNumbers(of: phone.account, since: moment) } == count)
            }
        }
    }

    @Test("A phone that lies gets nothing by the wrong way of a link, another account's link, another session's offer, a number where none is asked")
    func lies() async throws {
        try await Self.run { servers, phone in
            let stranger = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let begun = try await servers.push(to: phone.account)
            let link = try #require(try await phone.fetch().first).link
            for via in [Via.scan, .link] { #expect(await servers.refusal { try await phone.scan(link, via: via) } == .refused) }
            let page = try await servers.link(try servers.nonce())
            #expect(await servers.refusal { try await phone.scan(page, via: .push) } == .refused)
            // Whoever learned the link is shown it, and decides nothing: neither a yes, nor a no, nor a wrong number that would count.
            let seen = try await stranger.scan(link, via: .push)
            #expect(seen.screen.selects(stranger.account) == false)
            #expect(await servers.refusal { try await seen.send(try seen.decision(.decline)) } == .sessionTaken)
            #expect(await servers.refusal { try await seen.proved() } == .sessionTaken)
            let scanned = try await phone.scan(page)
            let attempt = try await scanned.proved()
            #expect(await servers.refusal { try await scanned.send(try scanned.accepting(attempt, number: begun.number)) } == .refused)
            // The offer of a page's login brings nobody into the session that is pushed.
            let shown = try await phone.scan(link, via: .push)
            let right = try await shown.proved()
            var choice = RawPhone.Choice(method: .pin, attempt: right.id, secondFactorSignature: try phone.phone.prove(right))
            choice.number = begun.number
            choice.offer = scanned.shown.content.offer
            let borrowed = try phone.phone.raw.deciding(shown.shown, by: phone.account, choice)
            #expect(await servers.refusal { try await shown.send(borrowed) } == .refused)
            #expect(try await shown.send(try shown.accepting(right, number: begun.number)).result == .loggedIn)
        }
    }

    @Test("WAITING says so in the answer to a ping while something is open, and no longer; the answer to a stop does not")
    func flag() async throws {
        try await Self.run { servers, phone in
            let session = try #require(try await phone.logInApp().sessionID)
            #expect(try await !phone.ping(session).hasWaiting)
            try await servers.push(to: phone.account)
            #expect(try await phone.ping(session).hasWaiting)
            _ = try await phone.showWaiting().proved()
            #expect(try await !phone.ping(session).hasWaiting, "it is being answered")
            #expect(try await phone.fetch().count == 1)
            try await servers.push(to: phone.account)
            #expect(try await phone.ping(session).hasWaiting)
            #expect(try await !phone.stop(session).hasWaiting)
        }
    }

    @Test("A ping that is held is answered when something begins to wait, and the ping of somebody else's phone is not")
    func held() async throws {
        try await Self.run(second: .seconds(60)) { servers, phone in
            let stranger = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let session = try #require(try await phone.logInApp().sessionID)
            let other = try #require(try await stranger.logInApp().sessionID)
            var news = servers.services.events.subscribe(to: [.session(session)]).makeAsyncIterator()
            var others = servers.services.events.subscribe(to: [.session(other)]).makeAsyncIterator()
            async let answer = phone.ping(session, hold: 25)
            try await servers.listeners(3)
            try await servers.push(to: phone.account)
            #expect(await news.next()?.kind == .accountChanged)
            #expect(try await answer.hasWaiting)
            try await stranger.stop(other)
            #expect(await others.next()?.kind == .loggedOut(.user), "nothing was told before")
        }
    }

    @Test("A session that ran out is not listed; a claimed one has three minutes more, and nobody decides it later")
    func over() async throws {
        try await Self.run { servers, phone in
            try await servers.push(to: phone.account, openFor: 60)
            let begun = try await servers.push(to: phone.account)
            servers.clock.advance(60)
            #expect(try await phone.fetch().count == 2)
            servers.clock.advance(1)
            #expect(try await phone.fetch().map(\.link.value.sessionID) == [begun.session])
            let shown = try await phone.showWaiting()
            _ = try await shown.proved()
            servers.clock.advance(300 + 180 - 61)
            #expect(try await phone.fetch().first?.expiresAt == servers.now)
            servers.clock.advance(1)
            #expect(try await phone.fetch().isEmpty)
            #expect(await servers.refusal { try await shown.send(try shown.decision(.decline)) } == .sessionOver)
        }
    }

    @Test("The phone of a blocked account is told so and nothing of what waits; that of a deleted one gets its tombstone")
    func unusable() async throws {
        try await Self.run { servers, phone in
            let begun = try await servers.push(to: phone.account)
            let shown = try await phone.showWaiting()
            let attempt = try await shown.proved()
            _ = try await servers.services.accounts.setBlocked(true, phone.account, at: servers.server, by: .backend, now: servers.now)
            #expect(await servers.refusal { try await phone.fetch() } == .accountBlocked)
            let right = try shown.accepting(attempt, number: begun.number)
            #expect(await servers.refusal { try await shown.send(right) } == .accountBlocked)
            try await servers.services.accounts.delete(phone.account, at: servers.server, by: .backend, now: servers.now)
            let answer = try await phone.phone.sendFresh(Fetch(accountID: phone.account))
            #expect(answer.status == .accountDeleted)
            try Encoded<Tombstone>(decoding: answer.body).verify(with: phone.phone.bundle.operatorKeys, at: servers.now)
            #expect(await servers.refusal { try await phone.fetch(by: AccountID(using: SystemRandomSource())) } == .accountUnknown)
        }
    }

    @Test("Number, link, offer and counted tries are the same at a server that was started anew: nothing of it is in memory")
    func restart() async throws {
        try await Self.run { servers, phone in
            let begun = try await servers.push(to: phone.account)
            let shown = try await phone.showWaiting()
            let attempt = try await shown.proved()
            let first = try shown.accepting(attempt, number: try begun.other(by: 1))
            #expect(await servers.refusal { try await shown.send(first) } == .numberWrong)
            let link = try #require(try await phone.fetch().first).link
            try await servers.restarted { servers in
                let phone = try await phone.at(servers)
                #expect(try await phone.fetch().map(\.link.bytes) == [link.bytes])
                let shown = ShownLogin(moving: shown, to: phone)
                #expect(await servers.refusal { try await shown.send(first) } == .numberWrong)
                let second = try shown.accepting(attempt, number: try begun.other(by: 2))
                #expect(await servers.refusal { try await shown.send(second) } == .numberWrong)
                #expect(try await shown.send(try shown.accepting(attempt, number: begun.number)).result == .loggedIn)
            }
            #expect(try await phone.ping(begun.session).state == .loggedIn)
        }
    }
}

/// A session that was begun for a phone.
struct PushedSession: Sendable {
    let session: SessionID
    let number: String

    /// Another number of three digits.
    func other(by step: Int) throws -> String { String(100 + (try #require(Int(number)) - 100 + step) % 900) }
}

extension ServersFixture {
    /// Begins a login for an account.
    @discardableResult
    func push(to account: AccountID, openFor: UInt64 = 300) async throws -> PushedSession {
        let id = SessionID(using: SystemRandomSource())
        try await services.waiting.begin(id, at: server, asking: LoginRequest(account: account), openFor: openFor, now: now)
        return PushedSession(session: id, number: try await services.waiting.number(of: id, at: server).exposed)
    }

    /// Lends the same server, started once more over the same database.
    func restarted(_ body: @Sendable @escaping (ServersFixture) async throws -> Void) async throws {
        let again = try await start()
        try await Application(router: again.publicRouter).test(.router) { phones in
            try await body(
                ServersFixture(
                    clock: clock, skew: skew, service: again, secondFactor: secondFactor, database: database,
                    secondFactorDatabase: secondFactorDatabase, key: key, commits: commits, secondFactorCommits: secondFactorCommits,
                    start: start, phones: phones))
        }
    }
}
