import OstiaryProtocol
import Testing

@Suite("PIN blinding")
struct PINBlindingTests {
    let stretched: StretchedPIN
    let key: OPRFKey
    let attempt = AttemptID(using: SystemRandomSource())

    init() throws {
        let instance = try #require(InstanceID([UInt8](repeating: 9, count: 16)))
        stretched = try StretchedPIN(
            pin: try LockedBytes(copying: Array("271828".utf8)), deviceSecret: SecretBytes([UInt8](repeating: 3, count: 32)),
            scope: BoxScope(instance: instance, epoch: 1))
        key = try OPRFKey.generate()
    }

    @Test("Each blinding asks another question and gets the same answer; a repeated question is the same bytes")
    func freshAndRepeatable() throws {
        let (first, second) = (try PINBlinding(stretched), try PINBlinding(stretched))
        #expect(first.blindedElement != second.blindedElement)
        #expect(first.blindedElement == first.blindedElement && first.blindedElement.count == 32)
        let one = try first.finish(evaluation: try key.evaluate(first.blindedElement, attempt: attempt), pinnedKey: key.publicKey)
        let again = try first.finish(evaluation: try key.evaluate(first.blindedElement, attempt: attempt), pinnedKey: key.publicKey)
        let two = try second.finish(evaluation: try key.evaluate(second.blindedElement, attempt: attempt), pinnedKey: key.publicKey)
        #expect(one.matches(again) && one.matches(two) && one.count == 64)
    }

    @Test("An answer to another question, by another key or with any changed bit is refused")
    func refusals() throws {
        let (blinding, other) = (try PINBlinding(stretched), try PINBlinding(stretched))
        let stranger = try OPRFKey.generate()
        let right = try key.evaluate(blinding.blindedElement, attempt: attempt)
        let foreign = try stranger.evaluate(blinding.blindedElement, attempt: attempt)
        let elsewhere = try key.evaluate(other.blindedElement, attempt: attempt)
        #expect(throws: PINBlindingError.serverIdentity) { try blinding.finish(evaluation: elsewhere, pinnedKey: key.publicKey) }
        #expect(throws: PINBlindingError.serverIdentity) { try blinding.finish(evaluation: foreign, pinnedKey: key.publicKey) }
        #expect(throws: PINBlindingError.serverIdentity) { try blinding.finish(evaluation: right, pinnedKey: stranger.publicKey) }
        for index in right.indices {
            var bytes = right
            bytes[index] ^= 1 << UInt8(index % 8)
            do throws(PINBlindingError) {
                _ = try blinding.finish(evaluation: bytes, pinnedKey: key.publicKey)
                Issue.record("byte \(index) does not matter")
            } catch {
                #expect(error == .serverIdentity || error == .malformed)
            }
        }
    }

    @Test("An answer of another length, without an element, or a pinned key that is none is malformed")
    func malformed() throws {
        let blinding = try PINBlinding(stretched)
        let right = try key.evaluate(blinding.blindedElement, attempt: attempt)
        let nothing = [UInt8](repeating: 0, count: 32)
        for bytes in [[], Array(right.dropLast()), right + [0], nothing + right.dropFirst(32)] {
            #expect(throws: PINBlindingError.malformed) { try blinding.finish(evaluation: bytes, pinnedKey: key.publicKey) }
        }
        #expect(throws: PINBlindingError.malformed) { try blinding.finish(evaluation: right, pinnedKey: nothing) }
    }
}
