import AuthServer
import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Enrolment (protocol §5)", .againWithLostCommits)
struct EnrolmentTests {
    @Test("A phone enrols, its code is typed into the browser, the browser is logged in (S0-07)")
    func wholeEnrolment() async throws {
        try await ServersFixture.run { servers in
            let nonce = try servers.nonce()
            let phone = try await TestPhone(servers)
            let enrolling = try await phone.scan(try await servers.invite(nonce))
            #expect(enrolling.screen.displayName == "Alice at work")
            #expect(enrolling.screen.secondFactor == .needed)
            #expect(try await servers.progress(nonce) == .phoneScanned(device: "Pixel 9"))

            let finished = try await enrolling.finish()
            #expect(finished.status == .ok)
            #expect(try E4(decoding: finished.body).state == .pending)
            #expect(try await servers.progress(nonce) == .waitingForCode(device: "Pixel 9", triesLeft: 3))
            #expect(try await enrolling.wait().status == .accountPending)
            #expect(try await servers.status(of: nonce) == .nobody)

            #expect(try await servers.confirm(nonce, enrolling.code.lowercased()) == .activated(enrolling.screen.accountID))
            let welcome = try L6(decoding: try await enrolling.wait().body)
            #expect(welcome.result == .loggedIn && welcome.cache?.count == 32 && welcome.webNonce == nil)
            let status = try await servers.status(of: nonce)
            #expect(status.loggedIn && status.userID == "alice" && status.accountID == enrolling.screen.accountID)
            #expect(status.publicKey == phone.raw.publicKey && status.deviceID == phone.instance)
            #expect(status.authentication?.binding == "enrolment" && status.authentication?.amr == ["mfa", "pin", "pop"])
            let session = try #require(welcome.sessionID)
            let enrolled = EnrolledPhone(phone: phone, account: enrolling.screen.accountID, enrolling: enrolling)
            #expect(try await enrolled.ping(session).state == .loggedIn)
        }
    }

    @Test("Typing the right code twice changes nothing, and what is no code is no try")
    func codes() async throws {
        try await ServersFixture.run { servers in
            let nonce = try servers.nonce()
            let enrolling = try await TestPhone(servers).scan(try await servers.invite(nonce))
            await #expect(throws: ConfirmationError.nothingToConfirm) { try await servers.confirm(nonce, "0000") }
            _ = try await enrolling.finish()
            for typed in ["", "123", "12345", "U000"] {
                await #expect(throws: ConfirmationError.self) { try await servers.confirm(nonce, typed) }
            }
            #expect(try await servers.progress(nonce) == .waitingForCode(device: "Pixel 9", triesLeft: 3))
            #expect(try await servers.confirm(nonce, enrolling.code) == .activated(enrolling.screen.accountID))
            #expect(try await servers.confirm(nonce, enrolling.code) == .activated(enrolling.screen.accountID))
        }
    }

    @Test("A server that skips the confirmation activates at once")
    func skipped() async throws {
        try await ServersFixture.run { servers in
            try await servers.update { $0.flags = ["SKIP_ENROL_CONFIRMATION"] }
            let nonce = try servers.nonce()
            let enrolling = try await TestPhone(servers).scan(try await servers.invite(nonce, userID: nil))
            #expect(try E4(decoding: try await enrolling.finish().body).state == .active)
            #expect(try L6(decoding: try await enrolling.wait().body).sessionID != nil)
            let status = try await servers.status(of: nonce)
            #expect(status.loggedIn && status.userID == nil)
        }
    }

    @Test("The same phone may ask again and keeps its account; a decline lets another phone have it")
    func againAndDecline() async throws {
        try await ServersFixture.run { servers in
            let nonce = try servers.nonce()
            let link = try await servers.invite(nonce)
            let (first, second) = (try await TestPhone(servers), try await TestPhone(servers, device: "Other"))
            let once = try await first.scan(link)
            let again = try await first.scan(link)
            #expect(once.screen.accountID == again.screen.accountID && once.screen.serverShare == again.screen.serverShare)
            #expect(await servers.refusal { try await second.scan(link) } == .enrolUsed)
            #expect(try await first.send(try again.refusal().bytes, again.ephemeral).status == .ok)
            #expect(try await servers.progress(nonce) == .givenBack(.decline))
            let other = try await second.scan(link)
            #expect(other.screen.accountID != once.screen.accountID)
            #expect(try await other.finish().status == .ok)
        }
    }

