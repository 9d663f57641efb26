import Synchronization

/// Why no connection was to be had when somebody wanted one last, for an operator; nothing any more once one was made. Nothing is decided by it: who wants a
/// connection asks for one.
final class RefusalNote: Sendable {
    private let noted = Mutex<String?>(nil)

    /// One line of bounded length.
    var reason: String? { noted.withLock { $0 } }

    /// - Parameter remedy: what an operator does about it, as one line that is not cut; nil where nothing is known.
    func note(_ refusal: String, remedy: String? = nil) {
        let line = operatorLine(refusal) + (remedy.map { ": \($0)" } ?? "")
        noted.withLock { $0 = line }
    }

    func noteConnection() { noted.withLock { $0 = nil } }

    /// What all hosts of an address have said, in its order, which is the same whoever is asked first. What several have said is told once, with all of
    /// them.
    /// - Parameter reasons: by the place of each host; no reason of a host that was not asked.
    static func words(_ reasons: [Int: String], of hosts: [PostgreSQLAddress.Host]) -> String {
        guard hosts.count > 1 else { return reasons.values.first ?? "no host is named" }
        var told: [(places: [String], reason: String)] = []
        for (place, host) in hosts.enumerated() {
            guard let reason = reasons[place] else { continue }
            if let found = told.firstIndex(where: { $0.reason == reason }) {
                told[found].places.append(host.place)
            } else {
                told.append((places: [host.place], reason: reason))
            }
        }
        return told.map { "\(list($0.places)): \(operatorLine($0.reason, most: mostOfHost))" }.joined(separator: "; ")
    }

    /// Hosts, of which no number takes the room of what they have said.
    static func list(_ places: [String]) -> String { operatorLine(places.joined(separator: ", "), most: mostOfHost) }

    private static let mostOfHost = 200
}
