import OstiaryProtocol

/// What an input proved, as L5, E3 and M3 carry it.
struct FactorProof: Sendable {
    let attempt: AttemptID
    let method: Methods
    /// By the key that the PIN's box holds.
    var secondFactorSignature: [UInt8]?
    var biometricSignature: [UInt8]?
    /// The Attempt of a biometric on its own.
    var biometricAttempt: Encoded<Attempt>?
    /// What the box held.
    var master: SecretBytes?
}

extension Methods {
    /// Whether a status leaves another way to what was asked for with these: a biometric that is refused leaves the PIN.
    func isDeclined(by status: Status) -> Bool {
        switch status {
        case .secondFactorNeeded, .pinRequired, .secondFactorUnavailable, .busy, .wrongEpoch, .blocked: true
        case .refused, .clock: self == .bio
        case .ok, .replayed, .sessionUnknown, .sessionTaken, .sessionOver, .linkOld, .accountUnknown, .accountBlocked, .accountPending,
            .accountDeleted, .enrolUsed, .penalised, .secondFactorUnknown, .tooMany, .sequence, .closed, .changed, .numberWrong,
            .notOffered, .serviceUnavailable, .serviceRefused, .serviceAnswer, .headless:
            false
        }
    }
}

/// Proving the second factor that there is, by PIN, by a biometric feature, or by both (protocol §7).
extension Engine {
    /// Asks until an input was proved to the servers by `deliver`.
    func verify<Value>(
        _ question: OpenQuestion, _ deliver: (FactorProof) async throws(OstiaryError) -> Delivered<Value>
    ) async throws(OstiaryError) -> Value {
        try await ask(question) { input throws(OstiaryError) in try await prove(input, question, deliver) }
    }

    /// One input on its way to the servers.
    func prove<Value>(
        _ input: FactorInput, _ question: OpenQuestion, _ deliver: (FactorProof) async throws(OstiaryError) -> Delivered<Value>
    ) async throws(OstiaryError) -> Round<Value> {
        switch input {
        case .pin(let pin): return try await prove(pin, with: nil, question, deliver)
        case .both(let pin, let info):
            let isTaken = question.challenge.acceptsBoth && offersBiometrics(for: question.challenge)
            return try await prove(pin, with: isTaken ? info : nil, question, deliver)
        case .biometrics(let info): return try await prove(info, question, deliver)
        }
    }

    /// The PIN, and with `info` the feature as well, which is asked for first: who closes the prompt has lost no try.
    private func prove<Value>(
        _ pin: LockedBytes, with info: BiometricInfo?, _ question: OpenQuestion,
        _ deliver: (FactorProof) async throws(OstiaryError) -> Delivered<Value>
    ) async throws(OstiaryError) -> Round<Value> {
        guard let box = try? PINBox(decoding: question.challenge.instance.box.bytes) else { throw .storeUnreadable }
        let attempt = try await makeTry(pin, for: question.challenge, unsettled: question.unsettled, parameters: box.parameters)
        question.unsettled = attempt
        var biometric: [UInt8]?
        if let info {
            switch await signature(of: attempt.attempt, attempt.stamp, question.challenge, asking: info) {
            case .success(let signature): biometric = signature
            case .failure(let error): return try failed(error, question)
            }
            try checkNotAborted()
        }
        switch try await evaluate(attempt, for: question.challenge, pinnedKey: box.pinnedKey) {
        case .unavailable: return unavailable(question)
        case .penalised(let tries):
            remember(tries, by: .server, of: question.challenge)
            return .again(.failed)
        case .blocked(let tries):
            remember(tries, blocked: true, by: .server, of: question.challenge)
            return afterBlock(question)
        case .otherEpoch(let epoch):
            // Nothing was counted: the same PIN, with the box of the epoch that counts.
            guard try adopt(epoch, question) else { throw .secondFactorUnknown }
            return try await prove(pin, with: info, question, deliver)
        case .counted(let evaluation):
            guard let master = try PINComputation.open(box, attempt.stretched, evaluation) else { return wrong(evaluation.tries, question) }
            if let info, evaluation.stamp != attempt.stamp {
                switch await signature(of: attempt.attempt, evaluation.stamp, question.challenge, asking: info) {
                case .success(let signature): biometric = signature
                case .failure(let error): return try failed(error, question)
                }
            }
            let proof = try proof(by: master, attempt.attempt, question.challenge, beside: biometric)
            return try await hand(proof, told: evaluation.tries, question, deliver)
        }
    }

