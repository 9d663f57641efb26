import OstiaryProtocol

/// Asking the person for a second factor until it is right, or over (protocol §7, S4).
extension Engine {
    /// What came of one input.
    enum Round<Value> {
        case done(Value)
        case again(SecondFactorInfo.Result)
        /// No further input is taken.
        case over(OstiaryError)
    }

    /// Asks; hands each input to `round`; tells what came of it; returns when a round is done. However it ends, the app is told that
    /// nothing more is asked.
    func secondFactor<Value>(
        _ challenge: Challenge, _ round: (LockedBytes) async throws(OstiaryError) -> Round<Value>
    ) async throws(OstiaryError) -> Value {
        change(challenge.session) { $0.shown.state = .waitingForUserInput }
        var last: SecondFactorInfo.Result?
        var event = OstiaryEvent.secondFactorStarted(picture(challenge, result: nil, retry: true))
        do throws(OstiaryError) {
            while true {
                guard case .pin(let pin) = try await wait(at: .secondFactor, telling: event) else { throw .wrongOrder }
                switch try await answer(pin, challenge, round) {
                case .done(let value):
                    emit(.secondFactorUpdated(picture(challenge, result: .success, retry: false, stopped: true)))
                    return value
                case .again(let result):
                    last = result
                    event = .secondFactorUpdated(picture(challenge, result: result, retry: true))
                case .over(let error):
                    last = .failed
                    throw error
                }
            }
        } catch {
            let result = error == .cancelled || error == .secondFactorBlocked ? last : .error
            emit(.secondFactorUpdated(picture(challenge, result: result, retry: false, stopped: true)))
            throw error
        }
    }

    /// One input. During a penalty nobody is asked and nothing is counted: the answer is how long it still lasts (S4-63).
    private func answer<Value>(
        _ pin: LockedBytes, _ challenge: Challenge, _ round: (LockedBytes) async throws(OstiaryError) -> Round<Value>
    ) async throws(OstiaryError) -> Round<Value> {
        guard (PIN.fewestDigits...PIN.mostDigits).contains(pin.count) else {
            emit(.error(.pinLength, session: session(challenge.session)?.shown))
            return .again(.failed)
        }
        if !challenge.context.setsPIN, tries(of: challenge).penalty(at: ports.clock) > 0 { return .again(.failed) }
        return try await round(pin)
    }

    /// Asks for the PIN that opens the box, and hands the attempt with the signature of what was inside to `deliver`, which returns nil
    /// when the second-factor server could not be asked.
    func verifyPIN<Value>(
        _ challenge: Challenge, _ deliver: (AttemptID, [UInt8]) async throws(OstiaryError) -> Value?
    ) async throws(OstiaryError) -> Value {
        guard let box = try? PINBox(decoding: challenge.instance.box.bytes) else { throw .storeUnreadable }
        var unsettled: PINTry?
        return try await secondFactor(challenge) { pin throws(OstiaryError) in
            let attempt = try await makeTry(pin, for: challenge, unsettled: unsettled, parameters: box.parameters)
            unsettled = attempt
            switch try await evaluate(attempt, for: challenge, pinnedKey: box.pinnedKey) {
            case .unavailable: return .again(.error)
            case .penalised(let tries):
                remember(tries, of: challenge)
                return .again(.failed)
            case .blocked(let tries):
                remember(tries, blocked: true, of: challenge)
                return .over(.secondFactorBlocked)
            case .counted(let evaluation):
                guard let master = try PINComputation.open(box, attempt.stretched, evaluation) else {
                    unsettled = nil
                    remember(evaluation.tries, of: challenge)
                    return tries(of: challenge).blocked ? .over(.secondFactorBlocked) : .again(.failed)
                }
                guard let value = try await deliver(attempt.attempt, try signature(by: master, attempt.attempt, challenge)) else {
                    return .again(.error)
                }
                try rememberSuccess(of: challenge)
                return .done(value)
            }
        }
    }

    private func signature(by master: SecretBytes, _ attempt: AttemptID, _ challenge: Challenge) throws(OstiaryError) -> [UInt8] {
        edwardsSignature(
            try PINComputation.key(master), .secondFactorProof,
            Transcript.secondFactorProof(
                instance: challenge.instance.id, attempt: attempt, context: challenge.context, sessionHash: challenge.sessionHash))
    }

    /// What a screen is told.
    private func picture(
        _ challenge: Challenge, result: SecondFactorInfo.Result?, retry: Bool, stopped: Bool = false
    ) -> SecondFactor {
        let tries = tries(of: challenge)
        let info = SecondFactorInfo(
            context: SecondFactorInfo.Context(challenge.context), result: result, retry: retry, blocked: tries.blocked,
            maxAttempts: Int(tries.most), failedAttempts: Int(tries.failed), penalisedFor: Int(tries.penalty(at: ports.clock)), showBiometrics: false)
        return SecondFactor(stopped: stopped, secondFactorInfo: info, session: session(challenge.session)?.shown)
    }

    private func tries(of challenge: Challenge) -> StoredTries { stored?.instance(challenge.instance.id)?.tries ?? .none }

    /// Keeps what was heard of the counter; a store that refuses only makes the next screen less exact.
    private func remember(_ tries: Tries, blocked: Bool = false, of challenge: Challenge) {
        let isBlocked = blocked || (tries.most > 0 && tries.failed >= tries.most)
        let heard = StoredTries(tries, blocked: isBlocked, heardAt: ports.clock)
        do throws(OstiaryError) {
            try write { (state) throws(OstiaryError) in state.setTries(heard, of: challenge.instance.id) }
        } catch {
            emit(.error(error, session: session(challenge.session)?.shown))
        }
    }

    private func rememberSuccess(of challenge: Challenge) throws(OstiaryError) {
        let heard = tries(of: challenge).afterSuccess
        guard stored?.instance(challenge.instance.id)?.tries != heard else { return }
        try write { (state) throws(OstiaryError) in state.setTries(heard, of: challenge.instance.id) }
    }
}

extension SecondFactorInfo.Context {
    init(_ context: SecondFactorContext) {
        self =
            switch context {
            // For the person, a PIN that is asked for at an enrolment is verified like any other.
            case .verify, .enrol: .verify
            case .firstSet: .firstSet
            case .biometricsAdd: .biometricsAdd
            case .biometricsRemove: .biometricsRemove
            case .pinChangeVerify: .pinChangeVerify
            case .pinChangeSet: .pinChangeSet
            }
    }
}
