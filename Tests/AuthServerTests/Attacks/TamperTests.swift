import AuthServer
import Authentication
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Tampering: any flipped bit, any prefix, any extra byte is refused and changes nothing")
struct TamperTests {
    /// A message that would be accepted as it is, and who would send it.
    private struct Ready: Sendable {
        let name: String
        let phone: TestPhone
        let message: [UInt8]
        /// nil for messages that come with a fresh key: their signature covers it.
        let ephemeral: EphemeralKey
    }

    /// Everything that a phone signs, each on the verge of being accepted.
    private static func signed(_ servers: ServersFixture) async throws -> [Ready] {
        let enrolling = try await TestPhone(servers).scan(try await servers.invite(try servers.nonce(), userID: "eve"))
        let set = try enrolling.attempt()
        let evaluation = try #require(try await enrolling.phone.evaluate(set).evaluation)
        let phone = try await TestPhone(servers).enrol(try servers.nonce())
        let session = try #require(try await phone.logInApp().sessionID)
        let (trying, deciding) = (
            try await phone.scan(try await servers.link(try servers.nonce())), try await phone.scan(try await servers.link(try servers.nonce()))
        )
        let attempt = try deciding.attempt()
        _ = try await phone.phone.evaluate(attempt)
        let decision = try deciding.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
        servers.clock.advance(1)
        return [
            Ready(name: "E3", phone: enrolling.phone, message: try enrolling.acceptance(set, evaluation).bytes, ephemeral: enrolling.ephemeral),
            Ready(name: "M1", phone: phone.phone, message: try phone.phone.m1(try trying.attempt()).message.bytes, ephemeral: trying.ephemeral),
            Ready(name: "L5", phone: phone.phone, message: decision.bytes, ephemeral: deciding.ephemeral),
            try fresh("W1", phone, W1(accountID: phone.account, hold: 0)), try fresh("Ping", phone, Ping(sessionID: session, hold: 0)),
            try fresh("Stop", phone, Stop(sessionID: session, reason: .user)),
            Ready(
                name: "Delete", phone: phone.phone,
                message: try Encoded(Delete(accountID: phone.account, time: servers.now), signedBy: phone.phone.sign).bytes,
                ephemeral: try TestPhone.ephemeral()),
        ]
    }

    private static func fresh(_ name: String, _ phone: EnrolledPhone, _ message: some DeviceSigned) throws -> Ready {
        let ephemeral = try TestPhone.ephemeral()
        let freshness = SealedRequest.freshness(ephemeral: ephemeral.publicKey, at: phone.servers.now)
        return Ready(
            name: name, phone: phone.phone, message: try Encoded(message, freshness: freshness, signedBy: phone.phone.sign).bytes,
            ephemeral: ephemeral)
    }

    @Test("Inside the seal, in every message that a phone signs")
    func opened() async throws {
        try await ServersFixture.run { servers async throws in
            let messages = try await Self.signed(servers)
            let before = try await servers.snapshot()
            let calls = servers.secondFactor.calls
            for ready in messages {
                for bad in Self.mutations(of: ready.message) {
                    let status = try await ready.phone.send(bad, ready.ephemeral).status
                    #expect(status != .ok, "\(ready.name) of \(bad.count) bytes")
                }
            }
            #expect(try await servers.snapshot() == before)
            #expect(servers.secondFactor.calls == calls)
            for ready in messages {
                let status = try await ready.phone.send(ready.message, ready.ephemeral).status
                #expect(status == .ok, "\(ready.name) as it was")
            }
        }
    }

    /// One bit of every byte, every prefix, one byte more.
    private static func mutations(of message: [UInt8]) -> [[UInt8]] {
        let flips = message.indices.map { index in
            var bytes = message
            bytes[index] ^= 1 << UInt8(index % 8)
            return bytes
        }
        return flips + message.indices.map { Array(message.prefix($0)) } + [message + [0]]
    }

    @Test("Outside the seal, in every byte of a request")
    func sealed() async throws {
        try await ServersFixture.run { servers async throws in
            let phone = try await TestPhone(servers)
            let link = try await servers.invite(try servers.nonce())
            let request = try phone.seal(phone.raw.claim(link).encoded, try TestPhone.ephemeral())
            let before = try await servers.snapshot()
            for bad in Self.mutations(of: request.bytes) {
                let status = try await servers.post(bad).status
                #expect(status == .badRequest || status == .conflict)
            }
            #expect(try await servers.snapshot() == before)
            #expect(try await phone.send(request).status == .ok)
        }
    }

    @Test("What an enrolment showed is what is signed: an E2 that was changed on the way fits no E3")
    func changedScreen() async throws {
        try await ServersFixture.run { servers async throws in
            let enrolling = try await TestPhone(servers).scan(try await servers.invite(try servers.nonce()))
            var shown = enrolling.screen.encoded
            shown[shown.count - 1] ^= 1
            let misled = EnrollingPhone(
                phone: enrolling.phone,
                claimed: RawPhone.Claimed(
                    ephemeral: enrolling.ephemeral, hash: Transcript.enrolment(requestHash: [UInt8](repeating: 0, count: 32), shown: shown),
                    shown: enrolling.screen))
            #expect(try await misled.phone.evaluate(try misled.attempt()).status == .refused)
            #expect(try await misled.phone.send(try misled.refusal().bytes, misled.ephemeral).status == .refused)
        }
    }
}
