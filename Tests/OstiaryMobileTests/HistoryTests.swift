import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("History", .timeLimit(.minutes(10)))
struct HistoryTests {
    private func logIn(_ phone: TestPhone) async throws -> Session {
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        return try await phone.login()
    }

    @Test("Each session has one line, which follows it: logged in, one-shot, logged out, aborted, deleted, error")
    func statuses() async throws {
        let phone = try await TestPhone.enrolled()
        #expect(phone.ostiary.history.map(\.status) == [.loggedOut] && phone.ostiary.history[0].isEnrolment)
        phone.ostiary.clearHistory()
        let first = try await logIn(phone)
        #expect(phone.ostiary.history.map(\.status) == [.loggedIn] && phone.ostiary.history[0].id == first.id)
        #expect(phone.ostiary.history[0].serviceName == "Shop" && phone.ostiary.history[0].username == "ada")
        try await phone.ostiary.end(first)
        phone.ostiary.deny(try await phone.beginLogin())
        _ = try await phone.stopped()
        await phone.server.with { $0.settings.pingTime = 0 }
        _ = try await logIn(phone)
        await phone.server.with { $0.settings.pingTime = 300 }
        await phone.server.with { $0.mishaps.statuses[.l1] = [.refused] }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .refused)
        #expect(phone.ostiary.history.map(\.status) == [.loggedOut, .aborted, .loggedInOneShot, .error])
        try await phone.logInToApp()
        try await phone.ostiary.remove(try #require(phone.ostiary.accounts?.first))
        #expect(phone.ostiary.history.last?.status == .deleted && phone.ostiary.history.last?.isAppLogin == true)
        phone.ostiary.clearHistory()
        try await waiting(while: !phone.ostiary.history.isEmpty)
        #expect(TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys, history: phone.history).ostiary.history.isEmpty)
    }

    @Test("It outlives the process; a login that nobody watches over any more is not shown as going on")
    func restart() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.logInToApp()
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys, history: phone.history)
        _ = try await next.ostiary.refresh()
        #expect(next.ostiary.history.map(\.isAppLogin) == [false, true])
        #expect(next.ostiary.history.last?.status == .loggedOut)
    }

    @Test("Lines older than expiryHistoryItems go, and zero keeps none")
    func expiry() async throws {
        let phone = try await TestPhone.enrolled { $0.expiryHistoryItems = .seconds(3_600) }
        phone.clock.advance(3_599)
        #expect(phone.ostiary.history.count == 1)
        phone.clock.advance(1)
        _ = try await phone.beginLogin()
        #expect(phone.ostiary.history.isEmpty)
        #expect(StoredHistory(decoding: phone.history.document).items.count == 1, "not shown, and gone with the next line")
        let none = try await TestPhone.enrolled { $0.expiryHistoryItems = .zero }
        #expect(none.ostiary.history.isEmpty)
        #expect(none.history.document == nil)
    }

    @Test("No more than 200 lines are kept, the newest")
    func bounded() throws {
        var history = StoredHistory()
        for index in 0..<250 {
            history.note(
                StoredHistoryItem(
                    id: UUID(), status: .loggedOut, username: "ada", serverName: "\(index)", serviceName: "", isAppLogin: false,
                    isEnrolment: false, changedAt: UInt64(index)), expiry: 1_000)
        }
        #expect(history.items.count == 200 && history.items.last?.serverName == "249")
    }

    @Test("A damaged history, or one that cannot be written, stops nothing")
    func damaged() async throws {
        let phone = try await TestPhone.enrolled()
        phone.history.document = Array("[".utf8)
        phone.history.isUnavailable = true
        let session = try await logIn(phone)
        #expect(phone.ostiary.history.last?.id == session.id)
        phone.history.isUnavailable = false
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys, history: phone.history)
        #expect(next.ostiary.history.isEmpty)
    }
}
