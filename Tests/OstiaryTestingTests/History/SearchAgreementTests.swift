import OstiaryTesting
import Testing

/// The search, held to one that tries every order.
@Suite("The search for an order and all orders")
struct SearchAgreementTests {
    /// Counts what both say of drawn histories; either verdict must come up often, or the comparison says little.
    private func compare<Model: SequentialModel>(
        _ model: Model, _ actions: [Model.Action], _ answers: @escaping @Sendable (Model.Action) -> [Model.Answer]
    ) async {
        let (explained, unexplained, wrong) = await onOwnThread {
            var drawn = DrawnHistory(seed: 13)
            var (explained, unexplained, wrong) = (0, 0, [String]())
            for _ in 0..<1_500 {
                let calls = drawn.calls(actions, answers)
                let isExplained = AllOrders(model: model).explain(calls)
                if isExplained { explained += 1 } else { unexplained += 1 }
                switch OrderSearch(model).verdict(on: calls) {
                case .explained where isExplained: break
                // What it shows instead of the whole must have no explanation either.
                case .violated(let found) where !isExplained && !AllOrders(model: model).explain(found.calls): break
                default: wrong.append("\(calls)")
                }
            }
            return (explained, unexplained, wrong)
        }
        #expect(wrong.isEmpty, "\(wrong.first ?? "")")
        #expect(explained > 150 && unexplained > 150, "\(explained) to \(unexplained)")
    }

    @Test("They agree on sessions", arguments: [false, true])
    func sessions(_ mayEndByItself: Bool) async {
        let model = AliveUntilStopped(initial: mayEndByItself ? .notBegun : .alive, mayEndByItself: mayEndByItself)
        await compare(model, [.begin, .stop, .read, .read, .read]) { $0 == .stop ? [.over] : [.alive, .over] }
    }

    @Test("They agree on what is redeemed once", arguments: [(false, false), (true, false), (false, true), (true, true)])
    func redemptions(_ options: (mayRefuse: Bool, isRepeatable: Bool)) async {
        let model = RedeemedOnce(mayRefuse: options.mayRefuse, isRepeatable: options.isRepeatable)
        await compare(model, [1, 2, 3].map(RedeemedOnce.Action.init)) { _ in [.given, .refused, .refused, .refused] }
    }

    @Test("They agree on return codes", arguments: [false, true])
    func handIns(_ mayEndByItself: Bool) async {
        await compare(HandedInOnce(mayEndByItself: mayEndByItself), [.own, .own, .other]) { action in
            action == .own ? [.loggedIn, .refused] : [.loggedIn, .refused, .refused, .refused]
        }
    }

    @Test("They agree on counters")
    func counters() async {
        await compare(BoundedCounter(most: 2), [.spend, .spend, .spend, .read, .succeed, .reset]) { action in
            switch action {
            case .spend: [.count(1), .count(2), .done, .refused]
            case .read: [.count(0), .count(1), .count(2)]
            case .succeed: [.done, .done, .refused]
            case .reset: [.done]
            }
        }
    }

    @Test("They agree on turns")
    func turns() async {
        await compare(FencedTurn(), [.take(turn: 1), .take(turn: 2), .write(turn: 1), .write(turn: 2)]) { _ in [.kept, .kept, .refused] }
    }

    @Test("They agree on requests that are sent again", arguments: [false, true])
    func repeats(_ mayEndByItself: Bool) async {
        await compare(SameOutcome(mayEndByItself: mayEndByItself), [.ask, .ask, .ask, .end]) { action in
            action == .end ? [.done] : [.told("a"), .told("a"), .told("b"), .refused]
        }
    }

    @Test("They agree on a PIN that is replaced")
    func pins() async {
        await compare(OnePIN(), [.set(1), .set(2), .enter(0), .enter(1), .enter(2)]) { action in
            if case .set = action { [.done, .done, .refused] } else { [.right, .wrong] }
        }
    }

    @Test("They agree on numbers that only grow")
    func numbers() async { await compare(NeverLower(), [.read]) { _ in [0, 1, 2, 3] } }
}
