/// A number that only grows, whoever reads it and whatever happens to those who keep it: of the tries that were counted, say, which a crash or a backup
/// must not make fewer.
package struct NeverLower: SequentialModel {
    package enum Action: Hashable, Sendable { case read }

    package init() {}

    /// The highest that was read.
    package var initial: Int { 0 }

    package func states(after action: Action, answered answer: Int?, from highest: Int) -> [Int] {
        guard let answer else { return [highest] }
        return answer >= highest ? [answer] : []
    }

    package func isRead(_ action: Action) -> Bool { true }

    package func isDispensable(_ action: Action, _ answer: Int?) -> Bool { true }
}
