import Database
import Dispatch
import OstiaryTesting
import Synchronization
import Testing

@Suite("Steps of a schema while other programs run", .timeLimit(.minutes(5)))
struct RollingMigrationTests {
    private static let first = Migration(1, "first") { ["CREATE TABLE a (n \($0.integer)) \($0.tableOptions)", "INSERT INTO a (n) VALUES (1)"] }
    private static let second = Migration(2, "second") { _ in ["UPDATE a SET n = n + 10"] }
    /// Adds, for programs that know the second.
    private static let third = Migration(3, "third", readableFrom: 2) { ["ALTER TABLE a ADD COLUMN m \($0.integer) NOT NULL DEFAULT 7"] }
    /// Takes away what programs before the third read.
    private static let fourth = Migration(4, "fourth", readableFrom: 3) { _ in ["DROP TABLE a"] }
    /// In the fourth's place: nobody before goes on with it, and nobody needs it at once. A later one, with which they do.
    private static let patient = Migration(4, "patient", mayWait: true) { _ in ["UPDATE a SET n = n + 100"] }
    private static let fifth = Migration(5, "fifth", readableFrom: 2) { ["ALTER TABLE a ADD COLUMN o \($0.integer)"] }

    @Test("A program that knows fewer steps starts on what only added to those, and changes nothing of it", arguments: Backend.allCases)
    func older(on backend: Backend) async throws {
        try await backend.withEmptyDatabase { database in
            try await database.migrate([Self.first, Self.second, Self.third])
            try await database.migrate([Self.first, Self.second])
            #expect(try await database.schemaVersion() == 3)
            try await database.transaction { try $0.execute("INSERT INTO a (n) VALUES (20)") }
            let sum = try await database.read { try $0.one("SELECT CAST(SUM(n + m) AS \(database.dialect.integer)) AS sum FROM a")?.int("sum") }
            #expect(sum == 11 + 20 + 14)
            // One that is older still, and one of another program.
            await #expect(throws: DatabaseOpenError.newerThanProgram(version: 3)) { try await database.migrate([Self.first]) }
            let foreign = DatabaseOpenError.foreignMigration(number: 2, expected: "theirs", found: "second")
            await #expect(throws: foreign) { try await database.migrate([Self.first, Migration(2, "theirs") { _ in [] }]) }
        }
    }

