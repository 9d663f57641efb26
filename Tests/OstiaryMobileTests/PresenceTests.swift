import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Presence", .timeLimit(.minutes(10)))
struct PresenceTests {
    /// Until a ping of the phone waits for its time.
    private func untilAsleep(_ phone: TestPhone) async throws { try await waiting(while: phone.clock.sleeping == 0) }

    private func pings(_ phone: TestPhone) async -> Int { await phone.server.with { $0.received.filter { $0 == .ping }.count } }

    @Test("S1-05 a session is pinged each half of pingTime")
    func everyHalf() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.logInByCode()
        #expect(session.pingTime == 300)
        for count in 1...3 {
            try await untilAsleep(phone)
            #expect(await pings(phone) == count - 1)
            phone.clock.advance(150)
            try await waiting(while: await pings(phone) < count)
        }
        #expect(phone.ostiary.session(session.id)?.isLoggedIn == true)
    }

    @Test("A login that is not watched is not pinged")
    func oneShot() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.pingTime = 0 }
        let session = try await phone.logInByCode()
        #expect(session.pingTime == 0 && session.isLoggedIn)
        #expect(try StoredState(decoding: phone.accounts.document).sessions.isEmpty, "the next process has nothing to watch over")
        phone.clock.advance(100_000)
        for _ in 0..<50 { await Task.yield() }
        #expect(await pings(phone) == 0)
    }

    @Test("Time stamps of one session only rise, however fast the pings follow")
    func stampsRise() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.logInByCode()
        for _ in 0..<5 { _ = try await phone.ostiary.refresh() }
        #expect(phone.ostiary.session(session.id)?.isLoggedIn == true, "the double ends a session whose stamp does not rise")
        #expect(await pings(phone) == 5)
    }

    @Test(
        "The reason of a stop reaches the app",
        arguments: [
            (StopReason.server, Session.Ending.server), (.timeout, .timeout), (.account, .account), (.replaced, .replaced), (.user, .user),
            (.inactivity, .inactivity), (.none, .server), (.otherBrowser, .otherBrowser),
        ])
    func reasons(_ reason: StopReason, _ ending: Session.Ending) async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.logInByCode()
        await phone.server.stopSessions(reason)
        _ = try await phone.ostiary.refresh()
        let session = try await phone.stopped()
        #expect(session.ending == ending && session.isLoggedOut)
        #expect(try StoredState(decoding: phone.accounts.document).sessions.isEmpty)
    }

    @Test("A server that cannot be reached is error 70 once, then the session recovers")
    func recovers() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.logInByCode()
        try await untilAsleep(phone)
        await phone.server.with { $0.mishaps.isDown = true }
        phone.clock.advance(150)
        let (error, failing) = try await phone.failure()
        #expect(error == .serverConnection && failing?.connectionError == true && failing?.isLoggedIn == true)
        await phone.server.with { $0.mishaps.isDown = false }
        let recovered = try await phone.until { if case .sessionUpdate(let session) = $0, !session.connectionError { session } else { nil } }
        #expect(recovered.id == session.id && recovered.isLoggedIn)
    }

    @Test("A session that could not be pinged for longer than the server waits is over here too")
    func timesOut() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.logInByCode()
        try await untilAsleep(phone)
        await phone.server.with { $0.mishaps.isDown = true }
        phone.clock.advance(150)
        let session = try await phone.stopped()
        #expect(session.ending == .timeout && session.isLoggedOut)
        #expect(phone.clock.monotonic >= 5_000 + 315)
    }

    @Test("A login of a browser goes on in the next process; an AppLogin does not")
    func nextProcess() async throws {
        let first = try await TestPhone.enrolled()
        let session = try await first.logInByCode()
        first.ostiary.startAppLogin()
        _ = try await first.secondFactor()
        first.ostiary.sfInput(PIN("271828"))
        _ = try await first.login()
        let next = TestPhone(first.server, accounts: first.accounts, keys: first.keys)
        #expect(next.ostiary.sessions.isEmpty)
        first.clock.advance(5)
        let sessions = try await next.ostiary.refresh()
        #expect(sessions.map(\.id) == [session.id])
        #expect(sessions.first?.isLoggedIn == true && sessions.first?.info.serviceName == "Shop")
        try await next.ostiary.end(try #require(sessions.first))
        #expect(await next.server.with { $0.sessions.values.filter { $0.stop == .user && !$0.isApp }.count } == 2)
    }

    @Test("An account that was confirmed while the app was closed is there after resume")
    func confirmedMeanwhile() async throws {
        let first = TestPhone(try TestServer(clock: TestClock()))
        let code = try await first.enrolUpToCode()
        let next = TestPhone(first.server, accounts: first.accounts, keys: first.keys)
        next.ostiary.resume()
        let again = try await next.code()
        #expect(again == code)
        await first.server.confirmAccounts()
        let session = try await next.login()
        #expect(session.isEnrolment && session.isLoggedIn)
    }

    @Test("An app that ends while an account waits for its code loses nothing")
    func endsWhileWaiting() async throws {
        let server = try TestServer(clock: TestClock())
        let accounts = MemoryAccountStore()
        let keys = MemoryKeyStore()
        var first: TestPhone? = TestPhone(server, accounts: accounts, keys: keys)
        first?.ostiary.start(with: try await server.makeEnrolLink())
        if let session = try await first?.confirmEnrol() { first?.ostiary.setAccount(nil, for: session) }
        _ = try await first?.secondFactor()
        first?.ostiary.sfInput(PIN("271828"))
        _ = try await first?.code()
        try await waiting(while: await server.with({ $0.waiting.isEmpty }))
        first = nil
        // The wait of the SDK that is gone ends.
        try await waiting(while: await server.with({ !$0.waiting.isEmpty }))
        for _ in 0..<100 { await Task.yield() }
        #expect(try StoredState(decoding: accounts.document).accounts.map(\.state) == [.pending])
        let next = TestPhone(server, accounts: accounts, keys: keys)
        next.ostiary.resume()
        _ = try await next.code()
        await server.confirmAccounts()
        #expect(try await next.login().isLoggedIn)
    }

    @Test("An account that waits for its code in a later process can be given up there, and the server is told")
    func givenUpLater() async throws {
        let first = TestPhone(try TestServer(clock: TestClock()))
        _ = try await first.enrolUpToCode()
        let next = TestPhone(first.server, accounts: first.accounts, keys: first.keys)
        next.ostiary.resume()
        let session = try await next.until { if case .enrolConfirmation(let session, _) = $0 { session } else { nil } }
        next.ostiary.stop(session)
        #expect(try await next.stopped().ending == .cancelled)
        try await waiting(while: await next.server.with({ !$0.accounts.isEmpty }))
        await next.server.wakeAll()
        #expect(next.ostiary.accounts == [])
    }
}

