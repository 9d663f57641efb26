import OstiaryTesting

/// What a run must explain of its enrolment codes and return codes.
///
/// Where no clock was wrong since a code came about, and all went so fast that it cannot have been too old, there is no excuse: one phone has it, and whoever is
/// refused is so because of another; its own browser is in, unless another was first. Otherwise it may be over by its times as well, and what a wrong clock
/// refused may have done nothing, or what it was asked: it is as if nobody had heard.
struct OnceOver {
    /// Half of what a return code lives, which lives shorter.
    private static let surelyGood = Duration.seconds(60)

    /// When each code was not yet good, by its key.
    let begun: [String: Duration]
    let leaps: Leaps

    /// What is wrong with what phones were told that have read enrolment codes.
    func faults(inClaims calls: [RedeemedOnce.Call]) -> [String] {
        faults(in: calls, refused: RedeemedOnce.Answer.refused) { isSure in RedeemedOnce(mayRefuse: !isSure, isRepeatable: true) }
    }

    /// What is wrong with what browsers were told that came back with return codes.
    func faults(inHandIns calls: [HandedInOnce.Call]) -> [String] {
        faults(in: calls, refused: HandedInOnce.Answer.refused) { isSure in HandedInOnce(mayEndByItself: !isSure) }
    }

    private func faults<Model: SequentialModel>(
        in calls: [Model.Call], refused: Model.Answer, by model: (Bool) -> Model
    ) -> [String] {
        Dictionary(grouping: calls, by: \.key).sorted { $0.key < $1.key }.flatMap { key, calls -> [String] in
            let last = calls.map { max($0.invoked, $0.returned ?? .zero) }.max() ?? .zero
            let isSure = begun[key].map { last - $0 < Self.surelyGood && !leaps.isWrong(from: $0, until: last) } ?? false
            let explained = isSure ? calls : calls.map { leaps.doubted($0, where: refused) }
            return OrderSearch(model(isSure)).faults(in: explained).map { "\($0)" }
        }
    }
}
