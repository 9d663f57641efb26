import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Enrolment", .timeLimit(.minutes(10)))
struct EnrolmentTests {
    @Test("S4-04 S4-17 S4-21 S4-22 an enrolment asks for confirmation with what the server says of the new account")
    func asksForConfirmation() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let session = try await phone.confirmEnrol()
        #expect(session.state == .waitingForUserInput)
        #expect(session.isEnrolment && !session.isAppLogin)
        #expect(session.enrolInfo.displayName == "ada@example")
        #expect(session.enrolInfo.nsAccounts.map(\.description) == ["ada on a tablet"])
        #expect(session.info.serverName == "Example")
        #expect(session.account == nil)
    }

    @Test("S4-26 S4-40 setAccount(nil) leads to FIRST_SET, the code, and a session that is logged in")
    func leadsToALogin() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        let factor = try await phone.secondFactor()
        #expect(factor.secondFactorInfo.context == .firstSet)
        phone.ostiary.sfInput(PIN("271828"))
        let success = try await phone.secondFactor()
        #expect(success.secondFactorInfo.result == .success && success.stopped)
        let added = try await phone.until { if case .accountAdded(let account) = $0 { account } else { nil } }
        #expect(added.state == .pending && added.displayName == "ada@example")
        let code = try await phone.code()
        #expect(code.count == 4)
        await phone.server.confirmAccounts()
        let session = try await phone.login()
        #expect(session.isLoggedIn && session.username == "ada" && session.webNonce == nil)
        #expect(phone.ostiary.accounts?.map(\.state) == [.active])
    }
}

@Suite("Enrolment that goes wrong", .timeLimit(.minutes(10)))
struct EnrolmentRefusalTests {
    /// As far as the question for the first PIN.
    private func atFirstPIN(_ phone: TestPhone) async throws -> Session {
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let session = try await phone.confirmEnrol()
        phone.ostiary.setAccount(nil, for: session)
        _ = try await phone.secondFactor()
        return session
    }