    /// What a right PIN opened signs the attempt, beside the feature if that was asked for as well.
    private func proof(
        by master: SecretBytes, _ attempt: AttemptID, _ challenge: FactorChallenge, beside biometric: [UInt8]?
    ) throws(OstiaryError) -> FactorProof {
        FactorProof(
            attempt: attempt, method: biometric == nil ? .pin : [.pin, .bio],
            secondFactorSignature: try signature(by: master, attempt, challenge), biometricSignature: biometric, master: master)
    }

    /// A PIN that opened nothing, and was counted.
    private func wrong<Value>(_ tries: Tries, _ question: OpenQuestion) -> Round<Value> {
        question.unsettled = nil
        remember(tries, by: .secondFactor, of: question.challenge)
        return self.tries(of: question.challenge).blocked ? afterBlock(question) : .again(.failed)
    }

    /// Nothing was decided: the person may try again.
    private func unavailable<Value>(_ question: OpenQuestion) -> Round<Value> {
        tellPage(PageReport.Trouble(state: .noSecondFactor), of: question.challenge)
        return .again(.error)
    }

    /// Delivers what was proved, and takes up what the servers say of it.
    private func hand<Value>(
        _ proof: FactorProof, told tries: Tries, _ question: OpenQuestion,
        _ deliver: (FactorProof) async throws(OstiaryError) -> Delivered<Value>
    ) async throws(OstiaryError) -> Round<Value> {
        switch try await deliver(proof) {
        case .done(let value):
            rememberSuccess(proof.method, of: question.challenge, told: tries)
            return .done(value)
        case .declined(let status): return declined(status, proof.method, question)
        }
    }

    /// After the last try a biometric feature is the way out, where it is offered.
    private func afterBlock<Value>(_ question: OpenQuestion) -> Round<Value> {
        offersBiometrics(for: question.challenge) ? .again(.failed) : .over(.secondFactorBlocked)
    }

    /// Takes up the box of the epoch that the servers count, if this phone has it; false if not.
    func adopt(_ epoch: UInt32, _ question: OpenQuestion) throws(OstiaryError) -> Bool {
        let id = question.challenge.instance.id
        let instance = try write { (state) throws(OstiaryError) in
            state.setInstance(id) { if $0.change?.epoch == epoch { $0.adoptChange() } }
            return state.instance(id)
        }
        guard let instance, instance.epoch == epoch, epoch != question.challenge.instance.epoch else { return false }
        question.challenge.instance = instance
        question.unsettled = nil
        question.attempt = nil
        return true
    }

    /// What a refusal of the servers means for the question.
    func declined<Value>(_ status: Status, _ method: Methods, _ question: OpenQuestion) -> Round<Value> {
        switch status {
        case .pinRequired where method == .bio:
            rememberPINRequired(of: question.challenge)
            question.attempt = nil
            return .again(.failed)
        case .blocked:
            rememberEnd(of: question.challenge)
            return .over(.secondFactorBlocked)
        case .refused where method == .bio:
            // The PIN decides now; whether the key is known to the servers cannot be told from here.
            question.challenge.acceptsBiometrics = false
            complain(.biometricsRefused, about: question.challenge)
            return .again(.failed)
        case .wrongEpoch: return .over(.secondFactorUnknown)
        default: return unavailable(question)
        }
    }

    private func signature(by master: SecretBytes, _ attempt: AttemptID, _ challenge: FactorChallenge) throws(OstiaryError) -> [UInt8] {
        edwardsSignature(
            try PINComputation.key(master), .secondFactorProof,
            Transcript.secondFactorProof(
                instance: challenge.instance.id, attempt: attempt, context: challenge.context, sessionHash: challenge.sessionHash))
    }
}
