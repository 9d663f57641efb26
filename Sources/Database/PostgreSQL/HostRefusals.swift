/// Why no host of an address gave a connection, told in its order, which is the same whoever was asked first.
struct HostRefusals {
    private let address: PostgreSQLAddress
    /// By the place of each host; none of a host that was not asked.
    private var losses: [Int: PostgreSQLLink.Loss] = [:]

    init(of address: PostgreSQLAddress) { self.address = address }

    mutating func note(_ loss: PostgreSQLLink.Loss, at place: Int) { losses[place] = loss }

    /// - Parameter isShort: whether whoever asked had less time than it takes to tell that a host is silent.
    func loss(isShort: Bool) -> PostgreSQLLink.Loss {
        let isUnheard = losses.values.contains(where: \.isSilence)
        let reason = operatorLine(RefusalNote.words(losses.mapValues(\.reason), of: address.hosts))
        return PostgreSQLLink.Loss(
            reason: reason, isSilence: isUnheard && !isShort, isLate: isUnheard && isShort, remedy: remedy, advice: advice)
    }

    /// What is done about what we object to, each once and whole, behind all that was said; with the hosts where it is not for all of them.
    private var remedy: String? {
        // Whoever promoted a standby beside a server that takes writes, or that may, would have two that do.
        let isLed = losses.values.contains { $0.follows == false || ($0.follows == nil && !$0.mayBeGone) }
        let remedies = losses.compactMapValues { loss in isLed && loss.follows == true ? nil : loss.remedy }
        return told(remedies) { remedy, places in
            places.count == losses.count ? remedy : "for \(RefusalNote.list(places.map { address.hosts[$0].place })): \(remedy)"
        }
    }

    /// Likewise of what PostgreSQL and libpq say. It names the host where there is need.
    private var advice: String? {
        var advices: [Int: String] = [:]
        for (place, loss) in losses { advices[place] = address.advice(on: loss.reason, by: address.hosts[place]) }
        return told(advices) { advice, _ in advice }
    }

    /// Each once, by the first host of which it is told.
    private func told(_ deeds: [Int: String], as words: (String, [Int]) -> String) -> String? {
        var (texts, places) = ([String](), [String: [Int]]())
        for (place, text) in deeds.sorted(by: { $0.key < $1.key }) {
            if places[text] == nil { texts.append(text) }
            places[text, default: []].append(place)
        }
        guard !texts.isEmpty else { return nil }
        return texts.map { words(operatorLine($0, most: Self.mostDeed), places[$0] ?? []) }.joined(separator: "; ")
    }

    /// Characters: more than any of ours has. Names and paths of the URL are in it.
    private static let mostDeed = 900
}

extension PostgreSQLLink.Loss {
    /// Whether nobody was reached who could refuse: anything else has come from a server that runs, or may have.
    fileprivate var mayBeGone: Bool {
        let unreached = [
            "Connection refused", "No such file or directory", "could not translate host name", "No route to host", "Network is unreachable",
        ]
        return isSilence || unreached.contains { reason.contains($0) }
    }
}
