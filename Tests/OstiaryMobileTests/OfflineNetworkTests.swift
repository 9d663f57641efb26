import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("The network dies while a login begins, and codes are there", .timeLimit(.minutes(10)))
struct OfflineNetworkTests {
    /// Makes a code, and has it typed.
    private func check(_ phone: TestPhone, _ session: Session, _ accounts: [Account], _ link: [UInt8], _ comment: Comment) async throws {
        let text = try #require(phone.ostiary.generateOTP(for: session, and: accounts[0]), comment)
        let account = try phone.account
        #expect(try await phone.server.account(typing: text, for: link) == account, comment)
    }

    @Test("S2-33 S2-36 S2-41 without a network error 70 comes after the offer; the SDK tries again, longer and longer apart, and goes on")
    func unreachable() async throws {
        let phone = try await TestPhone.offering()
        phone.cable.cut()
        let before = phone.clock.waits.count
        let told = phone.ostiary.hub.subscribe(replaying: false)
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        var events: [OstiaryEvent] = []
        for await event in told {
            events.append(event)
            if case .error(let error, let session) = event {
                #expect(error == .serverConnection && error.code == 70)
                #expect(session?.connectionError == true && session?.otpAvailable == true && session?.state == .starting)
                break
            }
        }
        #expect(events.contains { if case .otpAvailable = $0 { true } else { false } }, "the offer comes first")
        try await waiting(while: phone.clock.waits.count < before + 3)
        phone.cable.mend()
        let (asked, _) = try await phone.confirmLogin()
        #expect(!asked.connectionError && !asked.otpAvailable)
        #expect(Array(phone.clock.waits.dropFirst(before).prefix(3)) == [1, 2, 4])
    }

