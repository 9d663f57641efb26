import Dispatch
import OstiaryTesting
import Synchronization
import Testing

@testable import Database

/// Behind a pooler of the tests' own (`PoolingSocket`); that PgBouncer 1.18 does the same was seen by hand (docs/decisions/0047).
@Suite("PostgreSQL: a pooler that hands connections on", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PooledConnectionTests {
    @Test(
        "Whoever opens a database behind one is told so and what to do, also where there is to be one connection",
        arguments: [PoolingSocket.Mode.transactions, .statements])
    func start(_ mode: PoolingSocket.Mode) async throws {
        try await Self.behind(mode) { cluster, name, socket in
            let place = cluster.address(of: name, socket: socket.socketFolder).description
            await #expect(throws: DatabaseOpenError.cannotOpen(path: place, reason: LinkMark.handedOn)) {
                try await Self.open(cluster, name, socket, connections: 1).close()
            }
        }
    }

    @Test("One that keeps a connection for a session is none of them: all is as without it")
    func sessions() async throws {
        try await Self.behind(.sessions) { cluster, name, socket in
            let database = try await Self.open(cluster, name, socket)
            try await database.migrate(sampleSchema)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { try await database.countHit() } }
                try await group.waitForAll()
            }
            try await database.checkInPlace()
            #expect(try await database.hits() == 8)
            await database.close()
        }
    }

    @Test(
        "A server that runs finds it out, by what readiness asks and by what is asked of it, answers nothing more there, and goes on after it",
        arguments: PoolerFinding.allCases)
    func running(_ finding: PoolerFinding) async throws {
        try await Self.behind(.sessions) { cluster, name, socket in
            // Of several one that has prepared nothing yet would go on until the next look.
            let database = try await Self.open(cluster, name, socket, connections: 1)
            try await database.migrate(sampleSchema)
            try await database.countHit()
            #expect(database.refusal == nil)
            socket.change(to: finding.mode)
            switch finding {
            case .readiness: await #expect(throws: Unreachable(reason: LinkMark.handedOn)) { try await database.checkInPlace() }
            case .statement, .transaction: await #expect(throws: SQLError.unavailable) { try await database.countHit() }
            }
            #expect(database.refusal == LinkMark.handedOn)
            // Now by those who want another connection, and each time.
            for _ in 0..<2 {
                await #expect(throws: SQLError.unavailable) { try await database.hits() }
                await #expect(throws: Unreachable(reason: LinkMark.handedOn)) { try await database.checkInPlace() }
            }
            socket.change(to: .sessions)
            #expect(try await database.hits() == 1)
            try await database.checkInPlace()
            #expect(database.refusal == nil)
            await database.close()
        }
    }

    @Test("After a doubt all connections are made anew, also where the pool has room for no more: one makes a second one beside it, for all")
    func noRoomToSpare() async throws {
        let count = 4
        try await Self.behind(.sessions, room: count) { cluster, name, socket in
            let database = try await Self.open(cluster, name, socket, connections: count)
            try await database.migrate(sampleSchema)
            // One that is made only then, alone, would show nothing.
            try await Self.meet(count, at: database)
            socket.change(to: .transactions)
            await #expect(throws: Unreachable(reason: LinkMark.handedOn)) { try await database.checkInPlace() }
            socket.change(to: .sessions)
            let before = socket.clients
            try await Self.meet(count, at: database)
            #expect(socket.clients <= before + count + 1)
            #expect(database.refusal == nil)
            await database.close()
        }
    }

    /// Reads by so many connections at once.
    private static func meet(_ count: Int, at database: PostgreSQLDatabase) async throws {
        let meeting = Meeting(of: count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await database.read { _ in meeting.wait() } } }
            try await group.waitForAll()
        }
    }

    @Test("What a connection has forgotten itself, so as not to keep more and more, is no sign of one")
    func forgotten() async throws {
        var settings = PostgreSQLSettings.forTests
        settings.connections = 1
        try await PostgreSQLDatabase.lend(settings: settings) { database in
            for number in 0..<512 { _ = try await database.rows("SELECT \(number)::bigint AS n", []) }
            // The one with which all are forgotten fails.
            await #expect(throws: SQLError.self) { _ = try await database.rows("SELECT absent AS n", []) }
            #expect(try await database.rows("SELECT 5::bigint AS n", []).map { try $0.int("n") } == [5])
        }
    }

    @Test("Only what shows a pooler is taken for one: PgBouncer has one number for all that it refuses, a lack of room among it")
    func signs() {
        #expect(PostgreSQLFault(state: "26000").showsPooler && PostgreSQLFault(state: "42P05").showsPooler)
        #expect(PostgreSQLFault(state: "08P01", message: "transaction blocks not allowed in statement pooling mode").showsPooler)
        #expect(!PostgreSQLFault(state: "08P01", message: "query_wait_timeout").showsPooler && !PostgreSQLFault(state: "0A000").showsPooler)
        // Of several hosts each has 200 characters.
        #expect(LinkMark.handedOn.count < 200 && LinkMark.fresh() != LinkMark.fresh())
    }

    private static func behind(
        _ mode: PoolingSocket.Mode, room: Int? = nil, _ body: (PostgreSQLCluster, _ name: String, PoolingSocket) async throws -> Void
    ) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        try await body(cluster, name, try PoolingSocket(to: cluster.folder, mode, room: room))
    }

    private static func open(
        _ cluster: PostgreSQLCluster, _ name: String, _ socket: PoolingSocket, connections: Int = 6
    ) async throws -> PostgreSQLDatabase {
        var settings = PostgreSQLSettings.forTests
        settings.connections = connections
        return try await cluster.open(name, through: socket.socketFolder, settings: settings)
    }
}

/// By what a pooler is found that hands connections on from now on.
enum PoolerFinding: CaseIterable, Sendable {
    /// The look of readiness, at a session that is not the one that was begun.
    case readiness
    /// A statement that is not prepared there.
    case statement
    /// The pooler itself, which takes no transactions.
    case transaction

    var mode: PoolingSocket.Mode { self == .transaction ? .statements : .transactions }
}

/// Threads that go on when all of them are there.
private final class Meeting: Sendable {
    private let missing: Mutex<Int>
    private let all = DispatchSemaphore(value: 0)

    init(of count: Int) { missing = Mutex(count) }

    func wait() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        // The time only ends what hangs.
        if !isLast { _ = all.wait(timeout: .now() + 60) }
        // For the next one.
        all.signal()
    }
}