    @Test("S4-27 an existing account is no answer to an enrolment, which goes on waiting")
    func takesNoAccount() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let session = try await phone.confirmEnrol()
        phone.ostiary.setAccount(phone.ostiary.accounts?.first, for: session)
        #expect(try await phone.failure().0 == .accountGivenForEnrolment)
        phone.ostiary.setAccount(nil, for: session)
        #expect(try await phone.secondFactor().secondFactorInfo.context == .verify)
    }

    @Test("S4-19 the question names the accounts that this device already has there; its PIN then vouches for the new one (ENROL)")
    func furtherAccount() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let (session, accounts) = try await phone.until { event -> (Session, [Account])? in
            if case .confirmEnrol(let session, let accounts, _) = event { (session, accounts) } else { nil }
        }
        #expect(accounts == phone.ostiary.accounts)
        phone.ostiary.setAccount(nil, for: session)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("000111"))
        #expect(try await phone.secondFactor().secondFactorInfo.failedAttempts == 1)
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
        await phone.server.confirmAccounts()
        _ = try await phone.login()
        #expect(phone.ostiary.accounts?.count == 2)
        #expect(await phone.server.with { $0.instances.count } == 1, "one PIN for all accounts at a server")
    }

    @Test("A PIN that is blocked vouches for nothing, and no first PIN is set in its place")
    func blockedVoucher() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.penalties = [0, 0, 0, 0, 0] }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        _ = try await phone.secondFactor()
        for number in 1...5 {
            phone.ostiary.sfInput(PIN("99887\(number)"))
            #expect(try await phone.secondFactor().secondFactorInfo.context == .verify)
        }
        #expect(try await phone.finalFailure() == .secondFactorBlocked)
        #expect(phone.ostiary.accounts?.count == 1)
    }

    @Test("An E3 that is sent again with another proof makes one account and one only")
    func sentAgain() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        _ = try await phone.secondFactor()
        await phone.server.with { $0.mishaps.statuses[.e3] = Array(repeating: .secondFactorUnavailable, count: 5) }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .error)
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.code()
        #expect(try StoredState(decoding: phone.accounts.document).accounts.count == 2)
    }

    @Test("A login by code is no login while the only account there still waits for its own code")
    func loginWhilePending() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        _ = try await phone.enrolUpToCode()
        await (try phone.ostiary.core().engine).shutDown()
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        next.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await next.failure().0 == .accountPending)
    }

    @Test("S4-72 an easy PIN is refused when it is set, and asked for again")
    func refusesEasyPIN() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        _ = try await atFirstPIN(phone)
        phone.ostiary.sfInput(PIN("123456"))
        #expect(try await phone.failure().0 == .pinEasyToGuess)
        let factor = try await phone.secondFactor()
        #expect(factor.secondFactorInfo.retry && !factor.stopped)
        phone.ostiary.sfInput(PIN("1234"))
        #expect(try await phone.failure().0 == .pinLength)
        _ = try await phone.secondFactor()
        #expect(await phone.server.with { $0.seenAttempts }.isEmpty, "no server was asked")
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
    }

    @Test("The box of the first PIN is stored before E3 is sent")
    func boxIsDurableFirst() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        _ = try await atFirstPIN(phone)
        let accounts = phone.accounts
        let seen = Seen()
        await phone.server.with { server in
            server.onMessage = { type in
                guard type == .e3, let document = accounts.document, let state = try? StoredState(decoding: document) else { return }
                seen.note(state.instances.contains { (try? PINBox(decoding: $0.box.bytes)) != nil } && state.accounts.map(\.state) == [.enrolling])
            }
        }
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.secondFactor()
        #expect(seen.values == [true])
    }

    @Test("A used code is error 41")
    func usedCode() async throws {
        let phone = try await TestPhone.enrolled()
        let link = try await phone.server.makeEnrolLink()
        await phone.server.with { server in for id in server.enrolments.keys { server.enrolments[id]?.isUsed = true } }
        phone.ostiary.start(with: link)
        let (error, session) = try await phone.failure()
        #expect(error == .enrolmentExpired && error.code == 41)
        #expect(session?.state == .error && session?.ending == .failed)
    }

    @Test("A server with another root than the link says is error 68, and nothing is stored of it")
    func otherRoot() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        let stranger = try TestServer(clock: phone.clock, seed: 0x21)
        phone.ostiary.start(with: try await stranger.makeEnrolLink())
        let error = try await phone.finalFailure()
        #expect(error == .serverParametersWrong && error.code == 68)
        #expect(phone.accounts.document == nil)
        #expect(phone.keys.names.isEmpty)
    }

    @Test("An address that knows no such server is error 64, and what is no bundle error 67")
    func noBundle() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        await phone.server.with { $0.mishaps.httpStatus = 404 }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let missing = try await phone.finalFailure()
        #expect(missing == .serverParametersMissing && missing.code == 64 && missing.advice == .giveUp)
        await phone.server.with { server in
            server.mishaps.httpStatus = nil
            server.mishaps.tamperBundle = { Array($0.dropLast()) }
        }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let unreadable = try await phone.finalFailure()
        #expect(unreadable == .serverParametersUnreadable && unreadable.code == 67 && unreadable.advice == .giveUp)
        #expect(phone.accounts.document == nil)
    }

    @Test("A root whose tag is that of a known server is refused before anything is sent")
    func sameTagOtherRoot() async throws {
        let phone = try await TestPhone.enrolled()
        let known = await phone.server.with { $0.keys.rootHash }
        let link = EnrolLink(
            rootHash: known.prefix(4) + [UInt8](repeating: 7, count: 28), enrolID: EnrolmentID(using: SystemRandomSource()),
            enrolSecret: [UInt8](repeating: 1, count: 16), url: TestServer.url)
        let before = await phone.server.with { $0.received.count }
        phone.ostiary.start(with: link.encoded)
        #expect(try await phone.finalFailure() == .serverIdentity)
        #expect(await phone.server.with { $0.received.count } == before)
    }

    @Test("A link to a place that is neither https nor this machine is refused")
    func unsafeAddress() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        let link = EnrolLink(
            rootHash: [UInt8](repeating: 7, count: 32), enrolID: EnrolmentID(using: SystemRandomSource()),
            enrolSecret: [UInt8](repeating: 1, count: 16), url: "http://login.example")
        phone.ostiary.start(with: link.encoded)
        let error = try await phone.finalFailure()
        #expect(error == .serverNotAllowed && error.code == 52)
    }

    @Test("An account that nobody confirmed is removed on the server's word, with its keys")
    func neverConfirmed() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        _ = try await atFirstPIN(phone)
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.code()
        let account = try phone.account
        await phone.server.markDeleted(account)
        #expect(try await phone.finalFailure() == .enrolmentExpired)
        #expect(phone.ostiary.accounts == [])
        #expect(phone.keys.names.isEmpty)
    }

    @Test("S4-38 an enrolment that was cancelled can be scanned again")
    func cancelledCanBeScannedAgain() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        let link = try await phone.server.makeEnrolLink()
        phone.ostiary.start(with: link)
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        _ = try await phone.secondFactor()
        phone.ostiary.sfCancel()
        let last = try await phone.secondFactor()
        #expect(last.stopped && last.secondFactorInfo.result == nil)
        #expect(try await phone.stopped().ending == .cancelled)
        #expect(await phone.server.with { $0.declines } == [.gaveUp])
        phone.ostiary.start(with: link)
        _ = try await phone.confirmEnrol()
    }

    @Test(
        "A person who refuses the enrolment, and one who never asked for it, are told apart to the server",
        arguments: [(false, Decision.decline), (true, .notMe)])
    func denies(_ notMe: Bool, _ decision: Decision) async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        let link = try await phone.server.makeEnrolLink()
        phone.ostiary.start(with: link)
        phone.ostiary.deny(try await phone.confirmEnrol(), notMe: notMe)
        #expect(try await phone.stopped().ending == .denied)
        #expect(await phone.server.with { $0.declines } == [decision])
        #expect(phone.ostiary.accounts == [])
        phone.ostiary.start(with: link)
        _ = try await phone.confirmEnrol()
    }

    @Test("With the second-factor server down an enrolment fails clearly, leaves nothing behind, and the server is told to forget it")
    func secondFactorServerDown() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        _ = try await atFirstPIN(phone)
        await phone.server.with { $0.mishaps.isSecondFactorDown = true }
        phone.ostiary.sfInput(PIN("271828"))
        let factor = try await phone.secondFactor()
        #expect(factor.secondFactorInfo.result == .error && factor.secondFactorInfo.retry)
        await phone.server.with { server in
            server.mishaps.isSecondFactorDown = false
            server.onMessage = nil
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .success)
    }

    @Test("One account only, if the configuration says so: error 40")
    func singleAccount() async throws {
        let phone = try await TestPhone.enrolled { $0.singleAccount = true }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let error = try await phone.finalFailure()
        #expect(error == .singleAccount && error.code == 40)
    }

    @Test("An unfinished enrolment of an earlier process is cleared away, and its server told")
    func sweepsAfterACrash() async throws {
        let server = try TestServer(clock: TestClock())
        let dying = TestPhone(server)
        _ = try await atFirstPIN(dying)
        await server.with { $0.mishaps.lostAnswers[.e3] = 1_000 }
        dying.ostiary.sfInput(PIN("271828"))
        _ = try await dying.failure()
        dying.cable.cut()
        let document = try #require(dying.accounts.document)
        #expect(try StoredState(decoding: document).accounts.map(\.state) == [.enrolling])
        let accounts = MemoryAccountStore()
        let keys = MemoryKeyStore(copying: dying.keys)
        accounts.document = document
        server.clock.advance(20 * 60)
        await server.with { $0.mishaps.lostAnswers = [:] }
        let next = TestPhone(server, accounts: accounts, keys: keys)
        _ = try await next.ostiary.refresh()
        let state = try StoredState(decoding: accounts.document)
        #expect(state.accounts.isEmpty && state.instances.isEmpty && state.outbox.isEmpty)
        #expect(await server.with { $0.accounts.isEmpty })
    }

    @Test("S4-23 S4-24 S4-25 the visual hash is shown unless the configuration hides it, and then it is not even computed", arguments: [true, false])
    func visualHash(_ isHidden: Bool) async throws {
        let log = Log()
        let phone = TestPhone(try TestServer(clock: TestClock()), log: log) { $0.hidesVisualHash = isHidden }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let shown = try await phone.until { event -> [OstiaryMobile.VisualHash?]? in
            if case .confirmEnrol(_, _, let hash) = event { [hash] } else { nil }
        }
        let expected = try OstiaryProtocol.VisualHash(rootHash: await phone.server.with { $0.keys.rootHash })
        #expect(shown.first??.words == (isHidden ? nil : expected.words))
        #expect(log.notes.filter { $0 == "work visualHash" }.count == (isHidden ? 0 : 1))
    }
}
