import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@Suite("New keys for tokens")
struct DrawnKeyTests {
    @Test("A key that was drawn signs what its public half verifies, and no two are the same", arguments: SignatureAlgorithm.allCases)
    func signs(_ algorithm: SignatureAlgorithm) throws {
        let random = SeededRandom("drawn")
        let signers = try (0..<2).map { _ in try LocalSigner(algorithm, stored: try LocalSigner.drawn(algorithm, using: random)) }
        #expect(signers[0].key != signers[1].key)
        let token = try signers[0].sign(TokenFixture.accessToken().json, as: .accessToken)
        #expect(TokenFixture.refusal(of: token, by: JWKSet([signers[0].key])) == nil)
        #expect(TokenFixture.refusal(of: token, by: JWKSet([signers[1].key])) != nil)
        // As others read it, with the bounds of what they take.
        #expect(try JWK(signers[0].key.json) == signers[0].key)
    }

    @Test("A number that is none of the curve's is drawn again")
    func outOfRange() throws {
        let random = ListedRandom([[UInt8](repeating: 0xFF, count: 32), [UInt8](repeating: 0, count: 32), [UInt8](repeating: 5, count: 32)])
        #expect(try LocalSigner.drawn(.es256, using: random) == [UInt8](repeating: 5, count: 32))
    }
}

/// What a test wants to be drawn, in this order.
private final class ListedRandom: RandomSource {
    private let left: Mutex<[[UInt8]]>

    init(_ values: [[UInt8]]) { left = Mutex(values) }

    func bytes(_ count: Int) -> [UInt8] { left.withLock { $0.removeFirst() } }
}
