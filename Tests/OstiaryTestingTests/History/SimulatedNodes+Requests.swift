import OstiaryTesting

/// What is asked once more, what is replaced, and what only grows: at nodes that are right, and at those with one fault each.
extension SimulatedNodes {
    enum RepeatFault: CaseIterable {
        /// One in eight is carried out anew, and answered so.
        case answeredAnew
        /// Each node remembers what it answered itself.
        case rememberedByNode
        /// What was answered is kept only later.
        case keptLater
    }

    /// One request that everybody sends, again and again.
    func repeats(_ fault: RepeatFault? = nil) -> [SameOutcome.Call] {
        var kept = [(outcome: String, time: Int)?](repeating: nil, count: Self.nodes)
        return history(plans.map { _ in SameOutcome.Action.ask }) { plan, _ -> SameOutcome.Answer in
            let place = fault == .rememberedByNode ? plan.node : 0
            let isAnew = fault == .answeredAnew && plan.draw % 8 == 0
            if let known = kept[place], !isAnew, fault != .keptLater || plan.effect > known.time + 12 { return .told(known.outcome) }
            let outcome = "\(plan.draw)"
            kept[place] = kept[place] ?? (outcome, plan.effect)
            return .told(outcome)
        }
    }

    enum PINFault: CaseIterable {
        /// Two are good for a while: a node goes on taking the former one.
        case formerTaken
        /// None is good for a while: the former one goes before the new one counts.
        case noneTaken
        /// A change is acknowledged, and half of them are lost.
        case changeLost
    }

    /// A PIN that is changed now and then, and entered all the time.
    func pins(_ fault: PINFault? = nil) -> [OnePIN.Call] {
        var (good, former, changed) = (0, 0, -100)
        let asked = plans.map { $0.draw < 80 ? OnePIN.Action.set($0.draw % 3) : .enter($0.draw % 3) }
        return history(asked) { plan, action -> OnePIN.Answer in
            switch action {
            case .set(let new):
                if fault == .changeLost, plan.draw % 2 == 0 { return .done }
                if new != good { (good, former, changed) = (new, good, plan.effect) }
                return .done
            case .enter(let pin):
                let isFresh = plan.effect < changed + 30
                if isFresh, fault == .formerTaken, pin == former { return .right }
                if isFresh, fault == .noneTaken { return .wrong }
                return pin == good ? .right : .wrong
            }
        }
    }

    /// A number that grows, and is read at any node.
    /// - Parameter isPutBack: whether it is that of a while ago, once.
    func readings(isPutBack: Bool = false) -> [NeverLower.Call] {
        var (number, former, isOver) = (0, 0, false)
        return history(plans.map { _ in NeverLower.Action.read }) { plan, _ -> Int in
            if plan.draw < 400 { number += 1 }
            if plan.effect < 60 { former = number }
            if isPutBack, !isOver, plan.effect > 120 { (number, isOver) = (former, true) }
            return number
        }
    }
}
