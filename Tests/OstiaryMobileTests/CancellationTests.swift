import Foundation
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryMobile

/// Giving up at every place where the SDK waits for a server or a clock.
@Suite("Given up at every wait", .timeLimit(.minutes(10)))
struct CancellationTests {
    /// Counts the waits of a phone, and gives its flow up at one of them.
    final class Ambush: Sendable {
        private struct State {
            var left: Int
            var spring: (@Sendable () async -> Void)?
        }

        private let state: Mutex<State>

        init(at number: Int) { state = Mutex(State(left: number, spring: nil)) }

        var isSprung: Bool { state.withLock { $0.left < 0 } }

        func arm(_ spring: @escaping @Sendable () async -> Void) { state.withLock { $0.spring = spring } }

        func wait() async {
            let spring = state.withLock { state -> (@Sendable () async -> Void)? in
                guard let spring = state.spring else { return nil }
                state.left -= 1
                return state.left == -1 ? spring : nil
            }
            await spring?()
        }
    }

    /// Before each request leaves, and after its answer arrived.
    struct AmbushTransport: Transport {
        let inner: TestTransport
        let ambush: Ambush

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            await ambush.wait()
            let response = try await inner.send(request)
            await ambush.wait()
            return response
        }
    }

    enum Kind: String, CaseIterable, Sendable {
        case enrolment, login, appLogin
    }

    private func phone(_ kind: Kind, _ ambush: Ambush) async throws -> TestPhone {
        let enrolled: TestPhone
        switch kind {
        case .enrolment: enrolled = TestPhone(try TestServer(clock: TestClock()))
        case .login, .appLogin: enrolled = try await TestPhone.enrolled()
        }
        var configuration = Ostiary.Configuration()
        configuration.hidesVisualHash = true
        let transport = AmbushTransport(inner: TestTransport(server: enrolled.server), ambush: ambush)
        let ports = Ports(keys: enrolled.keys, accounts: enrolled.accounts, transport: transport, clock: enrolled.clock)
        return TestPhone(
            enrolled.server, accounts: enrolled.accounts, keys: enrolled.keys, Ostiary(configuration: configuration, ports: ports.quick))
    }

    /// Answers every question until the session is over or logged in; true for that.
    private func answer(_ phone: TestPhone) async throws -> Bool {
        while true {
            switch try await phone.until({ $0 }) {
            case .confirmEnrol(let session, _, _): phone.ostiary.setAccount(nil, for: session)
            case .confirmLogin(let session, let accounts): phone.ostiary.setAccount(accounts.first, for: session)
            case .secondFactorStarted: phone.ostiary.sfInput(PIN("271828"))
            case .enrolConfirmation: await phone.server.confirmAccounts()
            case .sessionLogin: return true
            case .sessionStop: return false
            case .error(_, let session?) where session.isOver: return false
            default: continue
            }
        }
    }

    @Test("Nobody is logged in; no task, key or half account stays, the document is whole and the next flow works", arguments: Kind.allCases)
    func everyWait(_ kind: Kind) async throws {
        var number = 0
        var isSprung = true
        while isSprung {
            let ambush = Ambush(at: number)
            let phone = try await phone(kind, ambush)
            let (keys, accounts) = (phone.keys.names, phone.ostiary.accounts?.count)
            let ostiary = phone.ostiary
            let wasLoggedIn = Seen()
            ambush.arm { [ostiary] in
                // The newest session is the flow; when this returns, the wish to give it up was heard.
                guard let session = ostiary.sessions.last else { return }
                wasLoggedIn.note(session.isLoggedIn)
                try? await ostiary.end(session)
            }
            switch kind {
            case .enrolment: ostiary.start(with: try await phone.server.makeEnrolLink())
            case .login: ostiary.start(with: try await phone.server.makeLoginLink())
            case .appLogin: ostiary.startAppLogin()
            }
            let isLoggedIn = try await answer(phone)
            isSprung = ambush.isSprung
            let comment: Comment = "\(kind) given up at wait \(number)"
            if wasLoggedIn.values == [false] { #expect(!isLoggedIn, comment) }
            if isSprung { try await checkNothingLeaks(phone, keys: keys, accounts: accounts ?? 0, comment) }
            number += 1
        }
        #expect(number > 6, "there are more waits than that")
    }

    private func checkNothingLeaks(_ phone: TestPhone, keys: [String], accounts: Int, _ comment: Comment) async throws {
        let engine = try phone.ostiary.core().engine
        for session in phone.ostiary.sessions where !session.isOver { try? await phone.ostiary.end(session) }
        try await waiting(while: await engine.isBusy)
        let state = try StoredState(decoding: phone.accounts.document)
        if phone.ostiary.accounts?.count == accounts {
            // A claim keeps its key for a second scan of the same link; nothing else may have one.
            let claimed = Set(state.claims.flatMap { [$0.keyName, $0.secretName] })
            #expect(Set(phone.keys.names).subtracting(claimed) == Set(keys), comment)
            #expect(state.accounts.count == accounts && state.outbox.isEmpty && state.discarded.isEmpty, comment)
        } else {
            // Its code had been typed when it was given up: then it is an account like any other.
            #expect(state.accounts.allSatisfy { $0.state == .active } && state.discarded.isEmpty, comment)
        }
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        _ = try await phone.confirmEnrol()
    }
}

extension Engine {
    /// Whether anything still runs.
    fileprivate var isBusy: Bool { flow != nil || !backgroundTasks.isEmpty || live.contains { $0.pinger != nil || $0.guardian != nil } }
}
