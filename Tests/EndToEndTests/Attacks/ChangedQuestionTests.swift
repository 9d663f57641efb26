import OstiaryMobile
import OstiaryProtocol
import Testing

@testable import OstiaryPhone

/// Attack 7: what the phone shows of a login is changed on its way.
@Suite("A changed question")
struct ChangedQuestionTests {
    @Test("Attack 7: with any byte of the question changed the phone refuses it, nobody is logged in, and the same login works untouched")
    func everyByte() async throws {
        try await ServersFixture.run { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            let nonce = world.backend.newNonce()
            let code = try await world.backend.loginCode(nonce)
            let length = try await lengthOfQuestion(world, phone, code)
            for position in 0..<length {
                await world.line.alter { bytes in
                    var bytes = bytes
                    bytes[position % bytes.count] ^= 1 << UInt8(position % 8)
                    return bytes
                }
                phone.ostiary.start(with: code)
                let end = try await phone.until(FixturePhone.end)
                #expect([.failed(.serverAnswer), .failed(.serverIdentity)].contains(end), "byte \(position): \(end)")
            }
            #expect(try await world.backend.isLoggedIn(nonce) == false)
            await world.line.alter(nil)
            #expect(try await phone.logIn(code).end.session != nil)
            #expect(try await world.backend.isLoggedIn(nonce))
        }
    }

    private func lengthOfQuestion(_ world: ServersFixture, _ phone: FixturePhone, _ code: [UInt8]) async throws -> Int {
        phone.ostiary.start(with: code)
        let session = try await phone.until { event -> Session? in if case .confirmLogin(let session, _) = event { session } else { nil } }
        phone.ostiary.stop(session)
        _ = try await phone.until(FixturePhone.end)
        return await world.line.lengthOfLastAnswer
    }
}
