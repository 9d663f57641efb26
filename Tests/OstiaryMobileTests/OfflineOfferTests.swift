import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("What a phone without a network is offered", .timeLimit(.minutes(10)))
struct OfflineOfferTests {
    @Test("S2-25 S2-26 S2-28 S2-40 directly after the scan the session is STARTING, and codes are offered before the server is asked about it")
    func offeredFirst() async throws {
        let log = Log()
        let phone = try await TestPhone.offering(log: log)
        let before = log.notes.count
        let (session, accounts) = try await phone.waitingLogin(try await phone.server.makeLoginLink())
        #expect(session.state == .starting && session.otpAvailable && !session.connectionError && session.account == nil)
        #expect(accounts == phone.ostiary.accounts && accounts.count == 1)
        let shown = phone.ostiary.session(session.id)
        #expect(shown?.state == .starting && shown?.otpAvailable == true)
        let told = log.notes.dropFirst(before).filter { $0.hasPrefix("event otpAvailable") || $0.hasPrefix("request") }
        #expect(told == ["event otpAvailable outcome=1 accounts session=\(session.id)"], "the question is still on its way")
        #expect(await phone.server.with { $0.received.last } == .l1, "and goes on in the background")
    }

    @Test("S2-29 S2-30 S2-32 the server's answer makes the session ready and brings the question, without a wait, and no code is made any more")
    func answered() async throws {
        let phone = try await TestPhone.offering()
        let waits = phone.clock.waits.count
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        _ = try await phone.offer()
        let events = try await phone.all(until: \.asksLogin)
        let ready = try #require(events.first { $0.saysReady })
        guard case .sessionUpdate(let session) = ready, case .confirmLogin(let asked, let accounts)? = events.last else { return }
        #expect(!session.otpAvailable && !asked.otpAvailable && phone.clock.waits.count == waits)
        #expect(phone.ostiary.generateOTP(for: session, and: accounts[0]) == nil)
        #expect(try await phone.failure().0 == .wrongOrder)
        phone.ostiary.setAccount(accounts.first, for: asked)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().id == session.id, "the call has ended nothing")
    }

    @Test("S2-07 a server that never said that it takes codes has none: nothing is offered, and none is made")
    func notOffered() async throws {
        let phone = try await TestPhone.offering(nil)
        await phone.server.with { $0.mishaps.answered[.l1] = 1 }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let events = try await phone.all(until: \.asksLogin)
        #expect(!events.contains { if case .otpAvailable = $0 { true } else { false } })
        phone.ostiary.stop(try #require(phone.ostiary.sessions.last))
        _ = try await phone.stopped()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        try await waiting(while: await phone.server.with { $0.waiting.isEmpty })
        let session = try #require(phone.ostiary.sessions.last)
        #expect(session.state == .starting && !session.otpAvailable)
        let account = try #require(phone.ostiary.accounts?.first)
        #expect(throws: OstiaryError.notOffered) { try phone.ostiary.oneTimeCode(for: session, and: account) }
        #expect(phone.ostiary.session(session.id)?.isOver == false)
    }

    enum Word: CaseIterable { case login, ping, stop }

    @Test("The newest word of the server counts, whichever answer brings it: codes come, become long, and go", arguments: Word.allCases)
    func changedFlag(_ word: Word) async throws {
        let phone = try await TestPhone.offering(nil)
        var session = try await phone.logInByCode()
        for length in [OfflineCodeLength.six, .eight, nil] {
            if word == .login {
                try await phone.ostiary.end(session)
                _ = try await phone.stopped()
            }
            await phone.server.with { $0.settings.offlineCodes = length }
            switch word {
            case .login: session = try await phone.logInByCode()
            case .ping: try await (try phone.ostiary.core(for: .system)).engine.ping(session.id, hold: 0)
            case .stop:
                try await phone.ostiary.end(session)
                _ = try await phone.stopped()
            }
            let stored = try StoredState(decoding: phone.accounts.document).accounts
            #expect(stored.map(\.offlineCodes) == [length?.rawValue])
            if word == .stop { session = try await phone.logInByCode() }
        }
    }

    @Test("S2-38 the offer has the accounts at the server of the code, and no others")
    func accountsOfServer() async throws {
        let first = try await TestPhone.offering()
        try await first.enrol()
        let elsewhere = try TestServer(clock: first.clock, seed: 0x21)
        await elsewhere.with { $0.settings.offlineCodes = .six }
        let second = TestPhone(elsewhere, accounts: first.accounts, keys: first.keys)
        try await second.enrol()
        let phone = TestPhone(first.server, accounts: first.accounts, keys: first.keys)
        let (session, offered) = try await phone.waitingLogin(try await first.server.makeLoginLink())
        let all = try #require(phone.ostiary.accounts)
        #expect(all.count == 3 && offered == Array(all.prefix(2)))
        #expect(throws: OstiaryError.accountNotOffered) { try phone.ostiary.oneTimeCode(for: session, and: all[2]) }
        #expect(phone.ostiary.session(session.id)?.otpAvailable == true)
    }

    @Test("S2-27 the delegate is told by canGenerateOTPFor, with the session and the accounts")
    func delegate() async throws {
        final class Told: OstiaryDelegate {
            let offers = AsyncStream.makeStream(of: (Session, [Account]).self)

            func ostiary(_ ostiary: Ostiary, canGenerateOTPFor session: Session, with accounts: [Account]) {
                offers.continuation.yield((session, accounts))
            }
        }
        let phone = try await TestPhone.offering()
        let told = Told()
        phone.ostiary.delegate = told
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let offer = try #require(await told.offers.stream.first { _ in true })
        #expect(offer.0.otpAvailable && offer.1 == phone.ostiary.accounts)
    }

    @Test("An AppLogin, a login that waits, what a device shows and an enrolment have no code: no browser shows one to type it into")
    func otherWaysIn() async throws {
        let phone = try await TestPhone.offering()
        phone.ostiary.startAppLogin()
        try await expectNoOffer(phone) { if case .secondFactorStarted(let factor) = $0 { factor.session } else { nil } }
        _ = await phone.server.makeWaitingLogin(for: try phone.account)
        phone.ostiary.fetchWaitingLogins()
        try await expectNoOffer(phone) { if case .confirmLogin(let session, _) = $0 { session } else { nil } }
        phone.ostiary.start(with: Array(await phone.server.makeDeviceCode().0.utf8))
        try await expectNoOffer(phone) { if case .confirmLogin(let session, _) = $0 { session } else { nil } }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        try await expectNoOffer(phone) { if case .confirmEnrol(let session, _, _) = $0 { session } else { nil } }
    }

    /// As far as the question that `pick` finds, which is denied.
    private func expectNoOffer(_ phone: TestPhone, _ pick: (OstiaryEvent) -> Session?) async throws {
        let events = try await phone.all { pick($0) != nil }
        #expect(!events.contains { if case .otpAvailable = $0 { true } else { false } })
        let asked = events.compactMap(pick).last
        let session = try #require(asked)
        #expect(!session.otpAvailable)
        phone.ostiary.deny(session)
        _ = try await phone.stopped()
    }
}
