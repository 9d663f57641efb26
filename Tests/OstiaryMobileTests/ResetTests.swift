import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Reset, and what else is no login", .timeLimit(.minutes(10)))
struct ResetTests {
    @Test("Reset takes everything: accounts told of, keys destroyed, the server told, history empty; then the app begins anew")
    func everything() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.enrol()
        try await phone.logInByCode()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        _ = try await phone.confirmLogin()
        phone.ostiary.reset()
        var gone = 0
        let events = try await phone.all { event in
            if case .accountDeleted = event { gone += 1 }
            return gone == 2
        }
        #expect(events.contains { if case .sessionStop = $0 { true } else { false } })
        try await waiting(while: !phone.keys.names.isEmpty || !phone.ostiary.history.isEmpty)
        #expect(phone.ostiary.accounts?.isEmpty == true && phone.ostiary.sessions.allSatisfy(\.isOver))
        try await waiting(while: await !phone.server.with({ $0.accounts.isEmpty }))
        await phone.server.with { server in
            server.instances = [:]
            server.tombstones = [:]
        }
        try await phone.enrol()
        #expect(phone.ostiary.accounts?.count == 1)
    }

    @Test("Reset mends a store that is damaged")
    func damaged() async throws {
        let phone = try await TestPhone.enrolled()
        phone.accounts.document = Array("not a document".utf8)
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        #expect(next.ostiary.accounts == nil)
        #expect(try await next.failure().0 == .storeUnreadable)
        try await next.ostiary.eraseEverything()
        #expect(next.ostiary.accounts?.isEmpty == true)
    }

    @Test("Reset of a store that cannot be written says so and changes nothing")
    func unavailable() async throws {
        let phone = try await TestPhone.enrolled()
        phone.accounts.isUnavailable = true
        await #expect(throws: OstiaryError.storeUnavailable) { try await phone.ostiary.eraseEverything() }
        phone.accounts.isUnavailable = false
        #expect(try await phone.ostiary.refresh().isEmpty == false)
        #expect(phone.ostiary.accounts?.count == 1)
    }

    @Test("A store that only cannot be read for the moment is not taken for a damaged one: reset takes nothing away, and says so")
    func unreadableForTheMoment() async throws {
        let phone = try await TestPhone.enrolled()
        let document = phone.accounts.document
        phone.accounts.refusedReads = 1
        await #expect(throws: OstiaryError.storeUnavailable) { try await phone.ostiary.eraseEverything() }
        #expect(phone.accounts.document == document)
        try await phone.ostiary.eraseEverything()
        // The server is told.
        try await waiting(while: await !phone.server.with { $0.accounts.isEmpty })
    }

    @Test("In the background no question is kept open; in front it is again, and a stop is heard at once")
    func background() async throws {
        let phone = try await TestPhone.enrolled { $0.watchesSessions = true }
        try await phone.logInToApp()
        try await waiting(while: await phone.server.with({ $0.waiting.isEmpty }))
        phone.ostiary.enterBackground()
        try await waiting(while: phone.clock.sleeping == 0)
        try await waiting(while: await !phone.server.with({ $0.waiting.isEmpty }))
        phone.ostiary.enterForeground()
        try await waiting(while: await phone.server.with({ $0.waiting.isEmpty }))
        await phone.server.stopSessions()
        #expect(try await phone.stopped().ending == .server)
    }

    @Test("S0-02 tokens where the server has no service behind it, and one-time codes: the calls say that they are not offered")
    func notOffered() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.logInToApp()
        let account = try #require(phone.ostiary.accounts?.first)
        phone.ostiary.getToken(for: session)
        #expect(try await phone.failure().0 == .notOffered)
        #expect(phone.ostiary.generateOTP(for: session, and: account) == nil)
        #expect(try await phone.failure().0 == .notOffered)
        phone.ostiary.getToken(for: Session(id: UUID()))
        #expect(try await phone.failure().0 == .wrongOrder, "nobody knows that session")
        #expect(String(reflecting: Token(bytes: [104, 105])) == "‹secret›")
    }

    @Test("The log has every call, event and request by name, and no secret, name of a person or text of a server")
    func logged() async throws {
        let log = Log()
        let server = try TestServer(clock: TestClock())
        let keys = MemoryKeyStore()
        let accounts = MemoryAccountStore()
        var ports = Ports(keys: keys, accounts: accounts, transport: TestTransport(server: server), clock: server.clock)
        ports.log = log
        var configuration = Ostiary.Configuration()
        configuration.hidesVisualHash = true
        let phone = TestPhone(server, accounts: accounts, keys: keys, Ostiary(configuration: configuration, ports: ports))
        await server.with { $0.settings.announceInfo = [Announcement(key: "amount", text: "12.00 to the bakery")] }
        try await phone.enrol()
        try await phone.logInByCode()
        await server.with { $0.settings.announceInfo = [] }
        let session = try await phone.logInToApp()
        for note in [
            "call start", "call sfInput", "event secondFactorStarted outcome=FIRST_SET", "event sessionLogin", "event sessionStop outcome=user",
            "request /ap1 outcome=200",
        ] {
            #expect(log.notes.contains { $0.hasPrefix(note) }, "\(note)")
        }
        let text = log.notes.joined(separator: "\n")
        let webNonce = try #require(session.webNonce)
        for secret in [webNonce, "271828", "ada", "bakery", "Shop"] { #expect(!text.contains(secret), "\(secret)") }
    }
}
