import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// What arrives in the place of an answer without the server's doing: it counts as no answer at all, and the phone asks again (protocol §4).
@Suite("Spoiled answers", .timeLimit(.minutes(10)))
struct LostAnswerTests {
    enum Accident: CaseIterable, Sendable {
        case page, empty, cutOff, changed, longer, ofEarlierRequest, foreignStatus, badRequest, noBundle
        /// The network sent the request twice, and the answer to the second copy gets through.
        case doubled
    }

    /// What comes instead of the next answer to such a message.
    private func befall(_ message: MessageType, _ accident: Accident, _ server: TestServer, earlier: Kept = Kept()) async {
        let spoil: @Sendable ([UInt8]) -> TransportResponse = { bytes in
            switch accident {
            case .page: TransportResponse(status: 200, body: Array("<html>sign in to this network</html>".utf8))
            case .empty: TransportResponse(status: 200, body: [])
            case .cutOff: TransportResponse(status: 200, body: Array(bytes.dropLast()))
            case .changed: TransportResponse(status: 200, body: bytes.dropLast() + [(bytes.last ?? 0) ^ 1])
            case .longer: TransportResponse(status: 200, body: bytes + [0])
            case .ofEarlierRequest: TransportResponse(status: 200, body: earlier.first(bytes))
            case .foreignStatus: TransportResponse(status: 404, body: [])
            case .badRequest: TransportResponse(status: 400, body: [])
            case .noBundle: TransportResponse(status: 409, body: Array("<html>conflict</html>".utf8))
            case .doubled: TransportResponse(status: 200, body: bytes)
            }
        }
        await server.with { server in
            if accident == .doubled { server.mishaps.doubled[message] = 1 } else { server.mishaps.spoiledAnswers[message] = [spoil] }
        }
    }

    private func asked(_ message: MessageType, _ phone: TestPhone) async -> Int {
        await phone.server.with { server in server.received.filter { $0 == message }.count }
    }

    @Test(
        "An answer that was spoiled on its way is a lost one: the login succeeds, and the right PIN is one try", arguments: Accident.allCases,
        [MessageType.l1, .m1, .l5])
    func login(_ accident: Accident, _ message: MessageType) async throws {
        let phone = try await TestPhone.restarted()
        let earlier = Kept()
        await phone.server.with { server in
            server.mishaps.tamper = { _, bytes in
                _ = earlier.first(bytes)
                return bytes
            }
        }
        _ = try await phone.logIn { phone.ostiary.sfInput(PIN("271828")) }
        await phone.server.with { server in
            server.received = []
            server.seenAttempts = []
        }
        await befall(message, accident, phone.server, earlier: earlier)
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        #expect(await asked(message, phone) == 2)
        let (attempts, failed) = await phone.server.with { ($0.seenAttempts, $0.instances.values.map(\.failed)) }
        #expect(Set(attempts).count == 1 && failed == [0])
    }

    @Test(
        "The same of an enrolment: there is one account, and it is active", arguments: Accident.allCases.filter { $0 != .ofEarlierRequest },
        [MessageType.e1, .e3, .w1])
    func enrolment(_ accident: Accident, _ message: MessageType) async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        await befall(message, accident, phone.server)
        try await phone.enrol()
        #expect(phone.ostiary.accounts?.map(\.state) == [.active])
        #expect(await phone.server.with { $0.accounts.count } == 1)
    }

    @Test("A Stop is brought until its own answer has come", arguments: Accident.allCases.filter { $0 != .ofEarlierRequest })
    func stop(_ accident: Accident) async throws {
        let phone = try await TestPhone.restarted()
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let session = try await phone.login()
        await phone.server.with { $0.received = [] }
        await befall(.stop, accident, phone.server)
        try await phone.ostiary.end(session)
        #expect(await asked(.stop, phone) == 2)
    }

    @Test("Where no answer can be read until the patience is over, that is what is told: not an impostor, not a wrong PIN")
    func staysSpoiled() async throws {
        let phone = try await TestPhone.enrolled { $0.connectionPatience = .seconds(40) }
        await phone.server.with { $0.mishaps.tamper = { _, _ in Array("<html>sign in to this network</html>".utf8) } }
        let before = phone.clock.waits.count
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.failure().0 == .serverConnection)
        #expect(try await phone.finalFailure() == .serverAnswer)
        #expect(Array(phone.clock.waits.dropFirst(before)) == [1, 2, 4, 8, 15, 10])
    }
}
