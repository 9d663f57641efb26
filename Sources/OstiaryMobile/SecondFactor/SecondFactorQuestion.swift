import OstiaryProtocol
import Synchronization

/// A question for a second factor while it is open: what it is for, and what must survive from one input to the next.
final class OpenQuestion: Sendable {
    /// Where a question stands among those of its flow.
    enum Place {
        case whole
        /// The first step of adding biometrics: only the device answers.
        case prelude
        case first
        case last
    }

    private struct State {
        var challenge: FactorChallenge
        var result: SecondFactorInfo.Result?
        var unsettled: PINTry?
        var attempt: Encoded<Attempt>?
    }

    let place: Place
    private let state: Mutex<State>

    init(_ challenge: FactorChallenge, place: Place = .whole) {
        state = Mutex(State(challenge: challenge))
        self.place = place
    }

    var challenge: FactorChallenge {
        get { state.withLock { $0.challenge } }
        set { state.withLock { $0.challenge = newValue } }
    }

    /// What came of the last input; nil before the first.
    var result: SecondFactorInfo.Result? {
        get { state.withLock { $0.result } }
        set { state.withLock { $0.result = newValue } }
    }

    /// A try without an outcome: the same digits are the same try.
    var unsettled: PINTry? {
        get { state.withLock { $0.unsettled } }
        set { state.withLock { $0.unsettled = newValue } }
    }

    /// The Attempt of a biometric without an outcome.
    var attempt: Encoded<Attempt>? {
        get { state.withLock { $0.attempt } }
        set { state.withLock { $0.attempt = newValue } }
    }

    fileprivate var isFirst: Bool { place == .whole || place == .prelude || place == .first }
}

/// What came of one input.
enum Round<Value> {
    case done(Value)
    /// Asked again; nil leaves the last result as it was.
    case again(SecondFactorInfo.Result?)
    /// No further input is taken.
    case over(OstiaryError)
}

/// Asking the person for a second factor until it is right, or over (protocol §7, S4).
extension Engine {
    /// Asks; hands each input to `round`; tells what came of it; returns when a round is done.
    func ask<Value>(
        _ question: OpenQuestion, _ round: (FactorInput) async throws(OstiaryError) -> Round<Value>
    ) async throws(OstiaryError) -> Value {
        change(question.challenge.session) { $0.shown.state = .waitingForUserInput }
        let first = shown(question, retry: true)
        var event: OstiaryEvent = question.isFirst ? .secondFactorStarted(first) : .secondFactorUpdated(first)
        while true {
            guard case .factor(let input) = try await wait(at: .secondFactor, telling: event) else { throw .wrongOrder }
            switch try await admit(input, question, round) {
            case .done(let value):
                question.result = .success
                if question.place == .first { emit(.secondFactorUpdated(shown(question, retry: false))) }
                return value
            case .again(let result):
                question.result = result ?? question.result
                event = .secondFactorUpdated(shown(question, retry: true))
            case .over(let error):
                question.result = .failed
                throw error
            }
        }
    }

    /// Does something with a question, and tells at the end, whatever it is, that nothing more is asked.
    func closing<Value>(
        _ question: OpenQuestion, _ body: () async throws(OstiaryError) -> Value
    ) async throws(OstiaryError) -> Value {
        do throws(OstiaryError) {
            let value = try await body()
            emit(.secondFactorUpdated(stopped(question, by: nil)))
            return value
        } catch {
            emit(.secondFactorUpdated(stopped(question, by: error)))
            throw error
        }
    }

    func stopped(_ question: OpenQuestion, by error: OstiaryError?) -> SecondFactor {
        if let error, error != .cancelled, error != .secondFactorBlocked, error != .questionChanged { question.result = .error }
        return shown(question, retry: false, stopped: true)
    }

    /// One input. During a penalty that the second-factor server signed nobody is asked and nothing is counted: the answer is how long it still lasts
    /// (S4-63).
    private func admit<Value>(
        _ input: FactorInput, _ question: OpenQuestion, _ round: (FactorInput) async throws(OstiaryError) -> Round<Value>
    ) async throws(OstiaryError) -> Round<Value> {
        let challenge = question.challenge
        switch input {
        case .pin(let pin), .both(let pin, _):
            guard question.place != .prelude else { break }
            guard (PIN.fewestDigits...PIN.mostDigits).contains(pin.count) else {
                complain(.pinLength, about: challenge)
                return .again(.failed)
            }
            let tries = tries(of: challenge)
            if !challenge.context.setsPIN, !tries.mayAsk(at: ports.clock) {
                tellPage(tries, of: challenge)
                return .again(.failed)
            }
        case .biometrics:
            guard question.place == .prelude || offersBiometrics(for: challenge) else {
                complain(.biometricsUnavailable, about: challenge)
                return .again(.failed)
            }
        }
        return try await round(input)
    }

    /// An error that does not end the question.
    func complain(_ error: OstiaryError, about challenge: FactorChallenge) { emit(.error(error, session: session(challenge.session)?.shown)) }

    /// What a screen is told.
    private func shown(_ question: OpenQuestion, retry: Bool, stopped: Bool = false) -> SecondFactor {
        let challenge = question.challenge
        let tries = tries(of: challenge)
        let info = SecondFactorInfo(
            context: SecondFactorInfo.Context(challenge.context), result: question.result, retry: retry, blocked: tries.blocked,
            maxAttempts: Int(tries.most), failedAttempts: Int(tries.failed), penalisedFor: Int(tries.penalty(at: ports.clock)),
            showBiometrics: question.place == .prelude || offersBiometrics(for: challenge))
        return SecondFactor(stopped: stopped, secondFactorInfo: info, session: session(challenge.session)?.shown)
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
