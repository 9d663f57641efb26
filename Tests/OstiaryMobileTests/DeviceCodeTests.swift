import OstiaryProtocol
import Testing

@testable import OstiaryMobile

@Suite("What a device shows, scanned", .timeLimit(.minutes(10)))
struct DeviceCodeTests {
    /// What a phone sends before it asks about the login, and how often.
    private func count(_ type: MessageType, _ phone: TestPhone) async -> Int { await phone.server.received.count { $0 == type } }

    @Test(
        "A scanned code, and an opened one, is brought to its server as it is; then it is a login that the person confirms", arguments: [true, false])
    func whole(isScanned: Bool) async throws {
        // The only account would be taken without a question, if this were a code on a page.
        let phone = try await TestPhone.enrolled { $0.automaticallySelectSingleAccountWhenSecondFactorNeeded = true }
        let (uri, sid) = await phone.server.makeDeviceCode()
        await phone.server.with { $0.settings.announceInfo = [Announcement(key: "Code", text: "BCDF-GHJK")] }
        if isScanned { phone.ostiary.start(with: Array(uri.utf8)) } else { phone.ostiary.start(link: uri) }
        let (session, accounts) = try await phone.confirmLogin()
        #expect(session.info.binding == .unboundLink && session.info.announceInfo == ["Code": "BCDF-GHJK"] && !session.needsNumber)
        phone.ostiary.setAccount(accounts.first, for: session)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let loggedIn = try await phone.login()
        #expect(loggedIn.id == session.id)
        #expect(await phone.server.brought == [uri])
        let result = await phone.server.with { $0.sessions[sid]?.outcome?.answer.result }
        #expect(result == .loggedIn)
    }

    @Test("A no is told to the server, and that it was not the person")
    func denied() async throws {
        let phone = try await TestPhone.enrolled()
        let (uri, sid) = await phone.server.makeDeviceCode()
        phone.ostiary.start(with: Array(uri.utf8))
        phone.ostiary.deny(try await phone.confirmLogin().0, notMe: true)
        let ending = try await phone.stopped().ending
        #expect(ending == .denied)
        #expect(await phone.server.sessions[sid]?.denial == .notMe)
    }

    @Test(
        "A code of any other address is no code here, and nobody hears of it",
        arguments: [
            "https://login.example.evil/device?user_code=BCDFGHJK", "https://evil.example/device?user_code=BCDFGHJK",
            "https://login.example:8443/device?user_code=BCDFGHJK", "http://login.example/device?user_code=BCDFGHJK",
            "https://login.example@evil.example/device?user_code=BCDFGHJK", "http://127.0.0.1/device?user_code=BCDFGHJK",
            "https://login.example/device?user_code=", "https://login.example/device",
        ])
    func foreign(_ uri: String) async throws {
        let phone = try await TestPhone.enrolled()
        let before = await phone.server.received.count
        phone.ostiary.start(with: Array(uri.utf8))
        var error = try await phone.failure().0
        #expect(error == .linkUnreadable)
        phone.ostiary.start(link: uri)
        error = try await phone.failure().0
        #expect(error == .linkUnreadable)
        #expect(await phone.server.received.count == before)
    }

    @Test("A link whose path is none of the app's is not followed; the same scanned is")
    func path() async throws {
        let phone = try await TestPhone.enrolled { $0.universalLinkPathPrefix = "/app" }
        let (uri, _) = await phone.server.makeDeviceCode()
        phone.ostiary.start(link: uri)
        let error = try await phone.failure().0
        #expect(error == .linkUnreadable)
        phone.ostiary.start(with: Array(uri.utf8))
        _ = try await phone.confirmLogin()
    }