    @Test("A lost E4 is answered alike, and nothing is made twice")
    func repeated() async throws {
        try await ServersFixture.run { servers in
            let enrolling = try await TestPhone(servers).scan(try await servers.invite(try servers.nonce()))
            let attempt = try enrolling.attempt()
            let evaluation = try #require(try await enrolling.phone.evaluate(attempt).evaluation)
            let acceptance = try enrolling.acceptance(attempt, evaluation)
            let first = try await enrolling.phone.send(acceptance.bytes, enrolling.ephemeral)
            let second = try await enrolling.phone.send(acceptance.bytes, enrolling.ephemeral)
            #expect(first.status == .ok && first.body == second.body)
            let other = try enrolling.acceptance(try enrolling.attempt(), evaluation)
            #expect(try await enrolling.phone.send(other.bytes, enrolling.ephemeral).status == .enrolUsed)
        }
    }

    @Test("A lost answer of the second-factor server is asked for again")
    func lostReceipt() async throws {
        try await ServersFixture.run { servers in
            let enrolling = try await TestPhone(servers).scan(try await servers.invite(try servers.nonce()))
            let attempt = try enrolling.attempt()
            let evaluation = try #require(try await enrolling.phone.evaluate(attempt).evaluation)
            let acceptance = try enrolling.acceptance(attempt, evaluation)
            servers.secondFactor.loseAnswers(1)
            #expect(try await enrolling.phone.send(acceptance.bytes, enrolling.ephemeral).status == .secondFactorUnavailable)
            #expect(try await enrolling.phone.send(acceptance.bytes, enrolling.ephemeral).status == .ok)
        }
    }

    @Test("The login straight after the activation is silent, once, for a minute (S1-31)")
    func silentLogin() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let cache = try #require(try L6(decoding: try await phone.enrolling.wait().body).cache)
            let shown = try await phone.openApp()
            #expect(shown.screen.secondFactor == .cacheAllowed)
            let calls = servers.secondFactor.calls
            let answer = try await shown.logInByCache(cache)
            #expect(answer.webNonce?.count == 43 && answer.cache == nil)
            #expect(servers.secondFactor.calls == calls)
            let status = try await servers.status(of: try SessionNonce(try #require(answer.webNonce)))
            #expect(status.authentication?.amr == ["mfa", "pin", "pop"] && status.authentication?.time == servers.now)

            let second = try await phone.openApp()
            #expect(second.screen.secondFactor == .needed)
            #expect(await servers.refusal { try await second.logInByCache(cache) } == .refused)
            #expect(try L6(decoding: try await phone.enrolling.wait().body).cache == nil)
        }
    }

    @Test("After a minute the activation gives no silent login any more")
    func silentLoginTooLate() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let cache = try #require(try L6(decoding: try await phone.enrolling.wait().body).cache)
            let shown = try await phone.openApp()
            servers.clock.advance(61)
            #expect(await servers.refusal { try await shown.logInByCache(cache) } == .secondFactorNeeded)
            #expect(try await shown.logInByPIN().result == .loggedIn)
        }
    }

    @Test("The person's other devices are told once of a new one")
    func noticed() async throws {
        try await ServersFixture.run { servers in
            let older = try await TestPhone(servers).enrol(try servers.nonce())
            let session = try #require(try await older.logInApp().sessionID)
            let stranger = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let newer = try await TestPhone(servers, device: "Nokia").enrol(try servers.nonce())
            #expect(newer.enrolling.screen.serverAccounts == ["Alice at work"])
            let told = try await older.ping(session).extensions.notices
            #expect(told.map(\.device) == ["Nokia"] && told.map(\.time) == [servers.now])
            servers.clock.advance(1)
            #expect(try await older.ping(session).extensions.notices == told, "kept until it was shown")
            servers.clock.advance(1)
            #expect(try await older.ping(session, after: told).extensions.notices.isEmpty)
            #expect(try await stranger.logInApp().extensions.notices.isEmpty)
            #expect(try await newer.logInApp().extensions.notices.isEmpty)
        }
    }
}

extension ServersFixture {
    func progress(_ nonce: SessionNonce) async throws -> EnrolmentProgress? {
        try await services.enrolments.newest(of: nonce, at: server, now: now)?.progress
    }

    @discardableResult
    func confirm(_ nonce: SessionNonce, _ code: String) async throws -> ConfirmationOutcome {
        try await services.enrolments.confirm(nonce, code: code, at: server, by: .backend, now: now)
    }
}
