/// With what everybody begins. It is done again until it was heard, whatever a fault made of it: else a short run on a slow machine meets some of it
/// never, and has nothing to show.
extension NodeLoad {
    /// By the numbers of residents.
    private static let beginnings: [[Kind]] = [[.authorization], [.returning], [.pin, .tokens]]
    /// Who comes to nothing so often goes on all the same.
    private static let mostTimes = 8

    /// Each as often as it is begun at most.
    static func firsts(of number: Int) -> [Kind] {
        beginnings[number % beginnings.count].flatMap { Array(repeating: $0, count: mostTimes) }
    }

    /// Whether so much was heard of a kind, by whomever it was done, that a run shows something of it.
    func isHeard(_ kind: Kind) -> Bool {
        switch kind {
        case .authorization: heardCourses.allSatisfy { $0 > 0 }
        case .returning: areReturnsHeard
        case .pin: histories.changes > 0
        case .tokens: histories.refreshed >= NodeHistories.fewestRefreshed
        case .login, .offlineCode, .app: true
        }
    }
}
