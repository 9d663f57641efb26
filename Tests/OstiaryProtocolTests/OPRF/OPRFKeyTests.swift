import OstiaryProtocol
import Testing

@Suite("OPRF key of the second-factor server")
struct OPRFKeyTests {
    let key: OPRFKey
    let blinded: GroupElement

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

    @Test("An evaluation is the element and a proof that holds under the public key, fresh each time")
    func evaluation() throws {
        let first = try key.evaluate(blinded.bytes)
        let second = try key.evaluate(blinded.bytes)
        #expect(first.count == 96)
        #expect(first.prefix(32) == second.prefix(32))
        #expect(first.suffix(64) != second.suffix(64))
        let element = try GroupElement(Array(first.prefix(32)))
        let proof = try VOPRF.Proof(Array(first.suffix(64)))
        try VOPRF.verifyProof(proof, publicKey: try GroupElement(key.publicKey), blinded: [blinded], evaluated: [element])
    }

    @Test("What is no element is not evaluated")
    func badQuestions() {
        for bytes in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32), Array(blinded.bytes.dropLast()), []] {
            #expect(throws: VOPRFError.group(.notAnElement)) { try key.evaluate(bytes) }
        }
    }
}
