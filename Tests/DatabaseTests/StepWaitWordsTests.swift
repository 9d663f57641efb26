import Testing

@testable import Database

@Suite("What is said of a wait for the steps of a schema")
struct StepWaitWordsTests {
    @Test("It is told after three seconds, then at distances that grow to five minutes; a step tells it at tries that lie further and further apart")
    func distances() {
        #expect((0..<10).map(StepWaitTimes.distance) == [3, 6, 12, 24, 48, 96, 192, 300, 300, 300].map { Duration.seconds($0) })
        #expect((0...300).filter(StepWaitTimes.isDue) == [2, 4, 8, 16, 32, 64, 128, 256])
    }

    @Test("One line says which table, of which database, who is in the way, how that is seen, and that it goes on by itself")
    func locked() {
        let sessions = [HoldingSession(pid: 4711, program: "psql"), HoldingSession(pid: 4712, program: "ostiary 3f2a@44")]
        let line = "\(StepWait.locked(table: "schema_version", by: sessions, place: "logins at /run:5432"))"
        let behind = "behind pid 4711 (psql), pid 4712 (ostiary 3f2a@44): "
        #expect(line.hasPrefix("waits for a lock on the table schema_version of the database logins at /run:5432, \(behind)"))
        #expect(line.contains("This goes on by itself when that ends") && line.contains("pg_stat_activity") && line.contains("pg_blocking_pids"))
        #expect(!line.contains("\n"))
        #expect("\(StepWait.locked(table: "schema_version", by: [], place: "it"))".contains("of the database it, behind another session: "))
    }

    @Test("A session that says nothing of itself has its number, one that is prepared has none, and what another says is one line of bounded length")
    func sessions() {
        #expect("\(HoldingSession(pid: 5, program: ""))" == "pid 5")
        #expect("\(HoldingSession(pid: 0, program: ""))" == "a prepared transaction (pg_prepared_xacts)")
        #expect("\(HoldingSession(pid: 5, program: "a\nb\u{202E}c"))" == "pid 5 (a b c)")
        #expect("\(HoldingSession(pid: 5, program: "node), pid 1 (postgres"))" == "pid 5 (node?? pid 1 ?postgres)")
        let many = StepWait.locked(table: "a", by: (1...6).map { HoldingSession(pid: $0, program: "") }, place: "it")
        #expect("\(many)".contains("behind pid 1, pid 2, pid 3, pid 4, 2 more: "))
        let long = "\(HoldingSession(pid: 5, program: String(repeating: "x", count: 1_000)))"
        #expect(long.count < 100)
    }

    @Test("A step that tries again says which, how often it has, and how the oldest transactions are seen; one that gives up says that, too")
    func trying() {
        let line = "\(StepWait.trying(step: 43, tries: 4, most: 300, place: "it"))"
        #expect(line.hasPrefix("step 43 of the schema waits for a table of the database it that others have"))
        #expect(line.contains("This tries again by itself (4 of 300 times so far)") && line.contains(StepWait.oldest))
        #expect("\(DatabaseOpenError.stepBlocked(number: 43))".contains(StepWait.oldest))
    }
}