    @Test("A program is refused by any step among those that it does not know with which it cannot go on", arguments: Backend.allCases)
    func refused(on backend: Backend) async throws {
        try await backend.withEmptyDatabase { database in
            try await database.migrate([Self.first, Self.second, Self.third, Self.fourth, Migration(5, "fifth", readableFrom: 2) { _ in [] }])
            await #expect(throws: DatabaseOpenError.newerThanProgram(version: 5)) { try await database.migrate([Self.first, Self.second]) }
            try await database.migrate([Self.first, Self.second, Self.third])
            // A row of the step alone, as a program of before wrote it, says nothing of who goes on.
            try await database.transaction { try $0.execute("INSERT INTO schema_version (number, name) VALUES (6, 'sixth')") }
            await #expect(throws: DatabaseOpenError.newerThanProgram(version: 6)) {
                try await database.migrate([Self.first, Self.second, Self.third])
            }
        }
    }

    /// Two programs that have one database open.
    private static func withTwo(_ body: (PostgreSQLDatabase, PostgreSQLDatabase) async throws -> Void) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        var settings = PostgreSQLSettings.forTests
        settings.program = "ostiary another"
        let (one, other) = (try await cluster.open(name), try await cluster.open(name, settings: settings))
        do { try await body(one, other) } catch {
            await one.close()
            await other.close()
            throw error
        }
        await one.close()
        await other.close()
    }

    @Test("Of programs that start at once on an empty database one makes each step, and all go on", .enabled(if: PostgreSQLCluster.isInstalled))
    func atOnce() async throws {
        try await Self.withTwo { one, other in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    let database = number % 2 == 0 ? one : other
                    group.addTask { try await database.migrate([Self.first, Self.second, Self.third]) }
                }
                try await group.waitForAll()
            }
            #expect(try await one.read { try $0.query("SELECT n FROM a").map { try $0.int("n") } } == [11])
            #expect(try await other.schemaVersion() == 3)
        }
    }

    /// Somebody reads the table, and goes on until `ends` is signalled.
    private static func holdTable(of database: any Database) async -> (holder: Task<Void, any Error>, ends: DispatchSemaphore) {
        let (holds, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let holder = Task {
            try await database.read { connection -> Void in
                _ = try connection.one("SELECT n FROM a")
                holds.signal()
                ends.wait()
            }
        }
        await onOwnThread { holds.wait() }
        return (holder, ends)
    }

    @Test(
        "A step waits for a table that somebody holds and keeps nobody waiting behind it; when that ends it is made",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func held() async throws {
        try await Self.withTwo { one, other in
            try await one.migrate([Self.first, Self.second])
            let (holder, ends) = await Self.holdTable(of: other)
            var patience = StepPatience()
            patience.mostTries = 1
            let impatient = patience
            await #expect(throws: DatabaseOpenError.stepBlocked(number: 3)) {
                try await one.migrate([Self.first, Self.second, Self.third], patience: impatient)
            }
            let seen = Mutex<[Int?]>([])
            patience.mostTries = 9
            patience.pause = {
                // Of two that use the table between the tries neither waits.
                let found = try? await other.transaction { connection in
                    try connection.execute("UPDATE a SET n = n + 1")
                    return try connection.one("SELECT n FROM a")?.int("n")
                }
                seen.withLock { $0.append(found ?? nil) }
                ends.signal()
            }
            try await one.migrate([Self.first, Self.second, Self.third], patience: patience)
            try await holder.value
            #expect(seen.withLock { $0.first } == 12)
            #expect(try await other.read { try $0.one("SELECT m FROM a")?.int("m") } == 7)
        }
    }

    @Test(
        "A step with which a program cannot go on that runs is not made while it does, whether or not it has said what it knows; one that only adds is",
        .enabled(if: PostgreSQLCluster.isInstalled), arguments: [true, false])
    func running(saysSo: Bool) async throws {
        try await Self.withTwo { one, other in
            try await one.migrate([Self.first, Self.second])
            if saysSo { try await other.migrate([Self.first, Self.second]) } else { _ = try await other.schemaVersion() }
            let steps = [Self.first, Self.second, Self.third, Self.fourth]
            await #expect(throws: DatabaseOpenError.olderPrograms(version: 2, step: 4)) { try await one.migrate(steps, patience: .hasty) }
            // Nor is it by trying again, when the step that only adds is there.
            await #expect(throws: DatabaseOpenError.olderPrograms(version: 3, step: 4)) { try await one.migrate(steps, patience: .hasty) }
            #expect(try await other.read { try $0.query("SELECT n FROM a").map { try $0.int("n") } } == [11])
            #expect(try await one.schemaVersion() == 3)
            await other.close()
            // The server sees the end of a connection a moment later than its program.
            while true {
                do { try await one.migrate(steps, patience: .hasty) } catch DatabaseOpenError.olderPrograms { continue }
                break
            }
            #expect(try await one.schemaVersion() == 4)
        }
    }

    @Test(
        "A step that may wait is left out while a program of before runs, and holds up no later one; it is made when that one is gone, by no start",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func waiting() async throws {
        try await Self.withTwo { one, other in
            let (before, steps) = ([Self.first, Self.second], [Self.first, Self.second, Self.patient, Self.fifth])
            for database in [one, other] { try await database.migrate(before) }
            let watch = StepWatch(4, of: one)
            var patience = StepPatience()
            patience.pause = { Issue.record("a start waited for it") }
            for takesWaiting in [false, true, false, true] { try await one.migrate(steps, patience: patience, takesWaiting: takesWaiting) }
            try await watch.look()
            #expect(!watch.isTaken)
            #expect(
                try await one.read { try $0.query("SELECT number FROM schema_version ORDER BY number").map { try $0.int("number") } } == [1, 2, 5])
            // One of before that is started again in the middle.
            try await other.migrate(before)
            #expect(try await other.read { try $0.query("SELECT n FROM a").map { try $0.int("n") } } == [11])
            await other.close()
            // The server sees the end of a connection a moment later than its program.
            while try await one.isOpenedByOlder(than: 4) { await Task.yield() }
            // Away for a moment, as far as a start can see.
            try await one.migrate(steps, patience: patience)
            #expect(try await Self.numbers(in: one) == [11])
            while !watch.isTaken {
                try await one.migrate(steps, patience: .hasty, takesWaiting: true)
                try await watch.look()
            }
            #expect(try await one.read { try $0.query("SELECT n, o FROM a").map { try $0.int("n") } } == [111])
            await #expect(throws: DatabaseOpenError.newerThanProgram(version: 5)) { try await one.migrate(before) }
        }
    }

    @Test(
        "A program that says nothing of what it knows is taken for one of before by a step that may wait, until it says so again",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func saidAgain() async throws {
        try await Self.withTwo { one, other in
            let steps = [Self.first, Self.second, Self.patient]
            try await one.migrate([Self.first, Self.second])
            // As one that has lost the connection by which it said so.
            _ = try await other.schemaVersion()
            #expect(try await one.isOpenedByOlder(than: 4))
            try await one.migrate(steps, takesWaiting: true)
            #expect(try await one.schemaVersion() == 2)
            try await other.announce(steps)
            #expect(try await !one.isOpenedByOlder(than: 4))
            try await one.migrate(steps, takesWaiting: true)
            #expect(try await one.schemaVersion() == 4)
        }
    }

    @Test(
        "A start takes a step that may wait where one program only can have the database, and in a new one; else it does not, whoever runs",
        arguments: Backend.allCases)
    func alone(on backend: Backend) async throws {
        let steps = [Self.first, Self.second, Self.patient, Self.fifth]
        try await backend.withEmptyDatabase { database in
            try await database.migrate([Self.first, Self.second])
            let watch = StepWatch(4, of: database)
            try await watch.look()
            #expect(!watch.isTaken)
            let isShared = database.dialect.programs != nil
            #expect(isShared == (backend == .postgresql))
            try await database.migrate(steps)
            try await watch.look()
            #expect(watch.isTaken != isShared)
            #expect(try await Self.numbers(in: database) == [isShared ? 11 : 111])
            for _ in 0..<2 { try await database.migrate(steps, takesWaiting: true) }
            try await watch.look()
            #expect(watch.isTaken)
            #expect(try await Self.numbers(in: database) == [111])
        }
        try await backend.withEmptyDatabase { database in
            try await database.migrate(steps)
            #expect(try await Self.numbers(in: database) == [111])
        }
    }

    private static func numbers(in database: any Database) async throws -> [Int] {
        try await database.read { try $0.query("SELECT n FROM a").map { try $0.int("n") } }
    }

    @Test(
        "A step that was taken and is gone, as after a failover that lost its commit, is known to be gone at the next look",
        arguments: Backend.allCases)
    func gone(on backend: Backend) async throws {
        try await backend.withEmptyDatabase { database in
            try await database.migrate([Self.first, Self.second, Self.patient])
            let watch = StepWatch(4, of: database)
            try await watch.look()
            #expect(watch.isTaken)
            try await database.transaction { try $0.execute("DELETE FROM schema_version WHERE number = 4") }
            try await watch.look()
            #expect(!watch.isTaken)
            try await database.migrate([Self.first, Self.second, Self.patient], takesWaiting: true)
            try await watch.look()
            #expect(watch.isTaken)
        }
    }

    @Test(
        "A step that may wait is tried once where somebody holds its table, and left for later: nobody waits for it, and no start is refused",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func leftWhereHeld() async throws {
        try await Self.withTwo { one, other in
            try await one.migrate([Self.first, Self.second])
            let (holder, ends) = await Self.holdTable(of: other)
            // The holder is no program of before.
            let steps = [
                Self.first, Self.second, Migration(4, "wide", readableFrom: 0, mayWait: true) { ["ALTER TABLE a ADD COLUMN w \($0.integer)"] },
            ]
            var patience = StepPatience()
            patience.pause = { Issue.record("it was tried again") }
            for takesWaiting in [false, true] { try await one.migrate(steps, patience: patience, takesWaiting: takesWaiting) }
            #expect(try await one.schemaVersion() == 2)
            ends.signal()
            try await holder.value
            try await one.migrate(steps, patience: patience, takesWaiting: true)
            #expect(try await one.schemaVersion() == 4)
        }
    }

    @Test("A program that starts just now and has not said yet what it knows is waited for a moment", .enabled(if: PostgreSQLCluster.isInstalled))
    func starting() async throws {
        try await Self.withTwo { one, other in
            try await one.migrate([Self.first, Self.second])
            _ = try await other.schemaVersion()
            let steps = [Self.first, Self.second, Self.third, Self.fourth]
            var patience = StepPatience.hasty
            patience.pause = { _ = try? await other.migrate(steps, patience: .hasty) }
            try await one.migrate(steps, patience: patience)
            #expect(try await one.schemaVersion() == 4)
        }
    }

    @Test("What only adds is told from what does not")
    func additive() {
        func objections(_ statements: String...) -> Int {
            AdditiveStep(Migration(9, "step") { _ in ["CREATE TABLE mine (a TEXT)"] + statements }, in: .sqlite).objections.count
        }
        for fine in [
            "CREATE INDEX mine_a ON mine (a)", "CREATE UNIQUE INDEX mine_b ON mine(a)", "ALTER TABLE theirs ADD COLUMN a TEXT",
            "ALTER TABLE theirs\n ADD COLUMN a TEXT NOT NULL DEFAULT ''", "INSERT INTO mine (a) VALUES ('')",
        ] {
            #expect(objections(fine) == 0, "\(fine)")
        }
        for wrong in [
            "DROP TABLE theirs", "DROP INDEX theirs_a", "ALTER TABLE theirs RENAME TO others", "ALTER TABLE theirs DROP COLUMN a",
            "ALTER TABLE theirs RENAME COLUMN a TO b", "ALTER TABLE theirs ADD COLUMN a TEXT NOT NULL", "CREATE INDEX theirs_a ON theirs (a)",
            "ALTER TABLE theirs ADD COLUMN a TEXT UNIQUE", "UPDATE theirs SET a = 1", "DELETE FROM theirs", "INSERT INTO theirs (a) VALUES (1)",
            "ALTER TABLE theirs ADD COLUMN a TEXT REFERENCES mine (a)",
        ] {
            #expect(objections(wrong) == 1, "\(wrong)")
        }
        // An index of a table to which little is written: one that an operator may have built before, and nothing else.
        func objectionsWhereCalm(_ statement: String) -> Int {
            AdditiveStep(Migration(9, "step") { _ in [statement] }, in: .sqlite, calm: ["theirs"]).objections.count
        }
        #expect(objectionsWhereCalm("CREATE INDEX IF NOT EXISTS theirs_a ON theirs (a)") == 0)
        for wrong in [
            "CREATE INDEX theirs_a ON theirs (a)", "CREATE UNIQUE INDEX IF NOT EXISTS theirs_a ON theirs (a)",
            "CREATE INDEX IF NOT EXISTS others_a ON others (a)", "DROP INDEX theirs_a",
        ] {
            #expect(objectionsWhereCalm(wrong) == 1, "\(wrong)")
        }
        let rows = Migration(9, "step", statements: { _ in [] }, rows: { _ in })
        #expect(AdditiveStep(rows, in: .sqlite).objections.count == 1)
    }
}

extension StepPatience {
    /// As many tries, and no pauses.
    fileprivate static var hasty: StepPatience {
        var patience = StepPatience()
        patience.pause = { await Task.yield() }
        return patience
    }
}
