/// Faults of a run by their sorts, for who reads of it.
struct FaultTally: CustomStringConvertible {
    private var counts: [String: Int] = [:]
    private var vain: [String: Int] = [:]

    init() {}

    /// - Parameter hasBitten: whether something showed it (``FaultProbe``). One of which nothing did has not happened.
    mutating func note(_ fault: NodeFaults.Fault, hasBitten: Bool) {
        if hasBitten { counts[fault.sort, default: 0] += 1 } else { vain[fault.sort, default: 0] += 1 }
    }

    /// The sorts of these that have not happened.
    func missing(_ faults: [NodeFaults.Fault]) -> Set<String> { Set(faults.map(\.sort)).subtracting(counts.keys) }

    /// That have happened, of all sorts.
    var total: Int { counts.values.reduce(0, +) }

    /// By their names.
    var description: String {
        "\(total) faults" + Self.listed(": ", counts) + Self.listed("; shown by nothing: ", vain)
    }

    /// Empty where there are none.
    private static func listed(_ words: String, _ counts: [String: Int]) -> String {
        let sorts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return sorts.isEmpty ? "" : words + sorts.joined(separator: ", ")
    }
}

extension NodeFaults.Fault {
    fileprivate var sort: String {
        switch self {
        case .cutFromClients: "cut from clients"
        case .silentToClients: "silent to clients"
        case .cutFromDatabase: "cut from database"
        case .silentToDatabase: "silent to database"
        case .killed: "killed"
        case .paused: "halted"
        case .secondFactorKilled: "second-factor server killed"
        case .secondFactorPaused: "second-factor server halted"
        case .databaseKilled: "PostgreSQL killed"
        case .databaseReplaced: "PostgreSQL replaced"
        case .secondFactorCutFromDatabase: "second-factor server cut from database"
        case .secondFactorSilentToDatabase: "second-factor server silent to database"
        case .lost(let peer, .toNode): "lost from \(peer.rawValue)"
        case .lost(let peer, .fromNode): "lost to \(peer.rawValue)"
        case .lost(let peer, .both): "lost to and from \(peer.rawValue)"
        case .secondFactorLost(.toNode): "second-factor server lost from database"
        case .secondFactorLost(.fromNode): "second-factor server lost to database"
        case .secondFactorLost(.both): "second-factor server lost to and from database"
        case .unplugged: "unplugged"
        case .leap(let seconds): "clock \(seconds < 0 ? "−" : "+")\(abs(seconds)) s"
        }
    }
}