    @Test("S2-37 the error is no matter of waiting: without any patience it comes as well, and no clock was asked for")
    func atOnce() async throws {
        let phone = try await TestPhone.offering { $0.connectionPatience = .zero }
        phone.cable.cut()
        let before = phone.clock.waits
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .serverConnection)
        #expect(phone.clock.waits == before)
    }

    @Test(
        "A login that failed for want of a network still gives its codes: the app may have waited for a minute first",
        arguments: [TransportError.unreachable, .untrusted])
    func afterPatience(_ failure: TransportError) async throws {
        let phone = try await TestPhone.offering()
        let link = try await phone.server.makeLoginLink()
        phone.cable.cut(failure)
        phone.ostiary.start(with: link)
        let (session, accounts) = try await phone.offer()
        #expect(try await phone.finalFailure() == (failure == .untrusted ? .certificateUntrusted : .serverConnection))
        let failed = try #require(phone.ostiary.session(session.id))
        #expect(failed.state == .error && failed.otpAvailable)
        try await check(phone, failed, accounts, link, "after \(failure)")
        // The next login begins as ever.
        phone.cable.mend()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        _ = try await phone.confirmLogin()
    }

    @Test("A login that its server refused, or that the person gave up, has no code any more", arguments: [Status.sessionOver, .linkOld, nil])
    func refused(_ status: Status?) async throws {
        let phone = try await TestPhone.offering()
        let link = try await phone.server.makeLoginLink()
        var offered: (session: Session, accounts: [Account])
        if let status {
            await phone.server.with { $0.mishaps.statuses[.l1] = [status] }
            phone.ostiary.start(with: link)
            offered = try await phone.offer()
            _ = try await phone.finalFailure()
        } else {
            offered = try await phone.waitingLogin(link)
            phone.ostiary.stop(offered.session)
            #expect(try await phone.stopped().ending == .cancelled)
        }
        let (session, accounts) = offered
        #expect(phone.ostiary.session(session.id)?.otpAvailable == false)
        #expect(throws: OstiaryError.wrongOrder) { try phone.ostiary.oneTimeCode(for: session, and: accounts[0]) }
    }

    @Test("An answer about something that is no login of a page ends the offer: no code stands for a transaction")
    func otherPurpose() async throws {
        let phone = try await TestPhone.offering()
        await phone.server.lie(about: .l1) { status, body in
            (status, body.overwritten(at: L2Offset.purpose, with: [SessionPurpose.transaction.rawValue]))
        }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, accounts) = try await phone.offer()
        _ = try await phone.finalFailure()
        #expect(throws: OstiaryError.wrongOrder) { try phone.ostiary.oneTimeCode(for: session, and: accounts[0]) }
    }

    @Test("Wherever the answer breaks off, the code is there, and what comes later goes on with nothing")
    func brokenAnswer() async throws {
        let phone = try await TestPhone.offering()
        let whole = Kept()
        await phone.server.with { $0.mishaps.spoiledAnswers[.l1] = [{ TransportResponse(status: 200, body: whole.first($0)) }] }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        phone.ostiary.stop(try await phone.confirmLogin().0)
        _ = try await phone.stopped()
        let length = whole.first([]).count
        for cut in Array(stride(from: 0, to: length, by: 5)) + [length - 1] {
            let link = try await phone.server.makeLoginLink()
            await phone.server.with { server in
                server.mishaps.answered[.l1] = 1
                server.mishaps.spoiledAnswers[.l1] = [{ bytes in TransportResponse(status: 200, body: Array(bytes.prefix(cut))) }]
            }
            phone.ostiary.start(with: link)
            let (session, accounts) = try await phone.offer()
            #expect(try await phone.failure().0 == .serverConnection, "cut after \(cut) bytes")
            try await check(phone, session, accounts, link, "cut after \(cut) bytes")
            let events = try await phone.all(until: \.isStop)
            #expect(!events.contains { $0.asksLogin })
        }
    }

    @Test("Wherever the bundle breaks off that a phone needs first, the code is there as well")
    func brokenBundle() async throws {
        let enrolled = try await TestPhone.offering()
        enrolled.clock.setWall(by: 2 * 86_400)
        let whole = await enrolled.server.with { $0.bundle.bytes.count }
        for cut in Array(stride(from: 0, to: whole, by: 61)) + [whole - 1] {
            await enrolled.server.with { server in
                server.mishaps.tamperBundle = { Array($0.prefix(cut)) }
                // The answer to a request by an old prekey brings a whole bundle: what is asked then is not answered.
                server.mishaps.answered[.l1] = 0
            }
            // A process that holds no bundle in memory, and finds the stored one too old.
            let phone = TestPhone(enrolled.server, accounts: enrolled.accounts, keys: enrolled.keys)
            let link = try await phone.server.makeLoginLink()
            phone.ostiary.start(with: link)
            let (session, accounts) = try await phone.offer()
            #expect(try await phone.failure().0 == .serverConnection, "cut after \(cut) bytes")
            try await check(phone, session, accounts, link, "cut after \(cut) bytes")
        }
    }

    @Test("A key store that does not give the key is a typed error, ends nothing, and is asked again")
    func lockedKeys() async throws {
        let phone = try await TestPhone.offering()
        let link = try await phone.server.makeLoginLink()
        let (session, accounts) = try await phone.waitingLogin(link)
        phone.keys.secretRefusal = .unavailable
        #expect(phone.ostiary.generateOTP(for: session, and: accounts[0]) == nil)
        let (error, about) = try await phone.failure()
        #expect(error == .keyStore && error.advice == .retry && about?.id == session.id && about?.isOver == false)
        #expect(phone.ostiary.session(session.id)?.otpAvailable == true)
        phone.keys.secretRefusal = nil
        try await check(phone, session, accounts, link, "unlocked")
    }

    @Test("With its account the codes of a login are gone", arguments: [true, false])
    func deletedAccount(isReset: Bool) async throws {
        let phone = try await TestPhone.offering()
        let (session, accounts) = try await phone.waitingLogin(try await phone.server.makeLoginLink())
        _ = try phone.ostiary.oneTimeCode(for: session, and: accounts[0])
        _ = try await phone.stopped()
        if isReset { try await phone.ostiary.eraseEverything() } else { try await phone.ostiary.remove(accounts[0]) }
        #expect(phone.ostiary.session(session.id)?.otpAvailable == false)
        #expect(throws: OstiaryError.accountNotOffered) { try phone.ostiary.oneTimeCode(for: session, and: accounts[0]) }
    }

    @Test("Who waits for the login hears that it was given up for a code, and the log has none of it")
    func whoWaits() async throws {
        let log = Log()
        let phone = try await TestPhone.offering(log: log)
        let link = try await phone.server.makeLoginLink()
        await phone.server.with { $0.mishaps.answered[.l1] = 0 }
        let ostiary = phone.ostiary
        let begun = Task { try await ostiary.begin(with: link) }
        let (session, accounts) = try await phone.offer()
        let text = try #require(phone.ostiary.generateOTP(for: session, and: accounts[0]))
        await #expect(throws: OstiaryError.cancelled) { try await begun.value }
        #expect(!log.notes.contains { note in text.split(separator: " ").contains { note.contains($0) } })
        #expect(log.notes.contains("call generateOTP session=\(session.id)"))
    }
}
