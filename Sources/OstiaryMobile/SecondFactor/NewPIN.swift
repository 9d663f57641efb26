import Crypto
import OstiaryProtocol

/// A PIN that is being set: the box that opens with it, and what shows the servers that its key is known here (protocol §7).
struct NewPIN: Sendable {
    let attempt: AttemptID
    /// The time stamp of the Attempt that was counted.
    let stamp: Instant
    let box: PINBox
    /// pkSf, of the key that the box holds.
    let publicKey: [UInt8]
    /// By that key, over the key of the evaluation as well.
    let signature: [UInt8]
    let tries: Tries
}

extension NewPIN {
    /// What a PIN must be like to be set.
    struct Rules: Sendable {
        let policy: PINPolicy
        /// The PIN so far, which the new one must differ from.
        var last: LockedBytes?

        /// Why a PIN may not be set; nil when it may.
        func refusal(of pin: LockedBytes) -> OstiaryError? {
            guard (Int(policy.fewestDigits)...Int(policy.mostDigits)).contains(pin.count) else { return .pinLength }
            if policy.refusesEasy, pin.withUnsafeBytes({ EasyPIN.includes($0) }) { return .pinEasyToGuess }
            return last?.matches(pin) == true ? .pinUnchanged : nil
        }
    }

    fileprivate init(
        _ attempt: PINTry, _ evaluation: Evaluation, of challenge: FactorChallenge, master: SecretBytes, serverShare: SecretBytes
    ) throws(OstiaryError) {
        let key = try PINComputation.key(master)
        self.attempt = attempt.attempt
        stamp = evaluation.stamp
        box = try PINComputation.seal(master, attempt.stretched, serverShare: serverShare, evaluation)
        publicKey = Array(key.publicKey.rawRepresentation)
        signature = edwardsSignature(
            key, .secondFactorSet,
            Transcript.secondFactorSet(
                instance: challenge.instance.id, attempt: attempt.attempt, context: challenge.context, sessionHash: challenge.sessionHash,
                evaluationKey: evaluation.evaluationKey, secondFactorKey: publicKey))
        tries = evaluation.tries
    }
}

extension Engine {
    /// One PIN on its way to be the one that counts: looked at, evaluated, and boxed for `deliver`, which brings it to the servers.
    /// - Parameter master: what its box will hold; nil for something new.
    /// - Parameter serverShare: nil where it comes with the evaluation.
    func set<Value>(
        _ pin: LockedBytes, for challenge: FactorChallenge, by rules: NewPIN.Rules, master: SecretBytes? = nil, serverShare: SecretBytes? = nil,
        _ deliver: (NewPIN) async throws(OstiaryError) -> Round<Value>
    ) async throws(OstiaryError) -> Round<Value> {
        if let refusal = rules.refusal(of: pin) {
            complain(refusal, about: challenge)
            return .again(.failed)
        }
        // A new try each time: what is sealed under its key is sealed once.
        let attempt = try await makeTry(pin, for: challenge, unsettled: nil, parameters: .standard)
        switch try await evaluate(attempt, for: challenge, pinnedKey: nil) {
        case .unavailable: return .again(.error)
        case .penalised, .blocked: throw .serverAnswer
        // Before the first PIN there is no epoch that could count instead.
        case .otherEpoch: throw challenge.context == .firstSet ? .serverAnswer : .refused
        case .counted(let evaluation):
            guard let share = serverShare ?? evaluation.serverShare else { throw .serverAnswer }
            return try await deliver(
                NewPIN(attempt, evaluation, of: challenge, master: master ?? SecretBytes(random.bytes(32)), serverShare: share))
        }
    }
}
