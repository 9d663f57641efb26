import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("One-time codes of a phone without a network", .timeLimit(.minutes(10)))
struct OfflineCodeTests {
    /// Whether the server takes it now, as the phone's first account.
    private func expectGood(_ text: String, _ phone: TestPhone, _ link: [UInt8]) async throws {
        let account = try phone.account
        #expect(try await phone.server.account(typing: text, for: link) == account)
    }

    @Test(
        "S2-02 S2-09 S2-43 S2-44 S2-45 S2-46 S2-47 a code is made when it is asked for, ends the session, and is good at the server",
        arguments: OfflineCodeLength.allCases)
    func whole(_ length: OfflineCodeLength) async throws {
        let phone = try await TestPhone.offering(length)
        let link = try await phone.server.makeLoginLink()
        let reads = phone.keys.secretsRead.count
        let (session, accounts) = try await phone.waitingLogin(link)
        #expect(phone.keys.secretsRead.count == reads, "nothing is computed ahead")
        let text = try #require(phone.ostiary.generateOTP(for: session, and: accounts[0]))
        #expect(phone.keys.secretsRead.count == reads + 1)
        #expect(text.split(separator: " ", omittingEmptySubsequences: false).map(\.count) == [6, length.rawValue])
        #expect(text.allSatisfy { "0123456789ABCDEFGHJKMNPQRSTVWXYZ ".contains($0) })
        let shown = try #require(phone.ostiary.session(session.id))
        #expect(shown.isOver && shown.ending == .otp && shown.otpAvailable, "also before the session stop is told")
        let events = try await phone.all(until: \.isStop)
        guard case .sessionStop(let stopped)? = events.last else { return }
        #expect(stopped.id == session.id && stopped.ending == .otp && stopped.account == accounts[0] && !stopped.isLoggedOut)
        #expect(!events.contains { if case .secondFactorStarted = $0 { true } else { false } }, "no second factor is asked")
        try await expectGood(text, phone, link)
        #expect(phone.ostiary.history.last?.status == .aborted)
    }

    @Test("S2-48 a connection that comes back after the code goes on with nothing, and the server hears no more of the login")
    func comesBackLate() async throws {
        let phone = try await TestPhone.offering()
        let (session, accounts) = try await phone.waitingLogin(try await phone.server.makeLoginLink())
        _ = try #require(phone.ostiary.generateOTP(for: session, and: accounts[0]))
        let heard = await phone.server.with { server in
            server.mishaps.answered = [:]
            server.wakeAll()
            return server.received.count
        }
        let events = try await phone.all(until: \.isStop)
        #expect(!events.contains { $0.saysReady } && !events.contains { $0.asksLogin })
        // The next login is the next thing that the server hears of.
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        _ = try await phone.confirmLogin()
        #expect(await phone.server.with { $0.received.dropFirst(heard) } == [.l1])
        #expect(phone.ostiary.session(session.id)?.ending == .otp)
    }

    @Test("S2-48 of a code and an answer at the same moment one counts: a login that goes on gave no code, one that gave a code never goes on")
    func race() async throws {
        let phone = try await TestPhone.offering()
        let (ostiary, server) = (phone.ostiary, phone.server)
        for round in 0..<200 {
            let (session, accounts) = try await phone.waitingLogin(try await server.makeLoginLink())
            async let code = Task.detached { ostiary.generateOTP(for: session, and: accounts[0]) }.value
            async let answered: Void = server.with { server in
                server.mishaps.answered = [:]
                server.wakeAll()
            }
            await answered
            let isCoded = await code != nil
            let events = try await phone.all { $0.isStop || $0.asksLogin }
            let isAsked = events.last.map(\.asksLogin) == true
            #expect(isAsked != isCoded && events.contains { $0.saysReady } == isAsked, "round \(round)")
            if isAsked {
                ostiary.stop(session)
                _ = try await phone.stopped()
            }
        }
    }

