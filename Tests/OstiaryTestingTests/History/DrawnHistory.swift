import OstiaryTesting

/// Short histories with answers of all sorts, drawn without regard to what can be.
struct DrawnHistory {
    private(set) var random: SplitMix

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    mutating func calls<Action, Answer>(
        _ actions: [Action], _ answers: (Action) -> [Answer], most: Int = 6
    ) -> [ObservedCall<Action, Answer>] {
        (0..<Int.random(in: 2...most, using: &random)).map { number in
            let action = actions[Int.random(in: 0..<actions.count, using: &random)]
            let invoked = Duration.milliseconds(Int.random(in: 0...12, using: &random))
            let outcome: ObservedCall<Action, Answer>.Outcome
            switch Int.random(in: 0..<8, using: &random) {
            case 0: outcome = .unknown
            case 1 where number > 0: outcome = .neverSent
            default:
                let possible = answers(action)
                let answer = possible[Int.random(in: 0..<possible.count, using: &random)]
                outcome = .answered(answer, at: invoked + .milliseconds(Int.random(in: 0...6, using: &random)))
            }
            return ObservedCall("caller \(number)", "key", action, invoked: invoked, outcome)
        }
    }
}
