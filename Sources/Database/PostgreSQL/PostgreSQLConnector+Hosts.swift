/// Whether of several hosts one takes writes. An old primary that was not fenced looks like the right one to whoever asks it alone.
extension PostgreSQLConnector {
    /// Asks the hosts behind the first that takes writes, which nobody has asked yet. Who does not answer in the time of making a connection is left out.
    /// - Parameter link: the first connection that was made.
    /// - Throws: ``PostgreSQLLink/Loss``, with those that do and which of them is to be fenced.
    func checkSoleWriter(beside link: PostgreSQLLink) throws(PostgreSQLLink.Loss) {
        let places = Array(address.hosts.indices.dropFirst(link.host + 1))
        let others = writing(at: places, by: Deadline(milliseconds: settings.connectTimeout))
        var writers = [link]
        // By another name it is the same.
        for other in others where !writers.contains(where: { $0.timeline == other.timeline }) { writers.append(other) }
        let found = writers.compactMap { writer in writer.timeline.map { HostWriting(host: address.hosts[writer.host], timeline: $0.number) } }
        if let words = HostWriting.words(found) { throw PostgreSQLLink.Loss(reason: words) }
    }

    /// Asks all hosts but one, a second together at most, and notes the timelines of those that take writes.
    func noteWriters(beside place: Int) {
        let others = address.hosts.indices.filter { $0 != place }
        for link in writing(at: others, by: Deadline(milliseconds: min(settings.connectTimeout, 1_000))) { _ = timelines.note(link.timeline) }
    }

    /// A connection to each of these that takes writes and answers in its share of the time.
    private func writing(at places: [Int], by end: Deadline) -> [PostgreSQLLink] {
        places.enumerated().compactMap { number, place in try? settled(to: place, by: end.share(of: places.count - number)) }
    }
}

/// A host whose server takes writes.
struct HostWriting {
    let host: PostgreSQLAddress.Host
    let timeline: Int

    private var name: String { host.place }

    /// What an operator is told of several, as one line; nil of one.
    static func words(_ all: [HostWriting]) -> String? {
        guard all.count > 1, let highest = all.map(\.timeline).max() else { return nil }
        let places = all.map { "\($0.name) on timeline \($0.timeline)" }.joined(separator: ", ")
        let left = all.filter { $0.timeline < highest }.map(\.name).joined(separator: " and ")
        let isClear = all.count { $0.timeline == highest } == 1
        let deed = isClear ? "fence \(left), behind which another was promoted" : "fence all but the one that is to take them"
        return "\(all.count) of its hosts take writes, and what one is told the other does not know (\(places)): \(deed) (stop its PostgreSQL; "
            + "pg_rewind makes it a standby)"
    }
}
