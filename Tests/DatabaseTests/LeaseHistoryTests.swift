import Database
import OstiaryTesting
import Testing

/// What a node writes that was halted after it had looked at its lease, when another has the next turn: seen by the observer of histories.
@Suite("Leases: histories of the work under them")
struct LeaseHistoryTests {
    private struct Node {
        let name: String
        let holder: [UInt8]
        let database: SQLiteDatabase
        let lease: Lease
    }

    /// The calls of one test, which come one after the other.
    private final class Observer {
        private(set) var calls: [FencedTurn.Call] = []

        func note(_ node: Node, _ action: FencedTurn.Action, _ answer: FencedTurn.Answer) {
            let moment = Duration.milliseconds(calls.count * 10)
            calls.append(ObservedCall(node.name, "work", action, invoked: moment, .answered(answer, at: moment + .milliseconds(5))))
        }
    }

    /// - Parameter isFenced: whether the statement that writes asks whose turn it is.
    private func history(isFenced: Bool) async throws -> [FencedTurn.Call] {
        let folder = try TemporaryFolder()
        let nodes = try ["A", "B"].map { name in
            let database = try SQLiteDatabase.open(path: folder.databasePath, ownership: .shared, readers: 1)
            let holder = [UInt8](repeating: name == "A" ? 1 : 2, count: 16)
            return Node(name: name, holder: holder, database: database, lease: database.lease("work", for: 60, holder: holder))
        }
        let (first, second) = (nodes[0], nodes[1])
        try await first.database.migrate([
            Migration(1, "leases and work") { Lease.tables($0) + ["CREATE TABLE work (done \($0.integer) NOT NULL)", "INSERT INTO work VALUES (0)"] }
        ])
        let observer = Observer()
        #expect(try await first.lease.isHeld(at: 0))
        let halted = try await turn(of: first)
        observer.note(first, .take(turn: halted), .kept)
        observer.note(first, .write(turn: halted), try await write(first, halted, isFenced))
        // It is halted here, and the other one sees its turn for a whole life.
        for now in stride(from: 0 as UInt64, through: 45, by: 15) { #expect(try await !second.lease.isHeld(at: now)) }
        #expect(try await second.lease.isHeld(at: 60))
        let next = try await turn(of: second)
        observer.note(second, .take(turn: next), .kept)
        observer.note(second, .write(turn: next), try await write(second, next, isFenced))
        observer.note(first, .write(turn: halted), try await write(first, halted, isFenced))
        for node in nodes { try await node.database.close() }
        return observer.calls
    }

    private func turn(of node: Node) async throws -> Int {
        try await node.database.read { try #require(try $0.one("SELECT turn FROM lease")).int("turn") }
    }

    private func write(_ node: Node, _ turn: Int, _ isFenced: Bool) async throws -> FencedTurn.Answer {
        let own = node.holder
        let changed = try await node.database.transaction { connection in
            guard isFenced else { return try connection.execute("UPDATE work SET done = done + 1") }
            return try connection.execute(
                "UPDATE work SET done = done + 1 WHERE EXISTS (SELECT 1 FROM lease WHERE name = 'work' AND holder = $1 AND turn = $2)",
                [.blob(own), .integer(Int64(turn))])
        }
        return changed == 1 ? .kept : .refused
    }

    @Test("What the holder of an older turn writes is refused where the statement asks for the turn, and its history is explained")
    func fenced() async throws {
        let calls = try await history(isFenced: true)
        #expect(calls.map(\.answer) == [.kept, .kept, .kept, .kept, .refused])
        #expect(OrderSearch(FencedTurn()).faults(in: calls).isEmpty)
    }

    @Test("Planted: a lease without fencing is found, by the write that was kept after another's turn had begun")
    func unfenced() async throws {
        let calls = try await history(isFenced: false)
        guard case .violated(let found) = OrderSearch(FencedTurn()).verdict(on: calls) else {
            Issue.record("it was not found: \(calls)")
            return
        }
        #expect(found.culprit == calls.last)
    }
}
