import OstiaryProtocol
import Testing

@Suite("VOPRF")
struct VOPRFTests {
    let key: VOPRF.KeyPair
    let input: LockedBytes

    init() throws {
        key = try VOPRF.deriveKeyPair(seed: [UInt8](repeating: 7, count: 32), info: [])
        input = try LockedBytes(copying: Array("input".utf8))
    }

    @Test("Different blinds hide the input and give the same output")
    func blindsCancel() throws {
        var outputs: [[UInt8]] = []
        var questions: Set<GroupElement> = []
        for _ in 0..<4 {
            let blind = try GroupScalar.random()
            let blinded = try VOPRF.blind(input, by: blind)
            let evaluation = try VOPRF.blindEvaluate([blinded], with: key, r: try GroupScalar.random())
            let evaluated = try #require(evaluation.elements.first)
            outputs.append(try VOPRF.finalize(input, blind: blind, evaluated: evaluated).exposed)
            questions.insert(blinded)
        }
        #expect(questions.count == 4)
        #expect(Set(outputs).count == 1)
    }

    @Test("Both ways to compute the composites agree")
    func compositesAgree() throws {
        let blinded = try (0..<3).map { _ in try GroupElement.generator(times: try GroupScalar.random()) }
        let evaluated = try blinded.map { try $0.multiplied(by: key.secret) }
        let slow = try VOPRF.computeComposites(key.publicKey, blinded: blinded, evaluated: evaluated)
        let fast = try VOPRF.computeCompositesFast(key, blinded: blinded, evaluated: evaluated)
        #expect(slow == fast)
    }

    @Test("One evaluation by another key spoils the proof of the whole batch")
    func batchIsAllOrNothing() throws {
        let blinded = try (0..<3).map { _ in try GroupElement.generator(times: try GroupScalar.random()) }
        let evaluation = try VOPRF.blindEvaluate(blinded, with: key, r: try GroupScalar.random())
        var elements = evaluation.elements
        elements[1] = try blinded[1].multiplied(by: try GroupScalar.random())
        #expect(throws: VOPRFError.proofRefused) {
            try VOPRF.verifyProof(evaluation.proof, publicKey: key.publicKey, blinded: blinded, evaluated: elements)
        }
    }

    @Test("Empty lists, lists of different length and zero scalars are refused")
    func badArguments() throws {
        let zero = try GroupScalar([UInt8](repeating: 0, count: 32))
        let element = key.publicKey
        let r = try GroupScalar.random()
        #expect(throws: VOPRFError.badBatch) { try VOPRF.blindEvaluate([], with: key, r: r) }
        #expect(throws: VOPRFError.badBatch) { try VOPRF.generateProof(key, blinded: [element], evaluated: [], r: r) }
        let many = [GroupElement](repeating: element, count: 65_536)
        #expect(throws: VOPRFError.badBatch) { try VOPRF.generateProof(key, blinded: many, evaluated: many, r: r) }
        #expect(throws: VOPRFError.group(.zeroScalar)) { try VOPRF.blindEvaluate([element], with: key, r: zero) }
        #expect(throws: VOPRFError.group(.zeroScalar)) { try VOPRF.blind(input, by: zero) }
        #expect(throws: VOPRFError.group(.zeroScalar)) { try VOPRF.finalize(input, blind: zero, evaluated: element) }
    }

    @Test("A proof is 64 bytes: one that is cut, or has bytes before, between or behind, is none")
    func proofLength() throws {
        let blinded = try GroupElement.generator(times: try GroupScalar.random())
        let bytes = try VOPRF.blindEvaluate([blinded], with: key, r: try GroupScalar.random()).proof.bytes
        #expect(try VOPRF.Proof(bytes).bytes == bytes)
        let others = [
            Array(bytes.dropLast()), bytes + [0], [0] + bytes, Array(bytes.prefix(32)) + [0] + bytes.suffix(32), Array(bytes.prefix(32)), [],
        ]
        for other in others { #expect(throws: GroupError.notAScalar) { try VOPRF.Proof(other) } }
    }

    @Test("An input of more than 65535 bytes is refused")
    func longInput() throws {
        let long = try LockedBytes(copying: [UInt8](repeating: 1, count: 65_536))
        let blind = try GroupScalar.random()
        #expect(throws: VOPRFError.inputTooLong) { try VOPRF.finalize(long, blind: blind, evaluated: key.publicKey) }
    }
}
