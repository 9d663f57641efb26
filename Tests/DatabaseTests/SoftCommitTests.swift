import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("Commits on which nobody relies")
struct SoftCommitTests {
    @Test("A soft commit waits for no disk, a hard one once, each time anew, however often they take turns")
    func waits() async throws {
        try await WatchedLog.watching { database, log in
            for _ in 0..<4 {
                for _ in 0..<3 { try await database.hit(.soft) }
                #expect(log.takeWaits() == 0)
                try await database.hit(.hard)
                #expect(log.takeWaits() == 1)
                try await database.hit(.hard)
                #expect(log.takeWaits() == 1)
            }
            #expect(try await database.hits() == 20)
        }
    }

    @Test("Whoever looks in a hard transaction and changes nothing is answered when what it may have seen is on disk; it waits for nothing otherwise")
    func looking() async throws {
        try await WatchedLog.watching { database, log in
            try await database.hit(.hard)
            _ = log.takeWaits()
            _ = try await database.transaction { try $0.query("SELECT value FROM counter") }
            #expect(log.takeWaits() == 0)
            try await database.hit(.soft)
            _ = try await database.transaction { try $0.query("SELECT value FROM counter") }
            #expect(log.takeWaits() == 1)
            let found = try log.look()
            #expect(found.covered == found.bytes.count)
            _ = try await database.transaction { try $0.query("SELECT value FROM counter") }
            #expect(log.takeWaits() == 0)
            try await database.hit(.soft)
            // Is refused, for what it has seen.
            await #expect(throws: Refused(number: 1)) { try await database.transaction { _ in throw Refused(number: 1) } }
            #expect(log.takeWaits() == 1)
        }
    }

    @Test("Neither a readiness probe nor a read waits for the disk")
    func probes() async throws {
        try await WatchedLog.watching { database, log in
            try await database.hit(.soft)
            try await database.checkWritable([])
            #expect(try await database.hits() == 1)
            #expect(log.takeWaits() == 0)
        }
    }

    @Test("What is not relied on does not pile up: after so many soft commits one waits, and the log is copied to the file")
    func bounded() async throws {
        try await WatchedLog.watching { database, log in
            for _ in 0..<(3 * LogStanding.mostLoose) { try await database.hit(.soft) }
            #expect((2...4).contains(log.takeWaits()))
            let most = try log.look().bytes.count
            for _ in 0..<(12 * LogStanding.mostLoose) { try await database.hit(.soft) }
            #expect(try log.look().bytes.count < 3 * most, "never copied it would be five times that")
        }
    }

    @Test("A soft one that throws leaves nothing, one that breaks a reference is told so, and others of its commit are kept")
    func failing() async throws {
        try await WatchedLog.watching { (database: SQLiteDatabase, log: WatchedLog) async throws in
            await #expect(throws: Refused(number: 7)) {
                try await database.transaction(.soft) { connection in
                    try connection.execute("UPDATE counter SET value = 7")
                    throw Refused(number: 7)
                }
            }
            await #expect(throws: SQLError.foreignKeyViolation) {
                try await database.transaction(.soft) { try $0.execute("INSERT INTO note (counter, parent) VALUES ('hits', 99)") }
            }
            #expect(try await database.hits() == 0)
            #expect(log.takeWaits() == 0)
        }
    }

    @Test("Of what was collected soft ones are committed first and by themselves, in the order in which they came, and so are the others")
    func groups() {
        let collected = [Durability.hard, .soft, .hard, .soft].map(Collected.init)
        let groups = CommitGroup.groups(of: collected)
        #expect(groups.map(\.durability) == [.soft, .hard])
        let places = groups.map { group in group.members.map { member in collected.firstIndex { $0 === member } } }
        #expect(places == [[1, 3], [0, 2]])
        #expect(CommitGroup.groups(of: [Collected(.hard)]).map(\.durability) == [.hard])
        #expect(CommitGroup.groups(of: []).isEmpty)
    }

    @Test("An engine that promises nothing of soft ones takes them for hard ones", arguments: Backend.allCases)
    func everywhere(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            for durability in Durability.allCases {
                try await database.hit(durability)
                let former = try await database.transaction(durability) { connection, former -> Int in
                    try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'") + (former ?? 0)
                }
                #expect(former == 1)
            }
            #expect(try await database.hits() == 4)
        }
    }
}

/// One that waits for its turn and does nothing.
private final class Collected: PendingTransaction {
    let durability: Durability
    var failure: (any Error)? { nil }

    init(_ durability: Durability) { self.durability = durability }

    func run(on connection: any SQLConnection) -> Bool { true }
    func deliver() {}
    func refuse(_ error: any Error) {}
}
