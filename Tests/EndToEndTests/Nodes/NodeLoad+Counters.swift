import Database
import OstiaryTesting
import Synchronization
import Testing

/// What the second-factor server counts, as its rows have it.
extension NodeLoad {
    /// Reads the counters again and again, also while the server is dead, or its database is.
    func watchCounters(until deadline: Duration) async {
        var database: (any Database)?
        // Of those who are there from the beginning: whoever enrols in the middle of the run enters no PIN but a first one.
        var instances: Set<String>?
        while goesOn(until: deadline) {
            if database == nil { database = try? await fixture.openCounters() }
            if let database { await readCounters(in: database, of: &instances) }
            try? await Task.sleep(for: .milliseconds(500))
        }
        try? await database?.close()
    }

    private struct Counters: Sendable {
        var tries: CountedTries.Row
        let provenByPIN: Int
        let epoch: Int
    }

    /// The numbers of tries that were given out and proved, and the epoch of the PIN: each only grows. And no number that was proved has more evaluations behind it
    /// than there are tries.
    /// - Parameter instances: that are looked at; nil before the first look, which finds them.
    private func readCounters(in database: any Database, of instances: inout Set<String>?) async {
        let invoked = now()
        let read = try? await database.read { connection in try Self.counters(on: connection) }
        let moment = now()
        if instances == nil, let read { instances = Set(read.keys) }
        for (name, counters) in read ?? [:] where instances?.contains(name) == true {
            let numbers = ["hi": counters.tries.highest, "ok": counters.tries.proven, "pinOk": counters.provenByPIN, "epoch": counters.epoch]
            for (key, count) in numbers {
                histories.counters.note(ObservedCall("reader", "\(name) \(key)", .read, invoked: invoked, .answered(count, at: moment)))
            }
            for problem in counted.withLock({ $0.note(counters.tries) }) { Issue.record("evaluations: \(problem)") }
        }
    }

    /// In one transaction, by the names of instances.
    private static func counters(on connection: any SQLConnection) throws -> [String: Counters] {
        func name(_ id: [UInt8]) -> String { id.prefix(4).map { String($0, radix: 16) }.joined() }
        var counters: [String: Counters] = [:]
        for row in try connection.query("SELECT id, highest, proven, proven_by_pin, epoch FROM instance") {
            let instance = name(try row.blob("id"))
            let tries = CountedTries.Row(instance: instance, highest: try row.int("highest"), proven: try row.int("proven"))
            counters[instance] = Counters(tries: tries, provenByPIN: try row.int("proven_by_pin"), epoch: try row.int("epoch"))
        }
        // New PINs have no number.
        for row in try connection.query("SELECT id, instance_id, sequence FROM attempt WHERE sequence > 0") {
            let (instance, attempt, number) = (name(try row.blob("instance_id")), try row.blob("id"), try row.int("sequence"))
            counters[instance]?.tries.attempts[attempt] = number
        }
        return counters
    }
}