    @Test(
        "What the server says of the code is told, and nothing is asked",
        arguments: [
            (.sessionUnknown, .sessionUnknown), (.sessionTaken, .sessionTaken), (.tooMany, .tooMany), (.refused, .refused),
            (.accountBlocked, .accountBlocked),
        ] as [(Status, OstiaryError)])
    func refused(_ status: Status, _ told: OstiaryError) async throws {
        let phone = try await TestPhone.enrolled()
        let (uri, _) = await phone.server.makeDeviceCode()
        await phone.server.with { $0.mishaps.statuses[.verification] = [status] }
        phone.ostiary.start(with: Array(uri.utf8))
        let error = try await phone.finalFailure()
        #expect(error == told)
        #expect(await count(.l1, phone) == 0)
    }

    @Test("Where one account's server refuses, does not know it, or waits for another, the next account is asked for; any other answer is the answer")
    func several() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.enrol()
        let (uri, _) = await phone.server.makeDeviceCode()
        for status in [Status.refused, .accountBlocked, .accountPending, .accountUnknown, .sessionTaken] {
            await phone.server.with { $0.mishaps.statuses[.verification] = [status] }
            phone.ostiary.start(with: Array(uri.utf8))
            let (session, accounts) = try await phone.confirmLogin()
            #expect(accounts.count == 2, "whichever brought it, either may answer")
            phone.ostiary.stop(session)
            _ = try await phone.stopped()
        }
        let before = await count(.verification, phone)
        await phone.server.with { $0.mishaps.statuses[.verification] = [.sessionUnknown] }
        phone.ostiary.start(with: Array(uri.utf8))
        let error = try await phone.finalFailure()
        #expect(error == .sessionUnknown)
        #expect(await count(.verification, phone) == before + 1)
    }

    @Test("Of the answers that all accounts hear the person is told the first that says more than a refusal", arguments: [true, false])
    func allInTheWay(isRefusedFirst: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.enrol()
        let (uri, _) = await phone.server.makeDeviceCode()
        let answers: [Status] = [.refused, .sessionTaken]
        await phone.server.with { $0.mishaps.statuses[.verification] = isRefusedFirst ? answers : answers.reversed() }
        phone.ostiary.start(with: Array(uri.utf8))
        let error = try await phone.finalFailure()
        #expect(error == .sessionTaken)
        #expect(await count(.verification, phone) == 2)
    }

    @Test("An answer that is lost is asked for again")
    func lost() async throws {
        let phone = try await TestPhone.enrolled()
        let (uri, _) = await phone.server.makeDeviceCode()
        await phone.server.with { $0.mishaps.lostAnswers[.verification] = 1 }
        phone.ostiary.start(with: Array(uri.utf8))
        _ = try await phone.confirmLogin()
        #expect(await count(.verification, phone) == 2)
    }

    /// What a server with true keys may answer instead.
    enum Lie: CaseIterable, Sendable {
        case bound, pushed, none, two, anotherServer
    }

    @Test(
        "A server that answers with a link that says more of the browser, with none, with two, or with another server's is not followed",
        arguments: Lie.allCases)
    func lies(_ lie: Lie) async throws {
        let phone = try await TestPhone.enrolled()
        let (uri, sid) = await phone.server.makeDeviceCode()
        let stranger = LoginLink(serverTag: [9, 9, 9, 9], sessionID: sid, issuedAt: 9, frame: 0, binding: .unboundLink, qrSecret: [1])
        await phone.server.with { server in
            let links: [Encoded<LoginLink>] =
                switch lie {
                case .bound: [server.link(to: sid, .returnCode)]
                case .pushed: [server.link(to: sid, .push)]
                case .none: []
                case .two: Array(repeating: server.link(to: sid, .unboundLink), count: 2)
                case .anotherServer: [Encoded(stranger)]
                }
            let waiting = Waiting(logins: links.map { WaitingLogin(link: $0, expiresAt: server.now) }).encoded
            server.lie(about: .verification) { _, _ in (.ok, waiting) }
        }
        phone.ostiary.start(with: Array(uri.utf8))
        let error = try await phone.finalFailure()
        #expect(error == .serverAnswer)
        #expect(await count(.l1, phone) == 0)
    }
}
