import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("A document or a key that cannot be used in the middle of something", .timeLimit(.minutes(10)))
struct StoreTroubleTests {
    /// As far as the code of a new account, and until its server holds the question whether the code was typed.
    private func atCode(_ phone: TestPhone) async throws -> Session {
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let session = try await phone.confirmEnrol()
        phone.ostiary.setAccount(nil, for: session)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.code()
        try await waiting(while: await phone.server.with { $0.waiting.isEmpty })
        return session
    }

    private func stored(_ phone: TestPhone) throws -> StoredState { try StoredState(decoding: phone.accounts.document) }

    @Test("A device key that is there and cannot be read is not replaced by another: the enrolment fails, and works when it can be read again")
    func unreadableKey() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        let link = try await phone.server.makeEnrolLink()
        phone.ostiary.start(with: link)
        phone.ostiary.stop(try await phone.confirmEnrol())
        _ = try await phone.stopped()
        let key = try #require(phone.keys.names.first)
        let publicKey = try phone.keys.publicKey(named: key)
        phone.keys.refusal = .unreadable
        phone.ostiary.start(with: link)
        #expect(try await phone.finalFailure() == .keyStore)
        phone.keys.refusal = nil
        #expect(try phone.keys.publicKey(named: key) == publicKey)
        phone.ostiary.start(with: link)
        _ = try await phone.confirmEnrol()
    }

    @Test("A new account that is given up while the document cannot be written stays, and the app hears why; nothing of it is lost")
    func givenUpWithoutDocument() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        let session = try await atCode(phone)
        let keys = phone.keys.names
        phone.accounts.refusals = 1
        phone.ostiary.stop(session)
        let events = try await phone.all { if case .sessionStop = $0 { true } else { false } }
        #expect(events.contains(.error(.storeUnavailable, session: nil)))
        #expect(!events.contains { if case .accountDeleted = $0 { true } else { false } })
        #expect(try stored(phone).accounts.map(\.state) == [.pending] && stored(phone).outbox.isEmpty && phone.keys.names == keys)
        await phone.server.confirmAccounts()
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        _ = try await next.ostiary.refresh()
        #expect(try await next.login().isLoggedIn)
    }

    @Test("A new account that is given up with its key out of reach goes all the same: nothing can be signed for the server, nor ever be used")
    func givenUpWithoutKey() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        let session = try await atCode(phone)
        phone.keys.refusal = .unreadable
        phone.ostiary.stop(session)
        let events = try await phone.all { if case .sessionStop = $0 { true } else { false } }
        #expect(events.contains { if case .accountDeleted = $0 { true } else { false } })
        #expect(try stored(phone).accounts.isEmpty && stored(phone).outbox.isEmpty && phone.keys.names.isEmpty)
    }

    @Test("An account that the server forgot is not told as deleted while the document still has it")
    func forgottenWithoutDocument() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        _ = try await atCode(phone)
        phone.accounts.refusals = 1
        await phone.server.with { server in
            server.mishaps.statuses[.w1] = [.accountUnknown]
            server.wakeAll()
        }
        let events = try await phone.all { if case .error(_, let session?) = $0 { session.state == .error } else { false } }
        #expect(events.contains { if case .error(.enrolmentExpired, _) = $0 { true } else { false } })
        #expect(!events.contains { if case .accountDeleted = $0 { true } else { false } })
        #expect(try phone.ostiary.accounts?.count == 1 && stored(phone).accounts.count == 1)
    }

    @Test("A deletion that cannot be written deletes nothing, and can be asked for again")
    func deletionWithoutDocument() async throws {
        let phone = try await TestPhone.enrolled()
        let (account, keys) = (try #require(phone.ostiary.accounts?.first), phone.keys.names)
        phone.accounts.refusals = 1
        await #expect(throws: OstiaryError.storeUnavailable) { try await phone.ostiary.remove(account) }
        #expect(phone.ostiary.accounts?.count == 1 && phone.keys.names == keys)
        #expect(await phone.server.with { $0.accounts.count } == 1)
        try await phone.ostiary.remove(account)
        #expect(phone.ostiary.accounts == [] && phone.keys.names.isEmpty)
    }
}
