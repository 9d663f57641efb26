import Crypto
import Testing

@testable import OstiaryMobile

/// The parts of the Apple files that are for every system.
@Suite("What the Security framework says")
struct AppleSupportTests {
    @Test("Of 500 signatures each is the same raw bytes whether they come from DER or not")
    func signatures() throws {
        let key = P256.Signing.PrivateKey()
        for number in 0..<500 {
            let signature = try key.signature(for: [UInt8(truncatingIfNeeded: number), UInt8(number / 256)])
            #expect(SignatureEncoding.raw(fromDER: Array(signature.derRepresentation)) == Array(signature.rawRepresentation))
        }
    }

    @Test("Short numbers are filled up with zeros")
    func shortNumbers() {
        let raw = SignatureEncoding.raw(fromDER: [0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x00])
        #expect(raw == [UInt8](repeating: 0, count: 31) + [5] + [UInt8](repeating: 0, count: 32))
    }

    @Test(
        "What is no DER of two positive numbers of 256 bits is no signature",
        arguments: [
            [], [0x30], [0x30, 0x00], [0x31, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x05], [0x30, 0x05, 0x02, 0x01, 0x05, 0x02, 0x01, 0x05],
            [0x30, 0x06, 0x03, 0x01, 0x05, 0x02, 0x01, 0x05], [0x30, 0x06, 0x02, 0x01, 0x05, 0x03, 0x01, 0x05],
            [0x30, 0x06, 0x02, 0x01, 0x85, 0x02, 0x01, 0x05], [0x30, 0x07, 0x02, 0x02, 0x00, 0x05, 0x02, 0x01, 0x05],
            [0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x02, 0x05], [0x30, 0x07, 0x02, 0x01, 0x05, 0x02, 0x01, 0x05, 0x00],
            [0x30, 0x05, 0x02, 0x00, 0x02, 0x01, 0x05], [0x30, 0x26, 0x02, 0x21, 0x01] + [UInt8](repeating: 7, count: 32) + [0x02, 0x01, 0x05],
        ] as [[UInt8]])
    func malformed(_ bytes: [UInt8]) { #expect(SignatureEncoding.raw(fromDER: bytes) == nil) }

    @Test("Failures of the Keychain and of the prompt are the errors that they mean")
    func failures() {
        #expect(SecurityFailure.keyStoreError(-25_300) == .unknownName)
        #expect(SecurityFailure.keyStoreError(-26_275) == .unreadable)
        #expect(SecurityFailure.keyStoreError(-25_308) == .unavailable, "locked")
        #expect(SecurityFailure.biometricError(-25_300) == .changed)
        #expect(SecurityFailure.biometricError(-128) == .cancelled)
        #expect(SecurityFailure.biometricError(domain: "NSOSStatusErrorDomain", code: -25_293) == .notConfirmed)
        for (code, error) in [(-1, BiometricError.notConfirmed), (-2, .cancelled), (-4, .cancelled), (-9, .cancelled), (-8, .unavailable)] {
            #expect(SecurityFailure.biometricError(domain: SecurityFailure.localAuthentication, code: code) == error)
        }
    }
}
