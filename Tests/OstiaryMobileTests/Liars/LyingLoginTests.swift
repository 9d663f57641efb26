import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// A server with all its keys that says what is not so of a login (L2, L6).
@Suite("A lying server at a login", .timeLimit(.minutes(10)))
struct LyingLoginTests {
    private static func stranger() -> [UInt8] { [UInt8](repeating: 0x5A, count: 16) }

    /// That nobody was asked for a PIN, and nothing was decided.
    private func expectNothingDone(_ phone: TestPhone) async {
        #expect(await phone.server.with { server in server.received.filter { $0 == .l5 || $0 == .m1 }.count } == 1, "the enrolment's M1 only")
        #expect(phone.ostiary.sessions.allSatisfy { !$0.isLoggedIn })
    }

    @Test("What a code is about is the session in the code: an L2 of another session is refused before anybody is asked")
    func otherSession() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.lie(about: .l1) { status, body in (status, body.overwritten(at: L2Offset.session, with: Self.stranger())) }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .serverAnswer)
        await expectNothingDone(phone)
    }

    @Test("A code is for a login and for nothing else", arguments: [SessionPurpose.app, .transaction])
    func otherPurpose(_ purpose: SessionPurpose) async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.lie(about: .l1) { status, body in (status, body.overwritten(at: L2Offset.purpose, with: [purpose.rawValue])) }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .serverAnswer)
        await expectNothingDone(phone)
    }

    @Test("S4-05 what would be signed and not shown is refused before anybody is asked: a second text of one key, something to sign in a login")
    func notShown() async throws {
        for number in 0..<3 {
            let phone = try await TestPhone.enrolled { $0.automaticallySelectSingleAccountWhenSecondFactorNeeded = number == 0 }
            if number == 2 {
                await phone.server.lie(about: .l1) { status, body in
                    (status, (try? L2(decoding: body))?.encoded(withTransaction: Array("9000 EUR to Mallory".utf8)) ?? body)
                }
            } else {
                await phone.server.with { server in
                    server.settings.announceInfo = [Announcement(key: "amount", text: "10 EUR"), Announcement(key: "amount", text: "9000 EUR")]
                }
            }
            phone.ostiary.start(with: try await phone.server.makeLoginLink())
            #expect(try await phone.finalFailure() == .serverAnswer)
            await expectNothingDone(phone)
        }
    }

    @Test("An AppLogin is one of the app's own account: an L2 that names another account is refused")
    func otherAccountOfTheApp() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.lie(about: .l1) { status, body in
            body[L2Offset.accountLength] == 16 ? (status, body.overwritten(at: L2Offset.account, with: Self.stranger())) : (status, body)
        }
        phone.ostiary.startAppLogin()
        #expect(try await phone.finalFailure() == .serverAnswer)
        await expectNothingDone(phone)
    }

    @Test(
        "S4-05 nobody confirms an AppLogin: an L2 of one that announces a text or an image, or says that it came by a code or a link, is refused",
        arguments: 0..<4)
    func announcingAppLogin(_ number: Int) async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in
            switch number {
            case 0: server.settings.announceInfo = [Announcement(key: "amount", text: "9000 EUR")]
            case 1: server.settings.logo = [1, 2, 3]
            default: server.settings.bindingForApp = number == 2 ? .qrDynamic : .unboundLink
            }
        }
        phone.ostiary.startAppLogin()
        #expect(try await phone.finalFailure() == .serverAnswer)
        await expectNothingDone(phone)
        await phone.server.with { server in
            server.settings.announceInfo = []
            server.settings.bindingForApp = .app
            server.settings.logo = [1, 2, 3]
            server.settings.isOwnLogo = true
        }
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().isAppLogin, "the server's own image announces nothing")
    }

    @Test("A login for an account that this phone does not have is not offered to another one of it")
    func selectsAnotherAccount() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.selectedAccount = AccountID(using: SystemRandomSource()) }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .accountNotOffered)
        await expectNothingDone(phone)
    }

    /// As far as the answer to a decision that was approved by PIN.
    private func decide(_ phone: TestPhone, inApp: Bool = false) async throws {
        if inApp { phone.ostiary.startAppLogin() } else { _ = try await phone.beginLogin() }
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
    }

    @Test("“Denied” in answer to an approval is not believed: nobody is logged in here, and the server is told to stop what it may have begun")
    func deniedAfterApproval() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.lie(about: .l5) { status, _ in
            (status, L6(result: .denied, sessionID: nil, pingTime: 300, userName: "ada").encoded)
        }
        try await decide(phone)
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(phone.ostiary.sessions.allSatisfy { !$0.isLoggedIn })
        try await waiting(while: await phone.server.with({ !$0.received.contains(.stop) }))
    }

    @Test("S0-04 only an AppLogin has a webNonce: one that comes with the login of a browser is shown nowhere")
    func webNonceForABrowser() async throws {
        let phone = try await TestPhone.enrolled()
        let nonce = String(repeating: "A", count: 43)
        await phone.server.lie(about: .l5) { status, body in
            guard let true6 = try? L6(decoding: body) else { return (status, body) }
            let lie = L6(
                result: .loggedIn, sessionID: true6.sessionID, pingTime: true6.pingTime, userName: true6.userName, webNonce: nonce,
                cache: true6.cache, flags: true6.flags, extensions: true6.extensions)
            return (status, lie.encoded)
        }
        try await decide(phone)
        let session = try await phone.login()
        #expect(session.webNonce == nil && !session.isAppLogin)
        #expect(phone.ostiary.sessions.allSatisfy { $0.webNonce == nil })
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().webNonce == nonce, "where it belongs it is taken")
    }

    @Test("An AppLogin has no browser that could come back: an answer that says it waits for one logs nobody in")
    func returningAppLogin() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.lie(about: .l5) { status, body in
            guard let true6 = try? L6(decoding: body) else { return (status, body) }
            let lie = L6(
                result: .loggedIn, sessionID: true6.sessionID, pingTime: true6.pingTime, userName: true6.userName, webNonce: true6.webNonce,
                cache: true6.cache, flags: LoginFlags.returning, extensions: true6.extensions)
            return (status, lie.encoded)
        }
        try await decide(phone, inApp: true)
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(phone.ostiary.sessions.allSatisfy { !$0.isLoggedIn })
    }

    @Test(
        "A name with control or direction characters logs nobody in, however well it is signed",
        arguments: [[0x1B, 0x5B, 0x6D] as [UInt8], [0xE2, 0x80, 0xAE], [0xFF, 0xFE, 0xFD]])
    func namesWithControls(_ name: [UInt8]) async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.lie(about: .l5) { status, body in
            let place = body.indices.first { Array(body[$0...].prefix(4)) == [3] + Array("ada".utf8) }
            return (status, place.map { body.overwritten(at: $0 + 1, with: name) } ?? body)
        }
        try await decide(phone)
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(phone.ostiary.accounts?.first?.username == "ada")
    }

    @Test("CLOCK again after the clock was put right is an error, not a reason to go on for ever")
    func clockAgainAndAgain() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.mishaps.statuses[.l1] = [.clock, .clock, .clock, .clock] }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .clockWrong)
        #expect(await phone.server.with { server in server.received.filter { $0 == .l1 }.count } == 2)
    }

    @Test("An old answer to another ping keeps nobody logged in: this ping has no answer, and the session runs out")
    func oldPingAnswer() async throws {
        let phone = try await TestPhone.enrolled()
        try await decide(phone)
        let session = try await phone.login()
        let kept = Kept()
        await phone.server.with { $0.mishaps.tamper = { type, bytes in type == .ping ? kept.first(bytes) : bytes } }
        _ = try await phone.ostiary.refresh()
        #expect(phone.ostiary.session(session.id)?.connectionError == false)
        try await waiting(while: phone.clock.sleeping == 0)
        phone.clock.advance(150)
        #expect(try await phone.failure().0 == .serverAnswer)
        #expect(try await phone.stopped().ending == .timeout)
    }

    @Test("A server that wants no pings any more gets none: the phone does not ask it without a pause")
    func pingTimeZero() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.lie(about: .ping) { status, _ in
            (status, PingAnswer(state: .loggedIn, reason: .none, pingTime: 0).encoded)
        }
        try await decide(phone)
        let session = try await phone.login()
        try await waiting(while: phone.clock.sleeping == 0)
        phone.clock.advance(150)
        try await waiting(while: phone.ostiary.session(session.id)?.pingTime != 0)
        for _ in 0..<200 { await Task.yield() }
        #expect(await phone.server.with { server in server.received.filter { $0 == .ping }.count } == 1)
        #expect(phone.ostiary.session(session.id)?.isLoggedIn == true)
    }
}
