import Database
import Foundation
import OstiaryTesting

@testable import OstiaryPhone

/// What the second-factor server counts, as its rows have it.
extension NodeLoad {
    /// Reads the counters again and again, also while the server is dead.
    func watchCounters(until deadline: Duration) async {
        var database: (any Database)?
        while now() < deadline, !Soak.isToEnd {
            if database == nil { database = try? Self.counters(of: fixture.layout) }
            if let database { await readCounters(in: database) }
            try? await Task.sleep(for: .milliseconds(500))
        }
        try? await database?.close()
    }

    /// The database of the second-factor server, beside it.
    static func counters(of layout: DemoLayout) throws -> any Database {
        let file = layout.secondFactorData.appendingPathComponent("second-factor.sqlite").path
        return try openDatabase(try DatabaseURL(parsing: "sqlite:\(file)"), ownership: .shared, content: .ours)
    }

    /// The numbers of tries that were given out and proved, and the epoch of the PIN: each only grows.
    private func readCounters(in database: any Database) async {
        let invoked = now()
        let read = try? await database.read { connection in
            try connection.query("SELECT id, highest, proven, proven_by_pin, epoch FROM instance").map { row in
                let name = try row.blob("id").prefix(4).map { String($0, radix: 16) }.joined()
                return [
                    "\(name) hi": try row.int("highest"), "\(name) ok": try row.int("proven"), "\(name) pinOk": try row.int("proven_by_pin"),
                    "\(name) epoch": try row.int("epoch"),
                ]
            }
        }
        let moment = now()
        for counters in read ?? [] {
            for (key, count) in counters {
                histories.counters.note(ObservedCall("reader", key, .read, invoked: invoked, .answered(count, at: moment)))
            }
        }
    }
}