    @Test("S2-48 whichever is first, the code or the server's word, stands", arguments: [true, false])
    func first(isCode: Bool) throws {
        let codes = OfflineCodes()
        let (id, account) = (UUID(), Account.ID(rawValue: "account"))
        let scan = ScannedLogin(
            session: OfflineSession(serverTag: [1, 2, 3, 4], id: SessionID(using: SystemRandomSource())), at: 50,
            clock: try #require(
                OfflineClock(
                    LoginLink(
                        serverTag: [1, 2, 3, 4], sessionID: SessionID(using: SystemRandomSource()), issuedAt: 7, frame: 0, binding: .qrStatic,
                        qrSecret: [1]), wall: Instant(7))))
        codes.offer(.init(scan: scan, sources: [account: CodeSource(reference: 1, secretName: "otp", length: .six)]), for: id, at: 50)
        if isCode {
            #expect(codes.takeOver(id) && !codes.settle(id) && codes.isCoded(id))
            #expect(codes.takeOver(id) && codes.isAvailable(id, at: 350) && !codes.isAvailable(id, at: 351), "the next code may follow")
        } else {
            #expect(codes.settle(id) && !codes.takeOver(id) && !codes.isCoded(id) && !codes.isAvailable(id, at: 50))
            #expect(throws: OstiaryError.wrongOrder) { try codes.source(for: id, of: account, at: 50) }
        }
    }

    @Test("Of the stopped session the same call makes another code every two minutes, for five minutes from the scan, and not longer")
    func again() async throws {
        let phone = try await TestPhone.offering()
        phone.clock.advance(120 - phone.clock.wall % 120)
        let link = try await phone.server.makeLoginLink()
        let (session, accounts) = try await phone.waitingLogin(link)
        var codes: [String] = []
        var left = 300
        while left >= 0 {
            let code = try phone.ostiary.oneTimeCode(for: session, and: accounts[0])
            codes.append(code.text)
            #expect((1...120).contains(code.changesIn) && "\(code)" == "‹secret›")
            #expect(try phone.ostiary.oneTimeCode(for: session, and: accounts[0]).text == code.text, "at one moment it is one code")
            try await expectGood(code.text, phone, link)
            if code.changesIn > 1, code.changesIn <= left {
                phone.clock.advance(UInt64(code.changesIn - 1))
                #expect(try phone.ostiary.oneTimeCode(for: session, and: accounts[0]).text == code.text)
                phone.clock.advance(1)
            } else {
                phone.clock.advance(UInt64(code.changesIn))
            }
            left -= code.changesIn
        }
        #expect(codes.count == 3 && Set(codes).count == 3)
        #expect(phone.ostiary.session(session.id)?.otpAvailable == false)
        #expect(throws: OstiaryError.linkOld) { try phone.ostiary.oneTimeCode(for: session, and: accounts[0]) }
        await phone.server.with { $0.mishaps.answered = [:] }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let events = try await phone.all { $0.asksLogin || $0.isError }
        #expect(events.last?.asksLogin == true && events.count(where: \.isStop) == 1, "the session ends once, and the next may begin")
    }

    @Test("S2-46 the next login may begin in the moment of the code, while the server has not answered about the one that the code ended")
    func nextAtOnce() async throws {
        let phone = try await TestPhone.offering()
        let (session, accounts) = try await phone.waitingLogin(try await phone.server.makeLoginLink())
        let next = try await phone.server.makeLoginLink()
        await phone.server.with { $0.mishaps.answered = [:] }
        let text = phone.ostiary.generateOTP(for: session, and: accounts[0])
        phone.ostiary.start(with: next)
        let events = try await phone.all { $0.asksLogin || $0.isError }
        guard text != nil, case .confirmLogin(let asked, _)? = events.last else { throw OtherEvents(events: events) }
        let ended = events.compactMap { if case .sessionStop(let session) = $0 { session } else { nil } }
        #expect(asked.id != session.id && ended.map(\.id) == [session.id] && ended.first?.ending == .otp)
    }

    @Test(
        "S2-18 whenever a code is made, it is good for two minutes, and after four for no time",
        arguments: Array(stride(from: UInt64(0), to: 120, by: 11)) + [119])
    func lasts(_ second: UInt64) async throws {
        let phone = try await TestPhone.offering()
        phone.clock.advance(120 - phone.clock.wall % 120 + second)
        let link = try await phone.server.makeLoginLink()
        let (session, accounts) = try await phone.waitingLogin(link)
        let code = try phone.ostiary.oneTimeCode(for: session, and: accounts[0])
        #expect(code.changesIn == 120 - Int(second))
        phone.clock.advance(120)
        try await expectGood(code.text, phone, link)
        phone.clock.advance(120)
        #expect(try await phone.server.account(typing: code.text, for: link) == nil)
    }

    @Test(
        "A clock that is an hour off costs nobody a code: the time came with it",
        arguments: [-3_600, -130, 130, 3_600], [Binding.qrDynamic, .qrStatic])
    func wrongClock(_ seconds: Int64, _ binding: Binding) async throws {
        let phone = try await TestPhone.offering()
        // In an earlier process: this one never heard the server's time.
        phone.clock.setWall(by: seconds)
        await phone.server.with { $0.mishaps.clockAhead = -seconds }
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        let link = try await phone.server.makeLoginLink(binding: binding, frame: binding == .qrDynamic ? 45 : 0)
        let (session, accounts) = try await next.waitingLogin(link)
        next.clock.advance(100)
        let text = try #require(next.ostiary.generateOTP(for: session, and: accounts[0]))
        try await expectGood(text, next, link)
    }

    @Test("Codes are of one account: each of two has its own, and the person may have taken the wrong one first")
    func ofOneAccount() async throws {
        let phone = try await TestPhone.offering()
        try await phone.enrol()
        let link = try await phone.server.makeLoginLink()
        let (session, accounts) = try await phone.waitingLogin(link)
        let texts = try accounts.map { try #require(phone.ostiary.generateOTP(for: session, and: $0)) }
        var named: [AccountID?] = []
        for text in texts { named.append(try await phone.server.account(typing: text, for: link)) }
        #expect(named.map { $0?.text } == accounts.map(\.id.rawValue) && accounts.count == 2)
    }
}
