/// Breadth-first search over every order of events, to a stated depth. The machine under test is the one that serves.
protocol ExploredModel {
    associatedtype State: Hashable

    var start: State { get }
    /// Every state that one event leads to.
    func successors(of state: State) -> [State]
    /// What is wrong with a state, if anything.
    func violation(in state: State) -> String?
}

/// What a search saw.
struct ExplorationReport {
    var states = 0
    var depth = 0
    /// The first state that broke a promise.
    var violation: String?
    /// Whether every reachable state was seen, so that a deeper search would see no more.
    var isComplete = false
}

extension ExploredModel {
    /// Stops at the first violation, after `depth` events, or when nothing new is reached.
    func explore(depth: Int) -> ExplorationReport {
        var report = ExplorationReport()
        var seen: Set<State> = [start]
        var frontier = [start]
        while !frontier.isEmpty, report.depth < depth {
            var next: [State] = []
            for state in frontier {
                for successor in successors(of: state) where seen.insert(successor).inserted {
                    if let violation = violation(in: successor) {
                        report.violation = violation
                        report.states = seen.count
                        return report
                    }
                    next.append(successor)
                }
            }
            frontier = next
            report.depth += 1
        }
        report.states = seen.count
        report.isComplete = frontier.isEmpty
        return report
    }
}
