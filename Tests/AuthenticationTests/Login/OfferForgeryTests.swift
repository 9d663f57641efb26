import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

/// The server keeps nothing of an L1: what comes back has to be what it gave.
@Suite("Offers that were not made for this")
struct OfferForgeryTests {
    private func ready() async throws -> (DomainFixture, TestPhone, Shown) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let question = try await phone.look(at: try await world.link())
        return (world, phone, question)
    }

    /// M1 and L5 with another offer are refused for `reason` and change nothing.
    private func refused(
        _ offer: Encoded<Offer>, in world: DomainFixture, _ phone: TestPhone, _ shown: Shown, for reason: Refusal = .offerWrong
    ) async throws {
        let before = try await world.snapshot()
        let account = try present(phone.account)
        let attempt = try phone.attempt(
            .verify, sessionHash: shown.hash(for: account), account: account, ephemeral: shown.ephemeral,
            about: (session: shown.content.sessionID, offer: offer))
        #expect(try await world.refusal(of: attempt.message) == reason)
        #expect(try await world.refusal(of: try phone.deciding(shown, .init(decision: .decline, offer: offer))) == reason)
        #expect(try await world.snapshot() == before)
    }

    @Test("Of another session, or of another look at the same one")
    func other() async throws {
        let (world, phone, shown) = try await ready()
        try await refused(try await phone.look(at: try await world.link("other")).content.offer, in: world, phone, shown)
        try await refused(try await phone.look(at: try await world.link()).content.offer, in: world, phone, shown)
    }

    @Test("With any bit of it changed")
    func changed() async throws {
        let (world, phone, shown) = try await ready()
        let before = try await world.snapshot()
        let good = shown.content.offer
        for index in good.bytes.indices {
            for bit in 0..<8 {
                var bytes = good.bytes
                bytes[index] ^= 1 << UInt8(bit)
                guard let offer = try? Encoded<Offer>(decoding: bytes) else { continue }
                #expect(try await world.refusal(of: try phone.deciding(shown, .init(decision: .decline, offer: offer))) == .offerWrong)
            }
        }
        #expect(try await world.snapshot() == before)
        #expect(try await phone.decide(try phone.refusing(shown)).result == .denied)
    }

    @Test("Made by a neighbouring server, or by somebody who knows everything but the key")
    func otherKey() async throws {
        let (world, phone, shown) = try await ready()
        let good = shown.content.offer.value
        for key in [[UInt8](repeating: 0, count: 32), world.neighbour.operatorKey.publicKey] {
            let made = Encoded(
                Offer(
                    madeAt: good.madeAt, binding: good.binding, secondFactor: .none, methods: [], asked: good.asked, requestHash: good.requestHash,
                    shownHash: good.shownHash, for: Offer.Place(session: shown.content.sessionID, ephemeral: shown.ephemeral.publicKey),
                    sealedBy: key))
            try await refused(made, in: world, phone, shown)
        }
    }

    @Test("A decision without an offer is refused, as an attempt without one does not even decode")
    func none() async throws {
        let (world, phone, shown) = try await ready()
        let account = try present(phone.account)
        let bare = L5(
            sessionID: shown.content.sessionID, sessionHash: shown.hash(for: account), accountID: account, attemptID: AttemptID(using: phone.random),
            decision: .decline, method: [], offer: nil)
        let message = phone.outgoing(try Encoded(bare, signedBy: phone.sign).bytes, shown.ephemeral)
        #expect(try await world.refusal(of: message) == .offerWrong)
        let attempt = try phone.attempt(.verify, sessionHash: shown.hash(for: account), account: account, ephemeral: shown.ephemeral)
        #expect(try await world.refusal(of: attempt.message) == .malformed(.badValue))
    }

    @Test("Of a session that was forgotten: unknown, also when the nonce is used again, which has another session then")
    func forgotten() async throws {
        let (world, phone, shown) = try await ready()
        world.pass(700)
        try await world.housekeeping.run(at: world.now)
        try await world.housekeeping.run(at: world.now)
        try await refused(shown.content.offer, in: world, phone, shown, for: .sessionUnknown)
        let link = try await world.ask("9000 EUR")
        #expect(link.value.sessionID != shown.content.sessionID)
        try await refused(shown.content.offer, in: world, phone, shown, for: .sessionUnknown)
        #expect(try await phone.decide(try phone.refusing(try await phone.look(at: link))).result == .denied)
    }

    @Test("After the session ran out the right offer comes too late")
    func late() async throws {
        let (world, phone, shown) = try await ready()
        world.pass(301)
        try await refused(shown.content.offer, in: world, phone, shown, for: .sessionOver)
    }
}
