import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// Attack 9 on this side: whatever is done to an answer, the phone says so with a typed error and nothing of it stays.
@Suite("Hostile answers", .timeLimit(.minutes(10)))
struct TamperTests {
    private static func flip(_ position: Int) -> @Sendable (MessageType, [UInt8]) -> [UInt8] {
        { _, bytes in
            var bytes = bytes
            bytes[position % bytes.count] ^= 0x40
            return bytes
        }
    }

    private static let allowed: Set<OstiaryError> = [
        .serverAnswer, .serverIdentity, .serverParametersUnreadable, .serverParametersWrong,
    ]

    /// Asks once, and writes no history: its 200 lines would be read and written for every byte.
    private static func hurried(_ configuration: inout Ostiary.Configuration) {
        configuration.connectionPatience = .zero
        configuration.expiryHistoryItems = .zero
    }

    @Test("Every flipped byte of an L2 is a typed error, and the store stays as it was")
    func loginAnswer() async throws {
        let phone = try await TestPhone.enrolled(Self.hurried)
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, _) = try await phone.confirmLogin()
        phone.ostiary.stop(session)
        _ = try await phone.stopped()
        let document = phone.accounts.document
        let link = try await phone.server.makeLoginLink()
        for position in 0..<520 {
            await phone.server.with { $0.mishaps.tamper = Self.flip(position) }
            phone.ostiary.start(with: link)
            #expect(Self.allowed.contains(try await phone.finalFailure()), "byte \(position)")
        }
        #expect(phone.accounts.document == document)
    }

    @Test("Every prefix of an L2, and one byte more, is a typed error")
    func prefixes() async throws {
        let phone = try await TestPhone.enrolled(Self.hurried)
        let link = try await phone.server.makeLoginLink()
        for count in stride(from: 0, to: 500, by: 3) {
            await phone.server.with { $0.mishaps.tamper = { _, bytes in Array(bytes.prefix(count % bytes.count)) } }
            phone.ostiary.start(with: link)
            #expect(try await phone.finalFailure() == .serverAnswer, "\(count) bytes")
        }
        await phone.server.with { $0.mishaps.tamper = { _, bytes in bytes + [0] } }
        phone.ostiary.start(with: link)
        #expect(try await phone.finalFailure() == .serverAnswer)
    }

    @Test("An answer to another request is no answer to this one")
    func replayedAnswer() async throws {
        let phone = try await TestPhone.enrolled()
        let link = try await phone.server.makeLoginLink()
        let kept = Kept()
        await phone.server.with { $0.mishaps.tamper = { _, bytes in kept.first(bytes) } }
        phone.ostiary.start(with: link)
        phone.ostiary.stop(try await phone.confirmLogin().0)
        _ = try await phone.stopped()
        phone.ostiary.start(with: link)
        #expect(try await phone.finalFailure() == .serverAnswer)
    }

    @Test("Every flipped byte of a bundle is a typed error, and nothing is stored")
    func bundle() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()), Self.hurried)
        let link = try await phone.server.makeEnrolLink()
        let count = await phone.server.with { $0.bundle.bytes.count }
        for position in 0..<count {
            await phone.server.with { server in
                server.mishaps.tamperBundle = { bytes in
                    var bytes = bytes
                    bytes[position] ^= 0x40
                    return bytes
                }
            }
            phone.ostiary.start(with: link)
            #expect(Self.allowed.contains(try await phone.finalFailure()), "byte \(position)")
        }
        #expect(phone.accounts.document == nil && phone.keys.names.isEmpty)
    }

    @Test(
        "While every M2 is changed the person is asked again, and no try is remembered or lost: the same digits are the same try",
        arguments: Array(stride(from: 0, to: 520, by: 37)))
    func secondFactorAnswer(_ position: Int) async throws {
        let phone = try await TestPhone.restarted()
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        let document = phone.accounts.document
        await phone.server.with { server in
            server.seenAttempts = []
            server.mishaps.tamper = { type, bytes in type == .m1 ? Self.flip(position)(type, bytes) : bytes }
        }
        phone.ostiary.sfInput(PIN("271828"))
        let asked = try await phone.secondFactor()
        #expect(!asked.stopped && asked.secondFactorInfo.result == .error && asked.secondFactorInfo.retry)
        #expect(phone.accounts.document == document)
        await phone.server.with { $0.mishaps.tamper = nil }
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        let (attempts, failed) = await phone.server.with { ($0.seenAttempts, $0.instances.values.map(\.failed)) }
        #expect(attempts.count > 2 && Set(attempts).count == 1)
        #expect(failed == [0])
    }

    @Test("A changed L6 logs nobody in here, and the server is told to stop what it may have begun")
    func decisionAnswer() async throws {
        let phone = try await TestPhone.enrolled()
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        await phone.server.with { server in
            server.mishaps.tamper = { type, bytes in type == .l5 ? Self.flip(70)(type, bytes) : bytes }
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(phone.ostiary.sessions.allSatisfy { !$0.isLoggedIn && $0.webNonce == nil })
        try await waiting(while: await phone.server.with({ !$0.received.contains(.stop) }))
        #expect(await phone.server.with { server in server.sessions.values.contains { $0.stop == .user } })
    }

    @Test("A changed E4 leaves no account that can be used; the server is told to forget it")
    func enrolmentAnswer() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        _ = try await phone.secondFactor()
        await phone.server.with { server in
            server.mishaps.tamper = { type, bytes in type == .e3 ? Self.flip(70)(type, bytes) : bytes }
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .serverAnswer)
        try await waiting(while: await phone.server.with({ !$0.accounts.isEmpty }))
        #expect(phone.ostiary.accounts == [])
        #expect(try StoredState(decoding: phone.accounts.document).accounts.isEmpty)
    }
}
