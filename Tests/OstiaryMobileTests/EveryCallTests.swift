import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// Every public call in every state that an app can be in.
@Suite("Every call in every state", .timeLimit(.minutes(10)))
struct EveryCallTests {
    /// What the app holds when it makes a call: what it has, or something that means nothing here.
    struct Hand {
        let phone: TestPhone
        let session: Session
        let account: Account?
        let link: [UInt8]
        var ostiary: Ostiary { phone.ostiary }
    }

    struct Call: Sendable {
        let name: String
        /// Whether the SDK tells something of it in a state that waits; the documentation says of the others that they do not.
        var isTold = true
        var needsAccount = false
        let make: @Sendable (Hand) async -> Void
    }

    private static let calls = [
        Call(name: "configure", make: { $0.ostiary.configure(ports: Ports(keys: MemoryKeyStore(), accounts: MemoryAccountStore())) }),
        Call(name: "delegate", isTold: false, make: { $0.ostiary.delegate = nil }),
        Call(name: "events", isTold: false, make: { _ = $0.ostiary.events }),
        Call(name: "accounts", isTold: false, make: { _ = $0.ostiary.accounts }),
        Call(name: "sessions", isTold: false, make: { _ = $0.ostiary.sessions }),
        Call(name: "session", isTold: false, make: { _ = $0.ostiary.session($0.session.id) }),
        Call(name: "appLoginSession", isTold: false, make: { _ = $0.ostiary.appLoginSession }),
        Call(name: "history", isTold: false, make: { _ = $0.ostiary.history }),
        Call(name: "clearHistory", isTold: false, make: { $0.ostiary.clearHistory() }),
        Call(name: "userIsActive", isTold: false, make: { $0.ostiary.userIsActive() }),
        Call(name: "start(with:)", make: { $0.ostiary.start(with: $0.link) }),
        Call(name: "start(with:) nonsense", make: { $0.ostiary.start(with: []) }),
        Call(name: "start(link:)", make: { $0.ostiary.start(link: "https://login.example/l#" + Base64URL.encode($0.link)) }),
        Call(name: "startAppLogin", make: { $0.ostiary.startAppLogin() }),
        Call(name: "stopAppLogin", make: { $0.ostiary.stopAppLogin() }),
        // Does nothing where the SDK goes on by itself.
        Call(name: "startUserInteraction", isTold: false, make: { $0.ostiary.startUserInteraction(for: $0.session) }),
        Call(name: "startUserInteraction()", isTold: false, make: { $0.ostiary.startUserInteraction() }),
        Call(name: "setAccount(nil)", make: { $0.ostiary.setAccount(nil, for: $0.session) }),
        Call(name: "setAccount", needsAccount: true, make: { $0.ostiary.setAccount($0.account, for: $0.session, with: "yes") }),
        Call(name: "sfInput wrong", make: { $0.ostiary.sfInput(PIN("161803")) }),
        Call(name: "sfInput short", make: { $0.ostiary.sfInput(PIN("1")) }),
        Call(name: "sfInput(info)", make: { $0.ostiary.sfInput(BiometricInfo(reason: "log in")) }),
        Call(name: "sfInput(_:and:)", make: { $0.ostiary.sfInput(PIN("161803"), and: BiometricInfo(reason: "log in")) }),
        Call(name: "addBiometrics", make: { $0.ostiary.addBiometrics() }),
        Call(name: "removeBiometrics", make: { $0.ostiary.removeBiometrics() }),
        Call(name: "changePIN", make: { $0.ostiary.changePIN() }),
        Call(name: "sfCancel", make: { $0.ostiary.sfCancel() }),
        Call(name: "deny", make: { $0.ostiary.deny($0.session, notMe: true) }),
        Call(name: "stop", make: { $0.ostiary.stop($0.session) }),
        Call(name: "getToken", make: { $0.ostiary.getToken(for: $0.session) }),
        Call(
            name: "generateOTP", needsAccount: true, make: { hand in _ = hand.account.map { hand.ostiary.generateOTP(for: hand.session, and: $0) } }),
        Call(name: "resume", isTold: false, make: { $0.ostiary.resume() }),
        Call(name: "fetchWaitingLogins", isTold: false, make: { $0.ostiary.fetchWaitingLogins() }),
        Call(name: "beginWaitingLogin", isTold: false, make: { _ = try? await $0.ostiary.beginWaitingLogin() }),
        Call(name: "enterForeground", isTold: false, make: { $0.ostiary.enterForeground() }),
        Call(name: "enterBackground", isTold: false, make: { $0.ostiary.enterBackground() }),
        Call(name: "setWatching", isTold: false, make: { $0.ostiary.setWatching(false) }),
        Call(name: "deleteAccount", needsAccount: true, make: { hand in hand.account.map { hand.ostiary.deleteAccount($0) } }),
        Call(name: "reset", isTold: false, make: { $0.ostiary.reset() }),
        Call(name: "begin", isTold: false, make: { _ = try? await $0.ostiary.begin(link: "nonsense") }),
        Call(name: "end", isTold: false, make: { try? await $0.ostiary.end($0.session) }),
        Call(
            name: "remove", isTold: false, needsAccount: true,
            make: { hand in if let account = hand.account { try? await hand.ostiary.remove(account) } }),
        Call(
            name: "tokenProof", isTold: false,
            make: { _ = try? await $0.ostiary.tokenProof(for: $0.session, method: "GET", url: URL(fileURLWithPath: "/nothing")) }),
        Call(name: "getData", isTold: false, make: { _ = try? await $0.ostiary.getData([1]) }),
        Call(name: "refresh", isTold: false, make: { _ = try? await $0.ostiary.refresh() }),
        Call(name: "eraseEverything", isTold: false, make: { try? await $0.ostiary.eraseEverything() }),
    ]

