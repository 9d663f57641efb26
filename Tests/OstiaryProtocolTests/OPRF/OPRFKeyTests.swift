import OstiaryProtocol
import Testing

@Suite("OPRF key of the second-factor server")
struct OPRFKeyTests {
    let key: OPRFKey
    let blinded: GroupElement
    let attempt = AttemptID(using: SystemRandomSource())

    init() throws {
        key = try OPRFKey.generate()
        blinded = try GroupElement.generator(times: try GroupScalar.random())
    }

    @Test("A stored key is the same key again")
    func storedKey() throws {
        let again = try OPRFKey(key.stored)
        #expect(again.publicKey == key.publicKey)
        #expect(key.stored.count == 32)
        #expect(try OPRFKey.generate().publicKey != key.publicKey)
    }

    @Test("A stored key of zero, of the order or of another length is refused")
    func badStoredKeys() {
        let order = Hex.decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010") ?? []
        #expect(throws: VOPRFError.group(.zeroScalar)) { try OPRFKey(SecretBytes([UInt8](repeating: 0, count: 32))) }
        #expect(throws: VOPRFError.group(.notAScalar)) { try OPRFKey(SecretBytes(order)) }
        #expect(throws: VOPRFError.group(.notAScalar)) { try OPRFKey(SecretBytes([1])) }
    }

    @Test("An evaluation is the element and a proof that holds under the public key; the same attempt has the same bytes, another its own proof")
    func evaluation() throws {
        let first = try key.evaluate(blinded.bytes, attempt: attempt)
        #expect(first.count == 96)
        try verify(first, under: key.publicKey)
        #expect(try key.evaluate(blinded, attempt: attempt) == first)
        #expect(try OPRFKey(key.stored).evaluate(blinded, attempt: attempt) == first)
        let other = try key.evaluate(blinded, attempt: AttemptID(using: SystemRandomSource()))
        #expect(first.prefix(32) == other.prefix(32))
        #expect(first.suffix(64) != other.suffix(64))
        try verify(other, under: key.publicKey)
    }

    @Test("A key beside its public key, which was kept, evaluates like one that computes it")
    func keptPublicKey() throws {
        let kept = try OPRFKey(key.stored, publicKey: key.publicKey)
        #expect(kept.publicKey == key.publicKey)
        #expect(try kept.evaluate(blinded, attempt: attempt) == key.evaluate(blinded, attempt: attempt))
    }

    @Test("Beside the public key of another no evaluation is believed, under the one or under the other; nor does it excuse a key of zero")
    func foreignPublicKey() throws {
        let other = try OPRFKey.generate().publicKey
        let evaluation = try OPRFKey(key.stored, publicKey: other).evaluate(blinded, attempt: attempt)
        for publicKey in [key.publicKey, other] {
            #expect(throws: VOPRFError.proofRefused) { try verify(evaluation, under: publicKey) }
        }
        #expect(throws: VOPRFError.group(.zeroScalar)) { try OPRFKey(SecretBytes([UInt8](repeating: 0, count: 32)), publicKey: other) }
    }

    private func verify(_ evaluation: [UInt8], under publicKey: [UInt8]) throws {
        let element = try GroupElement(Array(evaluation.prefix(32)))
        let proof = try VOPRF.Proof(Array(evaluation.suffix(64)))
        try VOPRF.verifyProof(proof, publicKey: try GroupElement(publicKey), blinded: [blinded], evaluated: [element])
    }

    @Test("What is no element is not evaluated")
    func badQuestions() {
        for bytes in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32), Array(blinded.bytes.dropLast()), []] {
            #expect(throws: VOPRFError.group(.notAnElement)) { try key.evaluate(bytes, attempt: attempt) }
        }
    }
}
