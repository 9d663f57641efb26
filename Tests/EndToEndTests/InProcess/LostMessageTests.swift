import OstiaryMobile
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Messages that get lost, replaced or doubled on their way, one at each step of a flow.
@Suite("Lost messages", .onBothEngines)
struct LostMessageTests {
    /// To rows an answer that somebody replaced is one that was lost: on PostgreSQL that is enough.
    private static func matters(_ fault: Line.Fault) -> Bool { DatabaseEngine.current == .sqlite || fault != .answerReplaced }

    @Test(
        "Whichever message of a login or its answer is lost, replaced or doubled, the login succeeds, and the right PIN leaves no try counted",
        arguments: 0..<4, Line.Fault.allCases)
    func login(_ number: Int, _ fault: Line.Fault) async throws {
        guard Self.matters(fault) else { return }
        try await ServersFixture.run { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            world.clock.advance(61)
            let nonce = world.backend.newNonce()
            let code = try await world.backend.loginCode(nonce)
            let before = try await world.counted().evaluations
            await world.line.lose(fault, at: number)
            let result = try await phone.logIn(code)
            #expect(result.end.session != nil, "\(result.end)")
            #expect(try await world.backend.isLoggedIn(nonce))
            let after = try await world.counted()
            #expect(after.failed == 0)
            #expect(after.evaluations - before == 1, "a repeat is the same try")
        }
    }

    @Test("A wrong PIN whose answer is lost is one try, however often it is repeated", arguments: [0, 1])
    func wrongPIN(_ number: Int) async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            world.clock.advance(61)
            let code = try await world.backend.loginCode(world.backend.newNonce())
            await world.line.lose(.answerLost, at: 1 + number)
            await world.line.lose(.answerLost, at: 2 + number)
            let result = try await phone.logIn(code, pins: [Person.wrongPINs[0], Person.pin])
            #expect(result.end.session != nil)
            #expect(result.answers.first?.failedAttempts == 1)
            #expect(try await world.counted().failed == 0)
        }
    }

    @Test(
        "Whichever message of an enrolment or its answer is lost, replaced or doubled, the enrolment succeeds", arguments: 0..<4,
        Line.Fault.allCases)
    func enrolment(_ number: Int, _ fault: Line.Fault) async throws {
        guard Self.matters(fault) else { return }
        try await ServersFixture.run { world in
            let phone = try world.phone()
            await world.line.lose(fault, at: number)
            let nonce = try await world.enrol(phone)
            #expect(try await world.backend.isLoggedIn(nonce))
            #expect(phone.ostiary.accounts?.map(\.state) == [.active])
        }
    }

    @Test("S4-52 five tries against a dead second-factor server count nothing, and the right PIN works when it is back")
    func deadSecondFactor() async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            let nonce = try await world.enrol(phone)
            world.clock.advance(61)
            world.secondFactorWire.cut()
            for pin in Person.wrongPINs + [Person.pin] {
                let result = try await phone.logIn(world.backend.loginCode(world.backend.newNonce()), pins: [pin])
                #expect(result.answers.map(\.result) == [.error])
            }
            #expect(try await world.backend.isLoggedIn(nonce))
            #expect(try await world.counted().failed == 0)
            world.secondFactorWire.mend()
            world.clock.advance(11)
            #expect(try await phone.logIn(world.backend.loginCode(world.backend.newNonce())).end.session != nil)
        }
    }

    @Test("The authentication server out of reach is error 70, and a later try goes through")
    func deadAuthentication() async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            let code = try await world.backend.loginCode(world.backend.newNonce())
            await world.line.cut()
            let end = try await phone.logIn(code).end
            #expect(end == .failed(.serverConnection))
            #expect(OstiaryError.serverConnection.code == 70)
            await world.line.mend()
            #expect(try await phone.logIn(code).end.session != nil)
        }
    }
}
