import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("User interaction", .timeLimit(.minutes(10)))
struct InteractionTests {
    /// What a person is asked in one login by code, confirming and answering whatever comes.
    private func questions(_ phone: TestPhone) async throws -> [String] {
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        var asked: [String] = []
        while true {
            let event = try await phone.until { $0 }
            switch event {
            case .confirmLogin(let session, let accounts):
                asked.append("confirm \(accounts.count)")
                #expect(session.account == nil)
                phone.ostiary.setAccount(accounts.last, for: session)
            case .secondFactorStarted(let factor):
                asked.append("factor")
                #expect(factor.session?.account != nil)
                phone.ostiary.sfInput(PIN("271828"))
            case .sessionLogin(let session):
                try await phone.ostiary.end(session)
                _ = try await phone.stopped()
                return asked
            case .error(let error, _): throw error
            default: continue
            }
        }
    }

    @Test("S4-02 S4-06 S4-07 which step is skipped: by setting, accounts, the server's choice and the last second factor", arguments: [true, false])
    func matrix(_ isAutomatic: Bool) async throws {
        for (accounts, isSelected) in [(1, false), (1, true), (2, false), (2, true)] {
            let phone = try await TestPhone.enrolled { $0.automaticallySelectSingleAccountWhenSecondFactorNeeded = isAutomatic }
            if accounts == 2 { try await phone.enrol() }
            let offered = isSelected ? 1 : accounts
            if isSelected {
                // The one that the last login chose, too.
                let last = try #require(phone.ostiary.accounts?.last)
                let chosen = try #require(AccountID(text: last.id.rawValue))
                await phone.server.with { $0.settings.selectedAccount = chosen }
            }
            let confirmed = ["confirm \(offered)"]
            let asked = isAutomatic && offered == 1 ? ["factor"] : confirmed + ["factor"]
            let comment: Comment = "\(accounts) accounts, selected: \(isSelected)"
            #expect(try await questions(phone) == asked, comment)
            await phone.server.with { $0.settings.secondFactorNeed = .none }
            #expect(try await questions(phone) == confirmed, comment)
            await phone.server.with { server in
                server.settings.secondFactorNeed = .needed
                server.settings.pinTimeout = 5
            }
            #expect(try await questions(phone) == asked, comment)
            #expect(try await questions(phone) == confirmed, "remembered: \(comment)")
        }
    }

    /// A way in, and whether it has to be confirmed whatever the configuration says.
    struct WayIn: Sendable, CustomTestStringConvertible {
        let binding: OstiaryProtocol.Binding
        var texts = false
        var logo = false
        /// The server's, which stands for every login.
        var isOwnLogo = false
        let isConfirmed: Bool

        var testDescription: String { "\(binding)\(texts ? ", texts" : "")\(logo ? isOwnLogo ? ", server's logo" : ", logo" : "")" }

        static let all =
            [
                WayIn(binding: .unboundLink, isConfirmed: true), WayIn(binding: .qrStatic, isConfirmed: true),
                WayIn(binding: .qrDynamic, isConfirmed: false), WayIn(binding: .returnCode, isConfirmed: false),
            ]
            + [.qrDynamic, .returnCode].flatMap {
                [
                    WayIn(binding: $0, texts: true, isConfirmed: true), WayIn(binding: $0, logo: true, isConfirmed: true),
                    WayIn(binding: $0, logo: true, isOwnLogo: true, isConfirmed: false),
                    WayIn(binding: $0, texts: true, logo: true, isOwnLogo: true, isConfirmed: true),
                ]
            }
    }

    @Test(
        "S4-02 S4-05 by default a link, a still code, announced texts and an image are confirmed before the PIN; a bare moving code is not",
        arguments: WayIn.all)
    func neverBlind(_ way: WayIn) async throws {
        let phone = try await TestPhone.enrolled { configuration in
            let standard = Ostiary.Configuration().automaticallySelectSingleAccountWhenSecondFactorNeeded
            configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded = standard
        }
        await phone.server.with { server in
            server.settings.binding = way.binding
            if way.texts { server.settings.announceInfo = [Announcement(key: "what", text: "Pay 9000 EUR to Mallory")] }
            if way.logo { server.settings.logo = [1, 2, 3] }
            server.settings.isOwnLogo = way.isOwnLogo
        }
        #expect(try await questions(phone) == (way.isConfirmed ? ["confirm 1", "factor"] : ["factor"]))
    }

    @Test("S4-05 S4-09 an image that did not come is announced all the same: the login is confirmed")
    func confirmedWithoutItsImage() async throws {
        let phone = try await TestPhone.enrolled { $0.automaticallySelectSingleAccountWhenSecondFactorNeeded = true }
        await phone.server.with { server in
            server.settings.logo = [1, 2, 3]
            server.mishaps.tamperLogo = { _ in [] }
        }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let next = try await phone.until { event -> OstiaryEvent? in
            switch event {
            case .confirmLogin, .secondFactorStarted: event
            default: nil
            }
        }
        guard case .confirmLogin(let session, _) = next else {
            Issue.record("the PIN was asked for at once")
            return
        }
        #expect(session.info.announceLogo == nil)
    }

