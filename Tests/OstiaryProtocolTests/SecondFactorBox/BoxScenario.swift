import OstiaryProtocol
import Testing

/// One PIN entry from the fields of a scenario, with every random value given: both servers and the phone in one place.
struct BoxScenario {
    var pin: [UInt8]
    var deviceSecret: SecretBytes
    var scope: BoxScope
    var parameters: Argon2id.Parameters
    var serverShare: SecretBytes
    var serverKey: OPRFKey
    var blind: GroupScalar
    var proofScalar: ProofScalar

    /// Where r of the proof comes from: a scenario gives it, a transcript has it derived as a server does.
    enum ProofScalar {
        case given(GroupScalar)
        case derived(AttemptID)
    }

    init(_ given: Given) throws {
        pin = Array(try given.text("pin").utf8)
        deviceSecret = try given.secret("deviceSecret")
        let instance = try #require(InstanceID(try given.bytes("sfId")))
        scope = BoxScope(instance: instance, epoch: UInt32(try given.number("epoch")))
        parameters = try Argon2id.Parameters(memory: UInt32(try given.number("memory")), passes: UInt8(try given.number("passes")))
        serverShare = try given.secret("serverShare")
        serverKey = try OPRFKey(try given.secret("oprfKey"))
        blind = try GroupScalar(try given.bytes("blind"))
        proofScalar =
            given.fields["attemptId"] == nil
            ? .given(try GroupScalar(try given.bytes("proofRandomScalar"))) : .derived(try #require(AttemptID(try given.bytes("attemptId"))))
    }

    func stretched() throws -> StretchedPIN {
        try StretchedPIN(pin: try LockedBytes(copying: pin), deviceSecret: deviceSecret, scope: scope, parameters: parameters)
    }

    /// All values on the way to K, as the phone sees them.
    struct Run {
        let stretched: StretchedPIN
        let blinded: [UInt8]
        let evaluation: [UInt8]
        let y: SecretBytes
    }

    func run(pinnedKey: [UInt8]) throws -> Run {
        let stretched = try stretched()
        let blinding = try PINBlinding(stretched, blind: blind)
        let evaluation =
            switch proofScalar {
            case .given(let r): try serverKey.evaluate(blinding.blindedElement, r: r)
            case .derived(let attempt): try serverKey.evaluate(blinding.blindedElement, attempt: attempt)
            }
        let y = try blinding.finish(evaluation: evaluation, pinnedKey: pinnedKey)
        return Run(stretched: stretched, blinded: blinding.blindedElement, evaluation: evaluation, y: y)
    }

    func seal(_ master: SecretBytes) throws -> PINBox {
        let run = try run(pinnedKey: serverKey.publicKey)
        let key = try BoxKey(run.stretched, serverShare: serverShare, evaluation: run.y)
        return try key.seal(master, pinnedKey: serverKey.publicKey)
    }

    func open(_ box: PINBox) throws -> SecretBytes {
        let run = try run(pinnedKey: box.pinnedKey)
        return try BoxKey(run.stretched, serverShare: serverShare, evaluation: run.y).open(box)
    }

    /// What a scenario that starts from another set of values looks like.
    func with(_ change: (inout BoxScenario) throws -> Void) rethrows -> BoxScenario {
        var copy = self
        try change(&copy)
        return copy
    }
}
