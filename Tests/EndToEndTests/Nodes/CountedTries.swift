/// Evaluations of PINs, as the second-factor server's rows have them: since the last proven success never more than there are tries, each by a number of its own, and
/// each counted. What was read is kept, as an attempt stays in its table for minutes alone, and what a crash took is told by whoever saw it before.
struct CountedTries {
    /// One instance, and its attempts, as one look found them.
    struct Row: Sendable {
        let instance: String
        /// Of the numbers of tries that were given out.
        let highest: Int
        /// Of the newest success.
        let proven: Int
        /// Numbers of the attempts that were counted, and so evaluated.
        var attempts: [[UInt8]: Int] = [:]
    }

    private let most: Int
    /// Of each instance the attempts by their numbers.
    private var seen: [String: [Int: [UInt8]]] = [:]

    /// - Parameter most: evaluations since a success.
    init(most: Int) { self.most = most }

    /// How many were seen.
    var evaluations: Int { seen.values.reduce(0) { $0 + $1.count } }

    /// - Returns: what is wrong, for the person who reads of it.
    mutating func note(_ row: Row) -> [String] {
        var known = seen[row.instance, default: [:]]
        var problems: [String] = []
        for (attempt, number) in row.attempts.sorted(by: { $0.value < $1.value }) {
            if number > row.highest { problems.append("\(row.instance): number \(number) was evaluated, and \(row.highest) is the highest counted") }
            if let other = known[number], other != attempt { problems.append("\(row.instance): number \(number) was evaluated for two attempts") }
            known[number] = attempt
        }
        seen[row.instance] = known
        let open = known.keys.count { $0 > row.proven }
        if open > most { problems.append("\(row.instance): \(open) evaluations since number \(row.proven) was proved, of \(most) tries") }
        return problems
    }
}