    enum Situation: CaseIterable, Sendable {
        case noAccount, idle, starting, ready, confirmingLogin, verifying, confirmingEnrol, settingPIN, typingCode, loggedIn, appLoggedIn, over,
            changingPIN
    }

    @Test("Each is allowed or a typed error, told of, and leaves an SDK that can do the next login", arguments: Situation.allCases)
    func everyCall(_ situation: Situation) async throws {
        for call in Self.calls {
            let phone = try await prepare(situation)
            let comment: Comment = "\(call.name) in \(situation)"
            let account = phone.ostiary.accounts?.first
            let session = phone.ostiary.sessions.last ?? Session(id: UUID())
            let hand = Hand(phone: phone, session: session, account: account, link: try await phone.server.makeLoginLink())
            let told = phone.ostiary.hub.subscribe(replaying: false)
            await call.make(hand)
            // What flows by itself tells something in any case; of the rest a word must come, or the suite's time is up.
            if call.isTold, situation != .starting, account != nil || !call.needsAccount {
                let first = await told.first { _ in true }
                #expect(first != nil, comment)
            }
            await allCarriedOut(phone)
            try await settle(phone)
            #expect(throws: Never.self, comment) { try StoredState(decoding: phone.accounts.document) }
            try await useAfterwards(phone, comment)
        }
    }

    /// A phone in that state, each with a server of its own.
    private func prepare(_ situation: Situation) async throws -> TestPhone {
        switch situation {
        case .noAccount: return TestPhone(try TestServer(clock: TestClock()))
        case .confirmingEnrol, .settingPIN, .typingCode:
            let phone = TestPhone(try TestServer(clock: TestClock()))
            phone.ostiary.start(with: try await phone.server.makeEnrolLink())
            let session = try await phone.confirmEnrol()
            guard situation != .confirmingEnrol else { return phone }
            phone.ostiary.setAccount(nil, for: session)
            _ = try await phone.secondFactor()
            guard situation == .typingCode else { return phone }
            phone.ostiary.sfInput(PIN("271828"))
            _ = try await phone.code()
            return phone
        case .idle, .starting, .ready, .confirmingLogin, .verifying, .loggedIn, .appLoggedIn, .over, .changingPIN:
            let phone = try await TestPhone.restarted { $0.manuallyStartUserInteraction = situation == .ready }
            try await advance(phone, to: situation)
            return phone
        }
    }

