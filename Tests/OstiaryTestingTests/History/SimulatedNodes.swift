import OstiaryTesting

/// Three nodes on one database, as far as a history can see them: callers that ask one after the other, calls that take their time on both ways, answers
/// that are lost, and calls that are lost before they did anything. Everything is drawn from a seed.
struct SimulatedNodes {
    /// One call: it is carried out at one moment between its beginning and its end.
    struct Plan {
        let caller: Int
        let node: Int
        let invoked: Int
        let effect: Int
        let returned: Int
        /// No answer comes.
        let isUnknown: Bool
        /// Whether it is carried out; only one without an answer may not be.
        let happens: Bool
        /// For what a test draws of its own.
        let draw: Int
    }

    static let nodes = 3
    /// In the order in which they are carried out.
    let plans: [Plan]

    init(seed: UInt64, callers: Int = 6, callsEach: Int = 12) {
        var random = SplitMix(seed: seed)
        var plans: [Plan] = []
        for caller in 0..<callers {
            var time = Int.random(in: 0..<20, using: &random)
            for _ in 0..<callsEach {
                let (there, back) = (Int.random(in: 1...9, using: &random), Int.random(in: 1...9, using: &random))
                let isUnknown = Int.random(in: 0..<10, using: &random) == 0
                plans.append(
                    Plan(
                        caller: caller, node: Int.random(in: 0..<Self.nodes, using: &random), invoked: time,
                        // What is on its way when nobody waits any more may arrive much later.
                        effect: time + (isUnknown ? there * Int.random(in: 1...12, using: &random) : there), returned: time + there + back,
                        isUnknown: isUnknown, happens: !isUnknown || Bool.random(using: &random), draw: Int.random(in: 0..<1_000, using: &random)))
                time += there + back + Int.random(in: 1...15, using: &random)
            }
        }
        self.plans = plans.sorted { ($0.effect, $0.caller) < ($1.effect, $1.caller) }
    }

    /// - Parameters:
    ///   - actions: what each plan asks.
    ///   - carryOut: changes the nodes, and says what is answered.
    func history<Action, Answer>(_ actions: [Action], carryOut: (Plan, Action) -> Answer) -> [ObservedCall<Action, Answer>] {
        zip(plans, actions).map { plan, action in call(plan, action) { carryOut(plan, action) } }
    }

    func call<Action, Answer>(_ plan: Plan, _ action: Action, carryOut: () -> Answer) -> ObservedCall<Action, Answer> {
        let answer = plan.happens ? carryOut() : nil
        let outcome: ObservedCall<Action, Answer>.Outcome =
            if let answer, !plan.isUnknown { .answered(answer, at: .milliseconds(plan.returned)) } else { .unknown }
        let node = ["A", "B", "C"][plan.node]
        return ObservedCall("caller \(plan.caller) at \(node)", "key", action, invoked: .milliseconds(plan.invoked), outcome)
    }
}
