import OstiaryProtocol
import Testing

@testable import Authentication

@Suite("An identity of the second-factor server that was verified before")
struct VerifiedIdentityTests {
    private static let now = Instant(1_800_000_000)

    private let keys: FixtureKeys
    private let identity: Encoded<SecondFactorIdentity>
    private let known: VerifiedSecondFactor

    init() throws {
        keys = try FixtureKeys(70, at: Self.now)
        identity = Encoded(SecondFactorIdentity(chain: keys.chain.value, prekeys: [keys.published]))
        known = try VerifiedSecondFactor.verify(identity, rootHash: keys.root.hash, at: Self.now)
    }

    @Test("Its very bytes are taken again as long as its keys are valid, and neither before nor after")
    func again() throws {
        let certificate = try #require(keys.chain.value.certificates.first)
        func verify(at moment: Instant) throws -> VerifiedSecondFactor {
            try VerifiedSecondFactor.verify(identity, rootHash: keys.root.hash, at: moment, former: known)
        }
        for moment in [certificate.notBefore, Self.now + 9, certificate.notAfter] {
            #expect(try verify(at: moment).identity.bytes == identity.bytes)
        }
        for moment in [certificate.notBefore - 1, certificate.notAfter + 1] {
            #expect(throws: BadSignature()) { try verify(at: moment) }
        }
    }

    @Test("Another bit in a signature, or another root that is pinned, and it is verified as one that nobody knows")
    func changed() throws {
        var bytes = identity.bytes
        // In the signature of its prekey, which ends with an empty part of two bytes.
        bytes[bytes.count - 10] ^= 1
        let bent = try Encoded<SecondFactorIdentity>(decoding: bytes)
        #expect(throws: BadSignature()) { try VerifiedSecondFactor.verify(bent, rootHash: keys.root.hash, at: Self.now, former: known) }
        let other = try FixtureKeys(100, at: Self.now)
        #expect(throws: BadSignature()) { try VerifiedSecondFactor.verify(identity, rootHash: other.root.hash, at: Self.now, former: known) }
        let fresh = Encoded(SecondFactorIdentity(chain: other.chain.value, prekeys: [other.published]))
        #expect(try VerifiedSecondFactor.verify(fresh, rootHash: other.root.hash, at: Self.now, former: known).keys.root.hash == other.root.hash)
    }
}