    private func advance(_ phone: TestPhone, to situation: Situation) async throws {
        switch situation {
        case .idle, .noAccount, .confirmingEnrol, .settingPIN, .typingCode: return
        case .starting: phone.ostiary.start(with: try await phone.server.makeLoginLink())
        case .ready:
            phone.ostiary.start(with: try await phone.server.makeLoginLink())
            _ = try await phone.until { event in
                if case .sessionUpdate(let session) = event, session.state == .readyForUserInteraction { true } else { nil }
            }
        case .confirmingLogin:
            phone.ostiary.start(with: try await phone.server.makeLoginLink())
            _ = try await phone.confirmLogin()
        case .verifying:
            _ = try await phone.beginLogin()
            _ = try await phone.secondFactor()
        case .loggedIn, .over:
            // By no PIN: to stretch one for every call takes longer than all the rest.
            await phone.server.with { $0.settings.secondFactorNeed = .none }
            let session = try await phone.beginLogin()
            _ = try await phone.login()
            await phone.server.with { $0.settings.secondFactorNeed = .needed }
            if situation == .over { try await phone.ostiary.end(session) }
        case .appLoggedIn: try await phone.logInToApp()
        case .changingPIN:
            phone.ostiary.changePIN()
            _ = try await phone.secondFactor()
        }
    }

    /// Calls are carried out in order: when the answer to this one is there, all before it are done.
    private func allCarriedOut(_ phone: TestPhone) async {
        let told = phone.ostiary.hub.subscribe(replaying: false)
        phone.ostiary.setAccount(nil, for: Session(id: UUID()))
        _ = await told.first { $0 == .error(.wrongOrder, session: nil) }
    }

    /// Gives up whatever goes on, and waits until nothing does.
    private func settle(_ phone: TestPhone) async throws {
        while let session = phone.ostiary.sessions.first(where: { !$0.isOver }) {
            phone.ostiary.stop(session)
            try Task.checkCancellation()
            await Task.yield()
        }
        // A change of the second factor has no session to stop.
        while await (try? phone.ostiary.core().engine.flow) != nil {
            phone.ostiary.sfCancel()
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func useAfterwards(_ phone: TestPhone, _ comment: Comment) async throws {
        let isEmpty = phone.ostiary.accounts?.isEmpty ?? true
        let told = phone.ostiary.hub.subscribe(replaying: false)
        phone.ostiary.start(with: isEmpty ? try await phone.server.makeEnrolLink() : try await phone.server.makeLoginLink())
        for await event in told {
            guard case .sessionUpdate(let session) = event, session.state == .readyForUserInteraction else { continue }
            return #expect(session.isEnrolment == isEmpty, comment)
        }
    }

    @Test("Before configure each call is reported, or reads as nothing")
    func unconfigured() async throws {
        let ostiary = Ostiary.default
        let calls: [() -> Void] = [
            { ostiary.start(with: [1]) }, { ostiary.start(link: "x") }, { ostiary.startUserInteraction() }, { ostiary.sfInput(PIN("271828")) },
            { ostiary.sfCancel() }, { ostiary.startAppLogin() }, { ostiary.stopAppLogin() }, { ostiary.resume() }, { ostiary.setWatching(true) },
            { ostiary.clearHistory() }, { ostiary.reset() }, { ostiary.enterForeground() }, { ostiary.enterBackground() },
            { ostiary.stop(Session(id: UUID())) }, { ostiary.getToken(for: Session(id: UUID())) },
        ]
        for call in calls {
            let told = ostiary.hub.subscribe(replaying: false)
            call()
            #expect(await told.first { _ in true } == .error(.notConfigured, session: nil))
        }
        #expect(ostiary.accounts == nil && ostiary.sessions.isEmpty && ostiary.history.isEmpty)
        await #expect(throws: OstiaryError.notConfigured) { try await ostiary.begin(link: "x") }
        await #expect(throws: OstiaryError.notConfigured) { try await ostiary.refresh() }
        await #expect(throws: OstiaryError.notConfigured) { try await ostiary.getData([1]) }
        await #expect(throws: OstiaryError.notConfigured) { try await ostiary.eraseEverything() }
    }
}
