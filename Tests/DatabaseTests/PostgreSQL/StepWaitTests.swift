import Dispatch
import OstiaryTesting
import Synchronization
import Testing

@testable import Database

/// Time is what a test makes of it: a wait between two tellings is over at once.
@Suite("PostgreSQL: what waits for the steps of a schema tells it", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct StepWaitTests {
    private static let first = Migration(1, "first") { ["CREATE TABLE a (n \($0.integer)) \($0.tableOptions)"] }
    private static let second = Migration(2, "second", readableFrom: 1) { ["ALTER TABLE a ADD COLUMN m \($0.integer)"] }

    /// A database that has the first step, and how one gets there.
    private static func withDatabase(_ body: (PostgreSQLDatabase, PostgreSQLAddress) async throws -> Void) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let database = try await cluster.open(name)
        do {
            try await database.migrate([first])
            try await body(database, cluster.address(of: name))
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    @Test("A start that waits for the lock of the steps tells who is in the way, again and again at growing distances, and goes on when that ends")
    func locked() async throws {
        try await Self.withDatabase { database, address in
            let holder = try await TableHolder("schema_version", at: address)
            let (waits, told) = AsyncStream.makeStream(of: StepWait.self)
            let distances = Mutex<[Duration]>([])
            var patience = StepPatience()
            patience.tell = { told.yield($0) }
            patience.sleep = { distance in distances.withLock { $0.append(distance) } }
            let listening = patience
            async let migrated: Void = database.migrate([Self.first, Self.second], patience: listening)
            var seen: [StepWait] = []
            for await wait in waits {
                seen.append(wait)
                if seen.count == 3 { break }
            }
            try await holder.letGo()
            try await migrated
            let session = HoldingSession(pid: holder.session, program: TableHolder.program)
            let wait = StepWait.locked(table: "schema_version", by: [session], place: database.place)
            #expect(seen == [wait, wait, wait])
            #expect(distances.withLock { Array($0.prefix(4)) } == (0..<4).map(StepWaitTimes.distance))
            #expect(try await database.schemaVersion() == 2)
        }
    }

    @Test("A step that works for long waits for nobody, and none is told")
    func working() async throws {
        try await Self.withDatabase { database, _ in
            let step = LongStep(looks: 4)
            var patience = StepPatience()
            patience.tell = { Issue.record("\($0)") }
            patience.sleep = { _ in step.look() }
            try await database.migrate([Self.first, step.migration], patience: patience)
            #expect(try await database.schemaVersion() == 2)
        }
    }

    @Test("Where nobody can be asked who is in the way a wait for the lock is told all the same, and a step that works for long is not")
    func unanswered() async throws {
        try await Self.withDatabase { database, address in
            let holder = try await TableHolder("schema_version", at: address)
            let (waits, told) = AsyncStream.makeStream(of: StepWait.self)
            let step = LongStep(looks: 4)
            var patience = StepPatience()
            patience.tell = { wait in
                #expect(!step.isAtWork)
                told.yield(wait)
            }
            patience.sleep = { _ in
                await Task.yield()
                step.look()
            }
            let listening = patience
            let unanswering = UnansweringDatabase(base: database)
            async let migrated: Void = unanswering.migrate([Self.first, step.migration], patience: listening)
            var seen: StepWait?
            for await wait in waits {
                seen = wait
                break
            }
            #expect(seen == .locked(table: "schema_version", by: [], place: database.place))
            try await holder.letGo()
            try await migrated
            #expect(try await database.schemaVersion() == 2)
        }
    }

    @Test("A step that tries again for a table that somebody holds tells it the second time, not the first, and is made when that one lets go")
    func trying() async throws {
        try await Self.withDatabase { database, address in
            let holder = try await TableHolder("a", at: address)
            let (waits, told) = AsyncStream.makeStream(of: StepWait.self)
            var patience = StepPatience()
            patience.pause = { await Task.yield() }
            patience.tell = { told.yield($0) }
            // Nothing but the tries is told.
            patience.sleep = { _ in throw CancellationError() }
            let listening = patience
            async let migrated: Void = database.migrate([Self.first, Self.second], patience: listening)
            var seen: StepWait?
            for await wait in waits {
                seen = wait
                break
            }
            try await holder.letGo()
            try await migrated
            #expect(seen == .trying(step: 2, tries: 2, most: 300, place: database.place))
            #expect(try await database.schemaVersion() == 2)
        }
    }
}

/// A step that works until it was looked after a few times.
private final class LongStep: Sendable {
    private let looks: Mutex<Int>
    private let work = Mutex(false)
    private let ends = DispatchSemaphore(value: 0)

    init(looks: Int) { self.looks = Mutex(looks) }

    var isAtWork: Bool { work.withLock { $0 } }

    var migration: Migration {
        Migration(
            2, "long", statements: { _ in [] },
            rows: { _ in
                self.work.withLock { $0 = true }
                self.ends.wait()
                self.work.withLock { $0 = false }
            })
    }

    /// One look begins.
    func look() {
        guard isAtWork else { return }
        let left = looks.withLock { looks in
            looks -= 1
            return looks
        }
        if left <= 0 { ends.signal() }
    }
}

/// A database that answers nobody who only reads, as one that has no connection left for that.
private struct UnansweringDatabase: Database {
    let base: PostgreSQLDatabase

    var dialect: SQLDialect { base.dialect }
    var place: String { base.place }
    var isShared: Bool { base.isShared }
    var patient: any Database { base.patient }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        throw SQLError.unavailable
    }

    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await base.transaction(body)
    }

    func purge() async throws {}
    func checkWritable(_ tables: Set<String>) async throws {}
    func checkInPlace() async throws {}
    func close() async throws {}
}
