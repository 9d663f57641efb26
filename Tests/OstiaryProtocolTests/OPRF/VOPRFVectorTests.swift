import OstiaryProtocol
import Testing

@Suite("VOPRF vectors")
struct VOPRFVectorTests {
    static let folder = VectorFolder("voprf")

    @Test("Every scenario of Vectors/voprf comes out as written", arguments: folder.names)
    func scenario(name: String) throws {
        try Self.folder.check(name) { given in
            switch try given.text("operation") {
            case "run": try Self.run(given)
            case "verify": try Self.verify(given)
            case "evaluate": try Self.evaluate(given)
            case "element": Self.decodes(try given.bytes("bytes")) { (bytes) throws(GroupError) in _ = try GroupElement(bytes) }
            default: Self.decodes(try given.bytes("bytes")) { (bytes) throws(GroupError) in _ = try GroupScalar(bytes) }
            }
        }
    }

    @Test("The three vectors of RFC 9497 A.1.2 are there, and no file was lost")
    func complete() {
        #expect(Self.folder.names.filter { $0.hasPrefix("rfc9497-") } == ["rfc9497-a121", "rfc9497-a122", "rfc9497-a123"])
        #expect(Self.folder.names.count == 31)
    }

    /// Every step of the mode, in the order of the RFC, with each intermediate value.
    static func run(_ given: Given) throws -> VectorFolder.Outcome {
        let key = try VOPRF.deriveKeyPair(seed: try given.bytes("seed"), info: try given.bytes("keyInfo"))
        let inputs = try given.list("inputs").map { try LockedBytes(copying: $0) }
        let blinds = try given.list("blinds").map { try GroupScalar($0) }
        let blinded = try zip(inputs, blinds).map { try VOPRF.blind($0, by: $1) }
        let r = try GroupScalar(try given.bytes("proofRandomScalar"))
        let evaluation = try VOPRF.blindEvaluate(blinded, with: key, r: r)
        try VOPRF.verifyProof(evaluation.proof, publicKey: key.publicKey, blinded: blinded, evaluated: evaluation.elements)
        let outputs = try zip(zip(inputs, blinds), evaluation.elements).map { pair, element in
            try VOPRF.finalize(pair.0, blind: pair.1, evaluated: element).exposed
        }
        return (
            .ok,
            [
                "secretKey": .hex(key.secret.bytes), "publicKey": .hex(key.publicKey.bytes), "blindedElements": .hexList(blinded.map(\.bytes)),
                "evaluatedElements": .hexList(evaluation.elements.map(\.bytes)), "proof": .hex(evaluation.proof.bytes),
                "outputs": .hexList(outputs),
            ]
        )
    }

    /// What the second-factor server makes of one element for one attempt, with the scalar that it derives.
    static func evaluate(_ given: Given) throws -> VectorFolder.Outcome {
        let key = try OPRFKey(try given.secret("secretKey"), publicKey: given.fields["publicKey"] == nil ? nil : try given.bytes("publicKey"))
        let blinded = try GroupElement(try given.bytes("blindedElement"))
        let attempt = try #require(AttemptID(try given.bytes("attemptId")))
        let evaluation = try key.evaluate(blinded, attempt: attempt)
        let (secret, publicKey) = (try GroupScalar(try given.bytes("secretKey")), try GroupElement(key.publicKey))
        let evaluated = try GroupElement(Array(evaluation.prefix(32)))
        let (m, z) = try VOPRF.computeComposites(publicKey, blinded: [blinded], evaluated: [evaluated])
        let r = try VOPRF.proofScalar(secret: secret, publicKey: publicKey, m: m, z: z, attempt: attempt)
        return (
            .ok,
            [
                "publicKey": .hex(key.publicKey), "m": .hex(m.bytes), "z": .hex(z.bytes), "proofScalar": .hex(r.bytes),
                "evaluation": .hex(evaluation),
            ]
        )
    }

    static func verify(_ given: Given) throws -> VectorFolder.Outcome {
        let key = try GroupElement(try given.bytes("publicKey"))
        let blinded = try given.list("blindedElements").map { try GroupElement($0) }
        let evaluated = try given.list("evaluatedElements").map { try GroupElement($0) }
        guard let proof = try? VOPRF.Proof(try given.bytes("proof")) else { return (.malformed, [:]) }
        do throws(VOPRFError) {
            try VOPRF.verifyProof(proof, publicKey: key, blinded: blinded, evaluated: evaluated)
            return (.ok, [:])
        } catch {
            return (error == .proofRefused ? .identity : .malformed, [:])
        }
    }

    static func decodes(_ bytes: [UInt8], _ decode: ([UInt8]) throws(GroupError) -> Void) -> VectorFolder.Outcome {
        do throws(GroupError) {
            try decode(bytes)
            return (.ok, [:])
        } catch {
            return (.malformed, [:])
        }
    }
}
