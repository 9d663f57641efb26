import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import SecondFactorServer

@Suite("What the second-factor server publishes of its keys")
struct PublishedKeysTests {
    @Test("Never a prekey or a certificate that is over, at any hour of four months; and always one that is good for twelve hours more")
    func nothingExpired() async throws {
        try await ServerFixture.run(on: try openInMemory(), ServerFixture.Setting()) { stage in
            for step in 0..<120 {
                // Each hour of the first two days, then a day and an hour at a time.
                stage.clock.advance(step < 50 ? 3_600 : 90_000)
                let identity = try SecondFactorIdentity(decoding: try await stage.identity().bytes)
                let ends = identity.prekeys.map(\.value.notAfter)
                #expect(ends.allSatisfy { stage.now <= $0 }, "hour \(step)")
                #expect(ends.contains { stage.now + 12 * 3_600 <= $0 }, "hour \(step)")
                #expect(identity.chain.certificates.allSatisfy { stage.now <= $0.notAfter }, "hour \(step)")
            }
        }
    }
}
