import OstiaryTesting

/// What a run must explain of its enrolment codes and return codes.
///
/// Where a code came about while no clock was wrong, each node that was asked about it had the right time then, and all went so fast that it cannot have been too old,
/// there is no excuse: one phone has it, and whoever is refused is so because of another; its own browser is in, unless another was first. Otherwise it may be over
/// by its times as well, and what a wrong clock refused may have done nothing, or what it was asked: it is as if nobody had heard. Which nodes a phone has asked
/// nobody knows; a browser's is named.
struct OnceOver {
    /// Half of what a return code lives, which lives shorter.
    private static let surelyGood = Duration.seconds(60)

    /// When each code was not yet good, by its key.
    let begun: [String: Duration]
    let leaps: Leaps

    /// What is wrong with what phones were told that have read enrolment codes.
    func faults(inClaims calls: [RedeemedOnce.Call]) -> [String] {
        faults(in: calls, refused: RedeemedOnce.Answer.refused, areNodesNamed: false) { isSure in
            RedeemedOnce(mayRefuse: !isSure, isRepeatable: true)
        }
    }

    /// What is wrong with what browsers were told that came back with return codes.
    func faults(inHandIns calls: [HandedInOnce.Call]) -> [String] {
        faults(in: calls, refused: HandedInOnce.Answer.refused, areNodesNamed: true) { isSure in HandedInOnce(mayEndByItself: !isSure) }
    }

    /// Whether something may excuse that a code is refused.
    enum Excuse: Hashable {
        /// Nothing does: it is held against the strict model.
        case nothing
        /// It may have been too old.
        case age
        /// A clock was wrong where it came about, or at a node that was asked.
        case clock
        /// Nobody has written down when it came about.
        case unknown
    }

    /// Of each enrolment code.
    func excuses(ofClaims calls: [RedeemedOnce.Call]) -> [Excuse] { keys(of: calls, areNodesNamed: false).map(\.excuse) }

    /// Of each return code.
    func excuses(ofHandIns calls: [HandedInOnce.Call]) -> [Excuse] { keys(of: calls, areNodesNamed: true).map(\.excuse) }

    private func faults<Model: SequentialModel>(
        in calls: [Model.Call], refused: Model.Answer, areNodesNamed: Bool, by model: (Bool) -> Model
    ) -> [String] {
        keys(of: calls, areNodesNamed: areNodesNamed).flatMap { key -> [String] in
            let explained: [Model.Call] = key.calls.map { call -> Model.Call in
                guard call.answer == refused, isDoubtful(call, of: key) else { return call }
                return ObservedCall(call.caller, call.key, call.action, invoked: call.invoked, .unknown)
            }
            return OrderSearch(model(key.excuse == .nothing)).faults(in: explained).map { "\($0)" }
        }
    }

    /// All that was asked about one code.
    private struct Key<Action: Hashable & Sendable, Answer: Hashable & Sendable> {
        let calls: [ObservedCall<Action, Answer>]
        /// When the last of them was over.
        let last: Duration
        /// Whether the callers say which node each was asked of, and the code came about by right clocks: then what others thought of the time matters nothing.
        let isNodeKnown: Bool
        var excuse = Excuse.nothing
    }

    private func keys<Action, Answer>(of calls: [ObservedCall<Action, Answer>], areNodesNamed: Bool) -> [Key<Action, Answer>] {
        Dictionary(grouping: calls, by: \.key).sorted { $0.key < $1.key }.map { name, calls -> Key<Action, Answer> in
            let last = calls.map { max($0.invoked, $0.returned ?? .zero) }.max() ?? .zero
            let first = calls.map(\.invoked).min() ?? .zero
            let isRightFirst = begun[name].map { !leaps.isWrong(from: $0, until: first) } ?? false
            var key = Key(calls: calls, last: last, isNodeKnown: areNodesNamed && isRightFirst)
            key.excuse = excuse(of: key, begun: begun[name], isRightFirst: isRightFirst)
            return key
        }
    }

    private func excuse<Action, Answer>(of key: Key<Action, Answer>, begun: Duration?, isRightFirst: Bool) -> Excuse {
        guard let begun else { return .unknown }
        guard key.last - begun < Self.surelyGood else { return .age }
        return isRightFirst && !key.calls.contains { isDoubtful($0, of: key) } ? .nothing : .clock
    }

    /// Whether the clock was wrong of whom it was asked, or may have been.
    private func isDoubtful<Action, Answer>(_ call: ObservedCall<Action, Answer>, of key: Key<Action, Answer>) -> Bool {
        key.isNodeKnown ? leaps.isWrong(call, until: key.last) : leaps.isWrong(from: call.invoked, until: call.returned ?? key.last)
    }
}
