import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Login links", .timeLimit(.minutes(10)))
struct LoginLinkTests {
    @Test("Asking again while a session is open gives the same session, with the next frame")
    func sameSession() async throws {
        let world = try await DomainFixture()
        let first = try await world.link("browser", .moving).value
        world.pass(7)
        let second = try await world.link("browser", .moving).value
        #expect(second.sessionID == first.sessionID)
        #expect(second.issuedAt == first.issuedAt)
        #expect([first.frame, second.frame] == [0, 7])
    }

    @Test("A standing code is issued when it is asked for")
    func standing() async throws {
        let world = try await DomainFixture()
        _ = try await world.link()
        world.pass(100)
        let link = try await world.link().value
        #expect(link.issuedAt == UInt32(world.now.seconds))
        #expect(link.frame == 0)
    }

    @Test("After a session ran out the nonce gets a new one")
    func nextRun() async throws {
        let world = try await DomainFixture()
        let first = try await world.link().value.sessionID
        world.pass(301)
        let second = try await world.link().value.sessionID
        #expect(first != second)
        #expect(try await world.session()?.id == second)
    }

    @Test("While a phone decides, and while somebody is logged in, there is no link")
    func noLink() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        await #expect(throws: LoginLinkError.claimed) { try await world.link() }
        _ = try await phone.decide(try phone.accepting(shown, tried))
        await #expect(throws: LoginLinkError.loggedIn) { try await world.link() }
        try await world.logOut()
        #expect(try await world.link().value.sessionID != shown.content.sessionID)
    }

    @Test("The webNonce of an app opens no session for a browser, and enrols nobody")
    func webNonce() async throws {
        let world = try await DomainFixture()
        let nonce = try SessionNonce(try await world.enrolledPhone().appLogIn().webNonce)
        await #expect(throws: LoginLinkError.webNonce) {
            try await world.queries.loginLink(for: nonce, at: world.server, style: .still, by: .backend, now: world.now)
        }
        await #expect(throws: EnrolmentStartError.webNonce) {
            let start = EnrolmentStart(nonce: nonce, displayName: "Eve", userID: nil)
            _ = try await world.enrolments.start(start, at: world.server, origin: DomainFixture.origin, by: .backend, now: world.now)
        }
    }

    @Test("A session is made for an account of this server or for none")
    func preselected() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        await #expect(throws: LoginLinkError.accountUnknown) { try await world.link(preselecting: SessionSample.alice) }
        let shown = try await phone.look(at: try await world.link(preselecting: phone.account))
        #expect(shown.content.selects(try present(phone.account)) == true)
        let nonce = try DomainFixture.nonce("browser")
        await #expect(throws: LoginLinkError.accountUnknown) {
            try await world.queries.loginLink(
                for: nonce, at: world.neighbour.server, style: .still, asking: LoginRequestUpdate(account: phone.account), by: .backend,
                now: world.now)
        }
    }

    @Test("Logging out is idempotent, and of a nonce that nobody knows it does nothing")
    func logOut() async throws {
        let world = try await DomainFixture()
        try await world.enrolledPhone().logIn()
        try await world.logOut()
        let after = try await world.snapshot()
        try await world.logOut()
        try await world.logOut("stranger")
        #expect(try await world.snapshot() == after)
    }

    @Test("Logging out of a session that waits for a phone closes it for every phone")
    func logOutOfOpen() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let link = try await world.link()
        let shown = try await phone.look(at: link)
        let tried = try await phone.tryPIN(shown)
        try await world.logOut()
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .sessionOver)
        #expect(try await world.refusal(of: try phone.looking(at: link, via: .scan)) == .sessionOver)
    }

    @Test("News of a session reach those who listen to its stream: scanned, claimed, logged in, logged out")
    func news() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let stream = try await world.queries.stream(of: DomainFixture.nonce("browser"), at: world.server)
        var news = world.hub.subscribe(to: [.stream(stream)]).makeAsyncIterator()
        try await phone.logIn()
        try await world.logOut()
        #expect(await news.next()?.kind == .scanned)
        #expect(await news.next()?.kind == .claimed)
        #expect(await news.next()?.kind == .loggedIn(try present(phone.account)))
        #expect(await news.next()?.kind == .loggedOut(.server))
    }
}
