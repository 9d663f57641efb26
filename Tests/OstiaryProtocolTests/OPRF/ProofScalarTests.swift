import OstiaryProtocol
import Testing

/// r of a proof decides about k: two proofs with one r and two challenges give it away.
@Suite("The derived scalar of a proof")
struct ProofScalarTests {
    /// All that a challenge depends on besides r, and the attempt.
    private struct Statement {
        var secret: GroupScalar
        var publicKey: GroupElement
        var m: GroupElement
        var z: GroupElement
        var attempt: AttemptID

        init() throws {
            secret = try GroupScalar.random()
            (publicKey, m, z) = (try Self.element(), try Self.element(), try Self.element())
            attempt = AttemptID(using: SystemRandomSource())
        }

        static func element() throws -> GroupElement { try GroupElement.generator(times: try GroupScalar.random()) }

        /// The five statements that differ from this one in one input each.
        func neighbours() throws -> [String: Statement] {
            let other = try Statement()
            var found: [String: Statement] = [:]
            func put(_ name: String, _ change: (inout Statement) -> Void) {
                var next = self
                change(&next)
                found[name] = next
            }
            put("k") { $0.secret = other.secret }
            put("pkK") { $0.publicKey = other.publicKey }
            put("M") { $0.m = other.m }
            put("Z") { $0.z = other.z }
            put("attemptId") { $0.attempt = other.attempt }
            return found
        }
    }

    private typealias Derivation = (Statement) throws -> GroupScalar

    private static func ours(_ of: Statement) throws -> GroupScalar {
        try VOPRF.proofScalar(secret: of.secret, publicKey: of.publicKey, m: of.m, z: of.z, attempt: of.attempt)
    }

    /// The inputs that can change without r changing, over some statements.
    private func ignored(by derive: Derivation) throws -> Set<String> {
        var ignored: Set<String> = []
        for _ in 0..<8 {
            let statement = try Statement()
            let r = try derive(statement)
            for (name, neighbour) in try statement.neighbours() where try derive(neighbour).matches(r) { ignored.insert(name) }
        }
        return ignored
    }

    @Test("No two statements share r: another key, public key, element, evaluation or attempt has another; the same one has the same")
    func everyInput() throws {
        #expect(try ignored(by: Self.ours).isEmpty)
        let statement = try Statement()
        #expect(try Self.ours(statement).matches(try Self.ours(statement)))
    }

    @Test("A derivation that leaves one input out is found out by that input", arguments: ["k", "pkK", "M", "Z", "attemptId"])
    func planted(without name: String) throws {
        let fixed = try Statement()
        let planted: Derivation = { statement in
            var blind = statement
            switch name {
            case "k": blind.secret = fixed.secret
            case "pkK": blind.publicKey = fixed.publicKey
            case "M": blind.m = fixed.m
            case "Z": blind.z = fixed.z
            default: blind.attempt = fixed.attempt
            }
            return try Self.ours(blind)
        }
        #expect(try ignored(by: planted) == [name])
    }

    /// What whoever has two proofs makes of them if they have one r.
    private func extracted(_ first: [UInt8], _ second: [UInt8]) throws -> GroupScalar {
        func scalar(_ bytes: [UInt8], _ place: Int) throws -> GroupScalar { try GroupScalar(Array(bytes[place..<place + 32])) }
        let challenges = try scalar(second, 32).subtracting(try scalar(first, 32))
        return try scalar(first, 64).subtracting(try scalar(second, 64)).multiplied(by: try challenges.inverted())
    }

    /// One key, and two questions whose challenges differ.
    private struct TwoQuestions {
        let key: OPRFKey
        let secret: GroupScalar
        let first: GroupElement
        let second: GroupElement
        let otherPublicKey: [UInt8]
        let attempt = AttemptID(using: SystemRandomSource())

        init() throws {
            key = try OPRFKey.generate()
            secret = try GroupScalar(key.stored.exposed)
            (first, second) = (try Statement.element(), try Statement.element())
            otherPublicKey = try OPRFKey.generate().publicKey
        }

        var beside: OPRFKey { get throws { try OPRFKey(key.stored, publicKey: otherPublicKey) } }
    }

    @Test("A97: two elements of one attempt, and one element beside two public keys, do not tell k")
    func noKey() throws {
        let two = try TwoQuestions()
        let told = try two.key.evaluate(two.first, attempt: two.attempt)
        let others = [
            try two.key.evaluate(two.second, attempt: two.attempt), try two.beside.evaluate(two.first, attempt: two.attempt),
            try two.key.evaluate(two.first, attempt: AttemptID(using: SystemRandomSource())),
        ]
        for other in others {
            #expect(told.suffix(64) != other.suffix(64))
            #expect(try !extracted(told, other).matches(two.secret))
        }
    }

    @Test("With an r that knows nothing of the element, or of the public key, the same two do tell k: this test can see it")
    func sharedScalar() throws {
        let two = try TwoQuestions()
        let r = try GroupScalar.random()
        let told = try two.key.evaluate(two.first.bytes, r: r)
        #expect(try extracted(told, try two.key.evaluate(two.second.bytes, r: r)).matches(two.secret))
        #expect(try extracted(told, try two.beside.evaluate(two.first.bytes, r: r)).matches(two.secret))
    }

    @Test("64 bytes become a scalar, and nothing of another length does")
    func wide() throws {
        let one = [1] + [UInt8](repeating: 0, count: 31)
        #expect(try GroupScalar(wide: one + [UInt8](repeating: 0, count: 32)).bytes == one)
        // The order itself is zero, and a number above it what is left.
        let order = try #require(Hex.decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"))
        #expect(try GroupScalar(wide: order + [UInt8](repeating: 0, count: 32)).isZero)
        for count in [0, 32, 63, 65] {
            #expect(throws: GroupError.notAScalar) { try GroupScalar(wide: [UInt8](repeating: 1, count: count)) }
        }
    }
}
