import Synchronization

/// Why no connection was to be had when somebody wanted one last, for an operator; nothing any more once one was made. Nothing is decided by it: who wants a
/// connection asks for one.
final class RefusalNote: Sendable {
    private let noted = Mutex<String?>(nil)

    /// One line of bounded length.
    var reason: String? { noted.withLock { $0 } }

    func note(_ refusal: String) {
        let line = operatorLine(refusal)
        noted.withLock { $0 = line }
    }

    func noteConnection() { noted.withLock { $0 = nil } }

    /// What all hosts of an address have said, in its order, which is the same whoever is asked first.
    /// - Parameter reasons: by the place of each host; no reason of a host that was not asked.
    static func words(_ reasons: [Int: String], of hosts: [PostgreSQLAddress.Host]) -> String {
        guard hosts.count > 1 else { return reasons.values.first ?? "no host is named" }
        return hosts.enumerated().compactMap { place, host in
            reasons[place].map { "\(host.name):\(host.port): \(operatorLine($0, most: mostOfHost))" }
        }.joined(separator: "; ")
    }

    private static let mostOfHost = 200
}