@Suite("Deletion", .timeLimit(.minutes(10)))
struct DeletionTests {
    @Test("S1-26 an account that the person deletes is gone at once, keys and all, and the server is told")
    func byThePerson() async throws {
        let phone = try await TestPhone.enrolled()
        let account = try #require(phone.ostiary.accounts?.first)
        try await phone.ostiary.remove(account)
        let deleted = try await phone.until { if case .accountDeleted(let account) = $0 { account } else { nil } }
        #expect(deleted.id == account.id && phone.ostiary.accounts == [])
        #expect(phone.keys.names.isEmpty)
        #expect(await phone.server.with { $0.accounts.isEmpty })
        let state = try StoredState(decoding: phone.accounts.document)
        #expect(state.servers.isEmpty && state.instances.isEmpty && state.outbox.isEmpty && state.discarded.isEmpty)
    }

    @Test("While the server cannot be reached the deletion waits, signed, and is brought later by any process")
    func outbox() async throws {
        let phone = try await TestPhone.enrolled()
        let account = try #require(phone.ostiary.accounts?.first)
        await phone.server.with { $0.mishaps.isDown = true }
        await #expect(throws: OstiaryError.serverConnection) { try await phone.ostiary.remove(account) }
        #expect(phone.ostiary.accounts == [] && phone.keys.names.isEmpty)
        #expect(try StoredState(decoding: phone.accounts.document).outbox.count == 1)
        await phone.server.with { $0.mishaps.isDown = false }
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        _ = try await next.ostiary.refresh()
        #expect(await phone.server.with { $0.accounts.isEmpty })
        #expect(try StoredState(decoding: phone.accounts.document).outbox.isEmpty)
    }

    @Test("A deletion ends the sessions of the account")
    func endsSessions() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        phone.ostiary.deleteAccount(try #require(phone.ostiary.accounts?.first))
        #expect(try await phone.stopped().ending == .account)
    }

    @Test("An account that a login is being answered with is not deleted under it; the login goes on")
    func inUse() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.atSecondFactor()
        phone.ostiary.deleteAccount(try #require(phone.ostiary.accounts?.first))
        #expect(try await phone.failure().0 == .flowInProgress)
        #expect(phone.ostiary.accounts?.count == 1)
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
    }

    @Test("The server's proof deletes an account here")
    func byTombstone() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.markDeleted(try phone.account)
        phone.ostiary.startAppLogin()
        _ = try await phone.until { if case .accountDeleted = $0 { true } else { nil } }
        #expect(phone.ostiary.accounts == [] && phone.keys.names.isEmpty)
    }

    @Test("A proof that the server did not sign, or about another account, deletes nothing")
    func forgedTombstone() async throws {
        let phone = try await TestPhone.enrolled()
        let account = try phone.account
        try await phone.server.with { server in
            server.markDeleted(account, signedBy: try OperatorKey(seed: [UInt8](repeating: 9, count: 32)))
        }
        phone.ostiary.startAppLogin()
        #expect(try await phone.finalFailure() == .serverAnswer)
        await phone.server.with { server in
            let other = Tombstone(accountID: AccountID(using: SystemRandomSource()), time: server.now)
            server.tombstones[account] = Encoded(other, signedBy: server.keys.operatorKey).bytes
        }
        phone.ostiary.startAppLogin()
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(phone.ostiary.accounts?.count == 1)
    }

    @Test("A server that merely does not know the account deletes nothing")
    func unknownAccount() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.accounts = [:] }
        phone.ostiary.startAppLogin()
        #expect(try await phone.finalFailure() == .accountUnknown)
        #expect(phone.ostiary.accounts?.count == 1)
        #expect(!phone.keys.names.isEmpty)
    }

    @Test("Of two accounts that share a PIN the first to go leaves it to the other")
    func sharedInstance() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.enrol()
        let accounts = try #require(phone.ostiary.accounts)
        #expect(accounts.count == 2)
        try await phone.ostiary.remove(accounts[0])
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().account?.id == accounts[1].id)
    }
}