    @Test("S4-13 with the default configuration what the person adds to an announced login reaches the server")
    func userInputByDefault() async throws {
        let phone = try await TestPhone.enrolled { $0.automaticallySelectSingleAccountWhenSecondFactorNeeded = true }
        await phone.server.with { $0.settings.announceInfo = [Announcement(key: "order", text: "7 lamps")] }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, accounts) = try await phone.confirmLogin()
        phone.ostiary.setAccount(accounts.first, for: session, with: "leave it at the door")
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        #expect(await phone.server.with { $0.userInputs } == ["leave it at the door"])
    }

    @Test("S4-03 S4-04 with manuallyStartUserInteraction nothing is asked before startUserInteraction", arguments: [true, false])
    func manual(_ isNamed: Bool) async throws {
        let phone = try await TestPhone.enrolled { $0.manuallyStartUserInteraction = false }
        let manual = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys) { $0.manuallyStartUserInteraction = true }
        manual.ostiary.start(with: try await phone.server.makeLoginLink())
        let states = try await manual.all { if case .sessionUpdate(let session) = $0 { session.state == .readyForUserInteraction } else { false } }
        #expect(!states.contains { if case .confirmLogin = $0 { true } else { false } })
        let session = try #require(manual.ostiary.sessions.last)
        manual.ostiary.setAccount(manual.ostiary.accounts?.first, for: session)
        #expect(try await manual.failure().0 == .wrongOrder)
        manual.ostiary.startUserInteraction(for: isNamed ? session : nil)
        #expect(try await manual.confirmLogin().0.id == session.id)
    }

    @Test("alwaysRequireSecondFactorIfInactiveAppLogin: what is remembered counts only while logged in to the app")
    func alwaysRequired() async throws {
        let phone = try await TestPhone.enrolled { $0.alwaysRequireSecondFactorIfInactiveAppLogin = true }
        await phone.server.with { $0.settings.pinTimeout = 5 }
        #expect(try await questions(phone) == ["confirm 1", "factor"])
        #expect(try await questions(phone) == ["confirm 1", "factor"])
        phone.ostiary.startAppLogin()
        _ = try await phone.login()
        #expect(try await questions(phone) == ["confirm 1"])
        phone.ostiary.stopAppLogin()
        _ = try await phone.stopped()
        #expect(try await questions(phone) == ["confirm 1", "factor"])
    }

    @Test("secondFactorUserInputTimeout gives up when nobody answers, and only then")
    func inputTimeout() async throws {
        let phone = try await TestPhone.enrolled { $0.secondFactorUserInputTimeout = .seconds(120) }
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        try await waiting(while: phone.clock.sleeping == 0)
        phone.clock.advance(119)
        phone.ostiary.sfInput(PIN("161803"))
        #expect(try await phone.secondFactor().secondFactorInfo.result == .failed)
        try await waiting(while: phone.clock.sleeping == 0)
        phone.clock.advance(119)
        phone.ostiary.sfInput(PIN("271828"))
        try await phone.ostiary.end(try await phone.login())
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        try await waiting(while: phone.clock.sleeping == 0)
        phone.clock.advance(120)
        #expect(try await phone.secondFactor().stopped)
        #expect(try await phone.finalFailure() == .userInputTimeout)
        _ = try await phone.beginLogin()
    }

    @Test("A link whose path is not the app's is refused; the text alone is not")
    func linkPrefix() async throws {
        let phone = try await TestPhone.enrolled { $0.universalLinkPathPrefix = "/app" }
        let fragment = Base64URL.encode(try await phone.server.makeLoginLink())
        phone.ostiary.start(link: "https://login.example/l#\(fragment)")
        #expect(try await phone.failure().0 == .linkUnreadable)
        phone.ostiary.start(link: "https://login.example/app/l#\(fragment)")
        let session = try await phone.confirmLogin().0
        phone.ostiary.stop(session)
        _ = try await phone.stopped()
        phone.ostiary.start(link: fragment)
        _ = try await phone.confirmLogin()
    }

    @Test("S2-25 S2-28 S2-29 S2-30 STARTING, fetching, READY_FOR_USER_INTERACTION, then the question: as events and as notifications")
    func states() async throws {
        let phone = try await TestPhone.enrolled()
        let seen = Log()
        let account = try #require(phone.ostiary.accounts?.first)
        let token = NotificationCenter.default.addObserver(forName: Ostiary.NotificationNames.sessionUpdate, object: nil, queue: nil) {
            notification in
            if let session = notification.object as? Session, session.info.serviceName == "Shop" || session.state == .starting {
                seen.note("\(session.id) \(session.state.rawValue)")
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let events = try await phone.all { if case .confirmLogin = $0 { true } else { false } }
        let steps = events.compactMap { event -> String? in
            switch event {
            case .sessionUpdate(let session): session.state.rawValue
            case .confirmLogin(let session, _): "confirmLogin \(session.state.rawValue)"
            default: nil
            }
        }
        #expect(steps == ["STARTING", "READY_FOR_USER_INTERACTION", "confirmLogin WAITING_FOR_USER_INPUT"])
        let id = try #require(phone.ostiary.sessions.last?.id)
        let mine = { seen.notes.filter { $0.hasPrefix("\(id)") } }
        try await waiting(while: mine().count < 2)
        #expect(mine() == ["\(id) STARTING", "\(id) READY_FOR_USER_INTERACTION"])
        #expect(account.state == .active)
    }
}
