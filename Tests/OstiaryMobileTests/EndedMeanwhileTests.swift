import OstiaryProtocol
import Testing

@testable import OstiaryMobile

/// Two processes of one phone: one waits for the answer to its yes, the other ends the login.
@Suite("Logins that another process ends meanwhile", .timeLimit(.minutes(10)))
struct EndedMeanwhileTests {
    private func state(_ phone: TestPhone) throws -> StoredState { try StoredState(decoding: phone.accounts.document) }

    private func stops(_ phone: TestPhone) async -> [StopReason?] {
        await phone.server.with { server in server.sessions.values.filter { $0.outcome != nil }.map(\.stop) }
    }

    private func count(_ type: MessageType, _ phone: TestPhone) async -> Int {
        await phone.server.with { server in server.received.filter { $0 == type }.count }
    }

    /// An enrolled phone that waits for a PIN; nobody is logged in with it.
    private func atSecondFactor(pingTime: UInt32) async throws -> TestPhone {
        let phone = try await TestPhone.enrolled(remembersAll: true)
        await phone.server.with { server in
            server.settings.pingTime = pingTime
            server.sessions = [:]
            server.received = []
        }
        _ = try await phone.atSecondFactor()
        return phone
    }

    /// Does something to the stored sessions when the yes arrives at the server, whose answer is on its way then.
    private func whenYesArrives(_ phone: TestPhone, _ change: @escaping @Sendable (inout [StoredSession]) -> Void) async {
        let accounts = phone.accounts
        await phone.server.with { server in
            server.onMessage = { type in
                guard type == .l5 else { return }
                try? accounts.update { old in
                    guard var state = try? StoredState(decoding: old) else { return nil }
                    change(&state.sessions)
                    return try? state.encoded()
                }
            }
        }
    }

    @Test("A login that was given up while its yes was on its way is ended by the process that hears the answer, which says so", arguments: [0, 300])
    func givenUp(_ pingTime: UInt32) async throws {
        let phone = try await atSecondFactor(pingTime: pingTime)
        await whenYesArrives(phone) { sessions in for index in sessions.indices { sessions[index].isEnding = true } }
        phone.ostiary.sfInput(PIN("271828"))
        let events = try await phone.all { if case .sessionStop = $0 { true } else { false } }
        #expect(!events.contains { if case .sessionLogin = $0 { true } else { false } })
        let stopped = try #require(phone.ostiary.sessions.last)
        #expect(stopped.ending == .user && stopped.isLoggedOut)
        #expect(await stops(phone) == [.user])
        #expect(phone.ostiary.history.last?.status == .loggedOut)
        #expect(try state(phone).sessions.isEmpty)
        #expect(await count(.ping, phone) == 0)
    }

    @Test("An app with logins that it does not keep ends one that was given up, too")
    func givenUpInApp() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { server in
            server.settings.pingTime = 0
            server.sessions = [:]
        }
        _ = try await phone.atSecondFactor()
        await whenYesArrives(phone) { sessions in for index in sessions.indices { sessions[index].isEnding = true } }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.stopped().ending == .user)
        #expect(await stops(phone) == [.user])
        #expect(try state(phone).sessions.isEmpty)
    }

    @Test("Where its server cannot be told, the login is over here and stays to be ended by a later process")
    func givenUpUnreachable() async throws {
        let phone = try await atSecondFactor(pingTime: 300)
        await whenYesArrives(phone) { sessions in for index in sessions.indices { sessions[index].isEnding = true } }
        await phone.server.with { $0.mishaps.statuses[.stop] = [.tooMany] }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.stopped().ending == .user)
        #expect(phone.ostiary.history.last?.status == .loggedOut)
        let stored = try #require(try state(phone).sessions.first)
        #expect(stored.isEnding == true && stored.unansweredSince == nil)
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys, history: phone.history, remembersAll: true)
        _ = try await next.ostiary.refresh()
        #expect(await stops(phone) == [.user])
        #expect(next.ostiary.sessions.isEmpty, "its end was told before")
    }

    @Test("A process that goes on after another one has ended its login asks the server, and says that it is over")
    func endedAndAnswered() async throws {
        let phone = try await atSecondFactor(pingTime: 300)
        await whenYesArrives(phone) { $0 = [] }
        await phone.server.with { $0.mishaps.statuses[.ping] = [.sessionUnknown] }
        phone.ostiary.sfInput(PIN("271828"))
        let events = try await phone.all { if case .sessionStop = $0 { true } else { false } }
        #expect(!events.contains { if case .sessionLogin = $0 { true } else { false } })
        #expect(phone.ostiary.history.last?.status == .loggedOut)
        #expect(try state(phone).sessions.isEmpty)
        #expect(await count(.ping, phone) == 1)
    }

    @Test("A login that another process has found out and listed meanwhile goes on, without a question")
    func foundOut() async throws {
        let phone = try await atSecondFactor(pingTime: 300)
        await whenYesArrives(phone) { sessions in for index in sessions.indices { sessions[index].unansweredSince = nil } }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().isLoggedIn)
        #expect(await count(.ping, phone) == 0)
        #expect(await stops(phone) == [nil])
    }

    @Test("What is written down no more and goes on all the same is kept")
    func goesOnAllTheSame() async throws {
        let phone = try await atSecondFactor(pingTime: 300)
        await whenYesArrives(phone) { $0 = [] }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().isLoggedIn)
        #expect(try state(phone).sessions.count == 1)
        #expect(await count(.ping, phone) == 1)
    }

    @Test("A process that brings the Stop of a login which the history still has as logged in tells that it is over, once")
    func staleHistory() async throws {
        let phone = try await TestPhone.enrolled(remembersAll: true)
        await phone.server.with { $0.settings.pingTime = 0 }
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let session = try await phone.login()
        // It died between writing that down and ending what another process had given up.
        try phone.accounts.update { old in
            guard var state = try? StoredState(decoding: old) else { return nil }
            for index in state.sessions.indices { state.sessions[index].isEnding = true }
            return try? state.encoded()
        }
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys, history: phone.history, remembersAll: true)
        _ = try await next.ostiary.refresh()
        #expect(try await next.stopped().id == session.id)
        #expect(next.ostiary.history.last { $0.id == session.id }?.status == .loggedOut)
        #expect(try state(next).sessions.isEmpty)
    }
}
