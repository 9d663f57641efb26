import AuthServer
import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Login (protocol §6)", .againWithLostCommits, .timeLimit(.minutes(10)))
struct LoginTests {
    @Test(
        "A person logs a browser in, however the link got to the phone",
        arguments: [(LinkStyle.moving, "qrDynamic"), (.still, "qrStatic"), (.tapped, "unboundLink")])
    func browser(style: LinkStyle, binding: String) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = try servers.nonce()
            let link = try await servers.link(nonce, style)
            #expect(try await servers.status(of: nonce).state == .open)
            let shown = try await phone.scan(link, via: style == .tapped ? .link : .scan)
            #expect(shown.screen.purpose == .login && shown.screen.secondFactor == .needed && shown.screen.methods == [.pin, .bio])
            let answer = try await shown.logInByPIN()
            #expect(answer.result == .loggedIn && answer.userName == "Alice at work" && answer.webNonce == nil && answer.cache == nil)
            let status = try await servers.status(of: nonce)
            #expect(status.loggedIn && status.userID == "alice" && status.authentication?.binding == binding)
            #expect(status.authentication?.acr == "mfa" && status.expiresAt == servers.now + 315)
        }
    }

    @Test("An AppLogin has a webNonce, by which a backend learns who it is (S0-07)")
    func app() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let answer = try await phone.logInApp()
            let nonce = try SessionNonce(try #require(answer.webNonce))
            let status = try await servers.status(of: nonce)
            #expect(status.loggedIn && status.accountID == phone.account && status.authentication?.binding == "app" && status.hsid == nil)
            await #expect(throws: LoginLinkError.webNonce) { try await servers.link(nonce) }
            servers.clock.advance(316)
            #expect(try await servers.status(of: nonce) == .nobody)
        }
    }

    @Test("One open session a nonce; after it is over, the nonce has another")
    func runs() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = try servers.nonce()
            let first = try await servers.link(nonce)
            servers.clock.advance(2)
            #expect(try await servers.link(nonce).value.sessionID == first.value.sessionID)
            try await phone.logIn(nonce)
            await #expect(throws: LoginLinkError.loggedIn) { try await servers.link(nonce) }
            try await servers.services.sessions.logOut(nonce, at: servers.server, by: .backend, now: servers.now)
            let second = try await servers.link(nonce)
            #expect(second.value.sessionID != first.value.sessionID)
            servers.clock.advance(301)
            #expect(try await servers.link(nonce).value.sessionID != second.value.sessionID)
        }
    }

    @Test("qr_expired: an old frame is refused, and one of another session's secret too")
    func oldLinks() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let link = try await servers.link(try servers.nonce())
            servers.clock.advance(91)
            #expect(await servers.refusal { try await phone.scan(link) } == .linkOld)
            let forged = Encoded(
                LoginLink(
                    serverTag: link.value.serverTag, sessionID: link.value.sessionID, issuedAt: UInt32(servers.now.seconds), frame: 0,
                    binding: .qrDynamic, qrSecret: [UInt8](repeating: 0, count: 32)))
            #expect(await servers.refusal { try await phone.scan(forged) } == .refused)
        }
    }

    @Test("Two phones scan one code: the first to show its key wins, the other is told")
    func twoPhones() async throws {
        try await ServersFixture.run { servers in
            let alice = try await TestPhone(servers).enrol(try servers.nonce())
            let bob = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let nonce = try servers.nonce()
            let link = try await servers.link(nonce)
            let (first, second) = (try await alice.scan(link), try await bob.scan(link))
            let attempt = try first.attempt()
            #expect(try await alice.phone.evaluate(attempt).status == .ok)
            #expect(await servers.refusal { try await second.logInByPIN() } == .sessionTaken)
            #expect(await servers.refusal { try await second.send(try second.decision(.decline)) } == .sessionTaken)
            #expect(try await servers.status(of: nonce).state == .claimed)
            let proof = try alice.phone.prove(attempt)
            #expect(try await first.send(try first.decision(attempt: attempt.id, method: .pin, proof: proof)).result == .loggedIn)
            #expect(await servers.refusal { try await second.logInByPIN() } == .sessionTaken)
            #expect(try await servers.status(of: nonce).userID == "alice")
        }
    }

    @Test("The same decision again gives a new webNonce, and the first is void; another decision comes too late")
    func repeated() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let shown = try await phone.openApp()
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            let first = try #require(try await shown.send(decision).webNonce)
            let resigned = try Encoded(decision.value, signedBy: phone.phone.sign)
            let second = try #require(try await shown.send(resigned).webNonce)
            #expect(first != second)
            #expect(try await servers.status(of: try SessionNonce(first)) == .nobody)
            #expect(try await servers.status(of: try SessionNonce(second)).loggedIn)
            #expect(await servers.refusal { try await shown.send(try shown.decision(.decline)) } == .sessionOver)
        }
    }

    @Test("No, that was not me: a signed denial that the page tells", arguments: [Decision.decline, .notMe])
    func denied(decision: Decision) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = try servers.nonce()
            let shown = try await phone.scan(try await servers.link(nonce))
            let stream = try await servers.services.sessions.stream(of: nonce, at: servers.server)
            var news = servers.services.events.subscribe(to: [.stream(stream)]).makeAsyncIterator()
            let message = try shown.decision(decision)
            #expect(try await shown.send(message).result == .denied)
            #expect(await news.next()?.kind == .claimed)
            #expect(await news.next()?.kind == .cancelled(notMe: decision == .notMe))
            #expect(try await shown.send(try Encoded(message.value, signedBy: phone.phone.sign)).result == .denied)
            #expect(try await servers.status(of: nonce) == .nobody)
            let session = try await servers.services.sessions.progress(of: nonce, at: servers.server, now: servers.now)
            #expect(session?.isFinished == true && session?.account == phone.account)
        }
    }

    @Test("A session for one account is not for another (S4-07)")
    func preselected() async throws {
        try await ServersFixture.run { servers in
            let alice = try await TestPhone(servers).enrol(try servers.nonce())
            let bob = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let link = try await servers.services.sessions.loginLink(
                for: try servers.nonce(), at: servers.server, style: .moving, asking: LoginRequestUpdate(account: alice.account),
                by: .backend, now: servers.now
            ).link
            let shown = try await bob.scan(link)
            #expect(shown.screen.selects(alice.account) == true && shown.screen.selects(bob.account) == false)
            #expect(await servers.refusal { try await shown.logInByPIN() } == .sessionTaken)
            #expect(try await alice.scan(link).logInByPIN().result == .loggedIn)
        }
    }

    @Test("An app has one AppLogin at a time")
    func replaced() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let first = try await phone.logInApp()
            let second = try await phone.logInApp()
            #expect(try await servers.status(of: try SessionNonce(try #require(first.webNonce))) == .nobody)
            #expect(try await servers.status(of: try SessionNonce(try #require(second.webNonce))).loggedIn)
            let ping = try await phone.ping(try #require(first.sessionID))
            #expect(ping.state == .stopped && ping.reason == .replaced)
        }
    }

    @Test("A blocked account, a deleted one and one that waits for its code cannot log in, and each is told why")
    func unusable() async throws {
        try await ServersFixture.run { servers in
            let nonce = try servers.nonce()
            let pending = try await TestPhone(servers).scan(try await servers.invite(nonce))
            _ = try await pending.finish()
            let waiting = EnrolledPhone(phone: pending.phone, account: pending.screen.accountID, enrolling: pending)
            #expect(await servers.refusal { try await waiting.openApp() } == .accountPending)

            let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let login = try await phone.logInApp()
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            _ = try await servers.services.accounts.setBlocked(true, phone.account, at: servers.server, by: .backend, now: servers.now)
            #expect(try await servers.status(of: try SessionNonce(try #require(login.webNonce))) == .nobody)
            #expect(await servers.refusal { try await shown.logInByPIN() } == .accountBlocked)
            #expect(try await phone.ping(try #require(login.sessionID)).reason == .account)
            _ = try await servers.services.accounts.setBlocked(false, phone.account, at: servers.server, by: .backend, now: servers.now)
            #expect(try await shown.logInByPIN().result == .loggedIn)

            try await servers.services.accounts.delete(phone.account, at: servers.server, by: .backend, now: servers.now)
            let answer = try await phone.phone.send(try phone.sealedAppLogin(try TestPhone.ephemeral()))
            #expect(answer.status == .accountDeleted)
            let tombstone = try Encoded<Tombstone>(decoding: answer.body)
            try tombstone.verify(with: phone.phone.bundle.operatorKeys, at: servers.now)
            #expect(tombstone.value.accountID == phone.account)
        }
    }
}
