import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// A server that signs false answers to an enrolment (E2, the first PIN, the confirmation).
@Suite("A lying server at an enrolment", .timeLimit(.minutes(10)))
struct LyingEnrolmentTests {
    private func begin(_ phone: TestPhone, at server: TestServer? = nil) async throws {
        phone.ostiary.start(with: try await (server ?? phone.server).makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
    }

    @Test("A server cannot lay its hand on an account that this phone has already, whether at itself or elsewhere")
    func accountThatIsThere() async throws {
        let phone = try await TestPhone.enrolled()
        let account = try phone.account
        let document = phone.accounts.document
        await phone.server.lie(about: .e1) { status, body in (status, body.overwritten(at: 4, with: account.bytes)) }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        #expect(try await phone.finalFailure() == .serverAnswer)
        await phone.server.with { $0.lies.answers = nil }
        #expect(try phone.account == account)
        #expect(try StoredState(decoding: phone.accounts.document).accounts == StoredState(decoding: document).accounts)
        #expect(try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) } == [.success])
    }

    @Test("A first PIN needs the server's share: an enrolment without one is refused before a PIN is asked")
    func noShare() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        await phone.server.lie(about: .e1) { status, body in
            guard let e2 = try? E2(decoding: body) else { return (status, body) }
            let lie = E2(
                accountID: e2.accountID, displayName: e2.displayName, serverAccounts: [], secondFactor: .needed, pinPolicy: e2.pinPolicy,
                serverShare: nil, secondFactorPrekey: e2.secondFactorPrekey)
            return (status, lie.encoded)
        }
        try await begin(phone)
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(await phone.server.with { $0.seenAttempts }.isEmpty)
    }

    @Test("A server cannot have a PIN set that is shorter than five digits, or that no person could type")
    func pinPolicy() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        await phone.server.lie(about: .e1) { status, body in
            guard let e2 = try? E2(decoding: body) else { return (status, body) }
            let lie = E2(
                accountID: e2.accountID, displayName: e2.displayName, serverAccounts: [], secondFactor: .needed,
                pinPolicy: PINPolicy(fewestDigits: 1, mostDigits: 4, refusesEasy: false), serverShare: e2.serverShare,
                secondFactorPrekey: e2.secondFactorPrekey)
            return (status, lie.encoded)
        }
        try await begin(phone)
        _ = try await phone.secondFactor()
        for pin in ["2718", "27182"] {
            phone.ostiary.sfInput(PIN(pin))
            #expect(try await phone.failure().0 == .pinLength)
            _ = try await phone.secondFactor()
        }
        #expect(await phone.server.with { $0.seenAttempts }.isEmpty)
    }

    @Test(
        "A first PIN is not counted: PENALISED, BLOCKED and WRONG_EPOCH in answer to it are no answers",
        arguments: [Status.penalised, .blocked, .wrongEpoch])
    func firstPINNotCounted(_ status: Status) async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        try await begin(phone)
        _ = try await phone.secondFactor()
        await phone.server.lie(about: .m1) { _, _ in (status, M2(epoch: 1, tries: .none, serverShare: nil, sealed: []).encoded) }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(phone.ostiary.accounts == [])
        #expect(try StoredState(decoding: phone.accounts.document).instances.isEmpty)
    }

    @Test("A first PIN under a key that nobody names has nothing to be pinned, and is not set")
    func noKeyToPin() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        try await begin(phone)
        _ = try await phone.secondFactor()
        await phone.server.with { server in
            server.lies.evaluation = { told, _ in
                SecondFactorEvaluation(attemptID: told.attemptID, evaluation: told.evaluation, evaluationKey: nil, tries: told.tries)
            }
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(await phone.server.with { !$0.received.contains(.e3) })
    }

    @Test("A first PIN is pinned to the key that made its evaluation, not to any that is named beside it")
    func otherKeyToPin() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        try await begin(phone)
        _ = try await phone.secondFactor()
        await phone.server.with { server in
            server.lies.evaluation = { told, _ in
                let key = try OPRFKey.generate().publicKey
                return SecondFactorEvaluation(attemptID: told.attemptID, evaluation: told.evaluation, evaluationKey: key, tries: told.tries)
            }
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .serverIdentity)
        #expect(await phone.server.with { !$0.received.contains(.e3) })
    }

    @Test("“Denied” in answer to a confirmed enrolment is not believed: the account is there, and nobody is logged in")
    func deniedAfterConfirmation() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        try await begin(phone)
        _ = try await phone.secondFactor()
        await phone.server.lie(about: .w1) { status, body in
            status == .ok
                ? (status, L6(result: .denied, sessionID: SessionID(using: SystemRandomSource()), pingTime: 300, userName: "ada").encoded)
                : (status, body)
        }
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.code()
        await phone.server.confirmAccounts()
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(phone.ostiary.accounts?.map(\.state) == [.active])
        #expect(phone.ostiary.sessions.allSatisfy { !$0.isLoggedIn })
    }

    @Test("An answer about a code that cannot be understood loses no account: it still waits for its code, and the next process takes it up")
    func nonsenseAboutTheCode() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        try await begin(phone)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.code()
        await (try phone.ostiary.core().engine).shutDown()
        await phone.server.lie(about: .w1) { _, _ in (.ok, [1, 2, 3]) }
        phone.clock.advance(5)
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        _ = try await next.ostiary.refresh()
        #expect(try await next.failure().0 == .serverAnswer)
        #expect(next.ostiary.accounts?.map(\.state) == [.pending])
        await phone.server.with { $0.lies.answers = nil }
        await phone.server.confirmAccounts()
        phone.clock.advance(5)
        let last = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        _ = try await last.ostiary.refresh()
        #expect(try await last.login().isLoggedIn)
        #expect(last.ostiary.accounts?.map(\.state) == [.active])
    }
}
