import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("Tokens of the service behind the server", .timeLimit(.minutes(10)))
struct ServiceTokenTests {
    private func received(_ phone: TestPhone) async throws -> (token: Token, session: Session) {
        try await phone.until { event in if case .token(let token, let session) = event { (token, session) } else { nil } }
    }

    private func loggedIn(_ token: [UInt8]?) async throws -> (phone: TestPhone, session: Session) {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.serviceToken = token }
        let session = try await phone.logInToApp()
        return (phone, session)
    }

    @Test(
        "S0-25…29 getToken tells what the service answered, byte for byte, whatever it is: JSON, text that is none, and the longest there may be",
        arguments: [
            Array(#"{"token_type":"Bearer","expires_in":300,"access_token":"2YotnFZFEjr1zCsicMWpAA","scope":"read"}"#.utf8) + [0x0A, 0x20],
            [0x00, 0xFF, 0xC3, 0x28, 0x0D, 0x0A], [UInt8](repeating: 0xA5, count: 65_000),
        ])
    func verbatim(_ bytes: [UInt8]) async throws {
        let (phone, session) = try await loggedIn(bytes)
        phone.ostiary.getToken(for: session)
        let (token, told) = try await received(phone)
        #expect(token.bytes == bytes && told.id == session.id && told.isLoggedIn)
        #expect(String(describing: token) == "‹secret›" && String(reflecting: token) == "‹secret›")
    }

    @Test("S0-25 a call whose answers are lost is asked again under its own name, and tells one token; the next call has another name")
    func retried() async throws {
        let (phone, session) = try await loggedIn([1, 2, 3])
        await phone.server.with { $0.mishaps.lostAnswers[.getToken] = 2 }
        phone.ostiary.getToken(for: session)
        #expect(try await received(phone).token.bytes == [1, 2, 3])
        let tries = await phone.server.with { $0.tokenCalls }
        #expect(tries.count == 3 && Set(tries).count == 1)
        phone.ostiary.getToken(for: session)
        let rest = try await phone.all { if case .token = $0 { true } else { false } }
        #expect(rest.filter { if case .token = $0 { true } else { false } }.count == 1, "the lost tries told nothing")
        #expect(await phone.server.with { Set($0.tokenCalls).count } == 2)
    }

    @Test("A server that stays away is one error of the call, when the patience is over, and the login goes on")
    func unreachable() async throws {
        let (phone, session) = try await loggedIn([1])
        await phone.server.with { $0.mishaps.lostAnswers[.getToken] = 1_000 }
        phone.ostiary.getToken(for: session)
        let events = try await phone.all { if case .error = $0 { true } else { false } }
        let errors = events.compactMap { event in if case .error(let error, let told) = event { (error, told?.id) } else { nil } }
        #expect(errors.count == 1 && errors.first?.0 == .serverConnection && errors.first?.1 == session.id)
        await phone.server.with { $0.mishaps.lostAnswers = [:] }
        phone.ostiary.getToken(for: session)
        let rest = try await phone.all { if case .token = $0 { true } else { false } }
        #expect(!rest.contains { if case .error = $0 { true } else { false } })
    }

    @Test(
        "S0-02 why there is no token is told as an error of the session, which goes on; a service that fails is not replaced by the provider",
        arguments: [
            (Status.serviceUnavailable, OstiaryError.serviceUnavailable, OstiaryError.Advice.retry),
            (.serviceRefused, .serviceRefused, .giveUp), (.serviceAnswer, .serviceAnswer, .giveUp), (.busy, .tooMany, .retry),
            (.tooMany, .tooMany, .retry),
        ])
    func refused(_ status: Status, _ expected: OstiaryError, _ advice: OstiaryError.Advice) async throws {
        let phone = try await TestPhone.enrolled { configuration in
            configuration.bindsTokens = true
            // Whoever would ask there is told that nobody answers.
            configuration.tokens = TokenSettings(issuer: "https://nobody.example", clientID: "timesheets", audience: nil, scope: "openid")
        }
        let session = try await phone.logInToApp()
        await phone.server.with { $0.mishaps.statuses[.getToken] = [status] }
        phone.ostiary.getToken(for: session)
        let (error, told) = try await phone.failure()
        #expect(error == expected && error.advice == advice && told?.id == session.id && told?.isLoggedIn == true)
    }

    @Test("S0-32 a server without a service, and one of before that does not know the message, give none: without a provider it is not offered")
    func notOffered() async throws {
        let (phone, session) = try await loggedIn(nil)
        for statuses in [[], [Status.refused]] {
            await phone.server.with { $0.mishaps.statuses[.getToken] = statuses }
            phone.ostiary.getToken(for: session)
            #expect(try await phone.failure().0 == .notOffered)
        }
    }

    @Test("S0-25 a token that comes when its login is over is told to nobody")
    func late() async throws {
        let (phone, session) = try await loggedIn([1])
        let call = HeldCall()
        await phone.server.with { $0.beforeToken = { await call.pass() } }
        phone.ostiary.getToken(for: session)
        await call.arrived()
        try await phone.ostiary.end(session)
        call.open()
        let second = try await phone.logInToApp()
        await phone.server.with { $0.beforeToken = nil }
        phone.ostiary.getToken(for: second)
        let events = try await phone.all { if case .token = $0 { true } else { false } }
        let told = events.compactMap { event in if case .token(_, let session) = event { session.id } else { nil } }
        #expect(told == [second.id], "the first token that is told is that of the second login")
    }

    @Test("S0-25 a call whose login ends while it is under way is told as that, and is not made again when its answer is lost")
    func endedMeanwhile() async throws {
        let (phone, session) = try await loggedIn([1])
        let call = HeldCall()
        await phone.server.with { server in
            server.mishaps.lostAnswers[.getToken] = 1_000
            server.beforeToken = { await call.pass() }
        }
        phone.ostiary.getToken(for: session)
        await call.arrived()
        try await phone.ostiary.end(session)
        call.open()
        #expect(try await phone.failure().0 == .sessionOver)
        #expect(await phone.server.with { $0.tokenCalls.count } == 1)
    }

    @Test("Only a logged-in AppLogin has tokens: for any other session nothing is asked")
    func wrongSession() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.serviceToken = [1] }
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        phone.ostiary.getToken(for: try await phone.login())
        #expect(try await phone.failure().0 == .wrongOrder)
        #expect(await phone.server.with { !$0.received.contains(.getToken) })
    }
}
