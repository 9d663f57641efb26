import OstiaryTesting

/// The nodes of a product that is right, and of products with one fault each.
extension SimulatedNodes {
    enum SessionFault: CaseIterable {
        /// A node believes for a while what it has read.
        case staleCache
        /// A node believes what it has read until it is told otherwise, and one of three words is lost.
        case notifyTrusted
        /// A stop is acknowledged before it is kept, and some are lost.
        case acknowledgedTooEarly
        /// A node that was slow writes back the whole row as it had read it.
        case writtenBack
    }

    /// A session that is read everywhere, and stopped by few.
    func sessions(_ fault: SessionFault? = nil) -> [AliveUntilStopped.Call] {
        var isAlive = true
        var cached = [(value: Bool, time: Int)?](repeating: nil, count: Self.nodes)
        let asked = plans.map { $0.draw < 40 && $0.effect > 60 ? AliveUntilStopped.Action.stop : .read }
        return history(asked) { plan, action -> AliveUntilStopped.Answer in
            if action == .stop {
                if fault == .acknowledgedTooEarly, plan.draw % 2 == 0 { return .over }
                isAlive = false
                for node in 0..<Self.nodes where node == plan.node || (plan.draw + node) % 3 != 0 { cached[node] = nil }
                return .over
            }
            switch fault {
            case .staleCache:
                if let known = cached[plan.node], plan.effect - known.time < 60 { return known.value ? .alive : .over }
                cached[plan.node] = (isAlive, plan.effect)
            case .notifyTrusted:
                if let known = cached[plan.node] { return known.value ? .alive : .over }
                cached[plan.node] = (isAlive, plan.effect)
            case .writtenBack where plan.draw > 960: isAlive = true
            default: break
            }
            return isAlive ? .alive : .over
        }
    }

    enum RedemptionFault: CaseIterable {
        /// Each node looks into its own memory.
        case rememberedByNode
        /// It is looked at, and marked only later.
        case markedLater
        /// What was marked is lost with a crash.
        case markLost
    }

    /// A code that everybody wants.
    func redemptions(_ fault: RedemptionFault? = nil) -> [RedeemedOnce.Call] {
        var takenAt: [Int?] = Array(repeating: nil, count: Self.nodes)
        var isLost = false
        let asked = plans.map { RedeemedOnce.Action(request: $0.caller * 1_000_000 + $0.invoked) }
        return history(asked) { plan, _ -> RedeemedOnce.Answer in
            let place = fault == .rememberedByNode ? plan.node : 0
            if fault == .markLost, !isLost, plan.effect > 100 { (takenAt[0], isLost) = (nil, true) }
            if let time = takenAt[place], fault != .markedLater || plan.effect > time + 12 { return .refused }
            takenAt[place] = takenAt[place] ?? plan.effect
            return .given
        }
    }

    enum HandInFault: CaseIterable {
        /// What another browser hands in stays good.
        case leftGood
        /// Each node looks into its own memory.
        case rememberedByNode
        /// Its own browser is not in any more when it loads the address again.
        case spentByOwn
    }

    /// A return code that its own browser brings back now and then, and another one all the time.
    func handIns(_ fault: HandInFault? = nil) -> [HandedInOnce.Call] {
        var states = [HandedInOnce.State](repeating: .good, count: Self.nodes)
        let asked = plans.map { $0.draw < 250 ? HandedInOnce.Action.own : .other }
        return history(asked) { plan, browser -> HandedInOnce.Answer in
            let place = fault == .rememberedByNode ? plan.node : 0
            let former = states[place]
            if former == .good, browser == .own || fault != .leftGood { states[place] = browser == .own ? .loggedIn : .lost }
            if fault == .spentByOwn, former == .loggedIn { return .refused }
            return browser == .own && states[place] == .loggedIn ? .loggedIn : .refused
        }
    }

    enum CounterFault: CaseIterable {
        /// It is read, and written only later: of two at once one is lost.
        case lostUpdate
        /// The count begins anew with the node.
        case forgottenAtRestart
        /// More are let through than the most.
        case oneTooMany
    }

    static let mostTries = 5

    /// Tries, few of which succeed.
    func tries(_ fault: CounterFault? = nil) -> [BoundedCounter.Call] {
        var (count, last, hasRestarted) = (0, -100, false)
        let most = fault == .oneTooMany ? Self.mostTries + 1 : Self.mostTries
        let asked = plans.map { $0.draw < 80 ? BoundedCounter.Action.succeed : $0.draw < 500 ? .read : .spend }
        return history(asked) { plan, action -> BoundedCounter.Answer in
            if fault == .forgottenAtRestart, !hasRestarted, plan.effect > 80 { (count, hasRestarted) = (0, true) }
            switch action {
            case .read: return .count(count)
            case .succeed:
                guard count < most else { return .refused }
                count = 0
                return .done
            case .reset:
                count = 0
                return .done
            case .spend:
                guard count < most else { return .refused }
                if fault == .lostUpdate, plan.effect - last < 8 { return .count(count) }
                (count, last) = (count + 1, plan.effect)
                return .count(count)
            }
        }
    }

    /// Work under a turn that passes from node to node.
    /// - Parameter isFenced: whether what comes from the holder of an older turn is refused where it is written.
    func turns(isFenced: Bool = true) -> [FencedTurn.Call] {
        var newest = 0
        // The turn that each node believes to have.
        var believed = [Int](repeating: 0, count: Self.nodes)
        var calls: [FencedTurn.Call] = []
        var next = 0
        for plan in plans {
            if plan.draw < 120 { next += 1 }
            let action = plan.draw < 120 ? FencedTurn.Action.take(turn: next) : .write(turn: believed[plan.node])
            calls.append(
                call(plan, action) {
                    switch action {
                    case .take(let turn):
                        guard turn > newest else { return .refused }
                        (newest, believed[plan.node]) = (turn, turn)
                        return .kept
                    case .write(let turn): return turn == newest || !isFenced ? .kept : .refused
                    }
                })
        }
        return calls
    }
}
