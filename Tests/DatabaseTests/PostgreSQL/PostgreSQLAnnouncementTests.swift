import Database
import Foundation
import OstiaryTesting
import Testing

@Suite("PostgreSQL: what nodes tell each other", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLAnnouncementTests {
    /// What is heard at a database, from the moment that it listens.
    private func hearing(_ database: PostgreSQLDatabase) async throws -> AsyncStream<HeardAnnouncement>.Iterator {
        let (heard, ear) = AsyncStream.makeStream(of: HeardAnnouncement.self)
        try #require(database.announcements).listen { ear.yield($0) }
        var iterator = heard.makeAsyncIterator()
        // Before it there may have been something.
        #expect(await iterator.next() == .gap)
        return iterator
    }

    @Test("All who listen hear what one announces, in its order, that one too, however much it is")
    func order() async throws {
        try await PostgreSQLDatabase.lend(to: 3) { databases in
            var ears: [AsyncStream<HeardAnnouncement>.Iterator] = []
            for database in databases { ears.append(try await hearing(database)) }
            let notes = (0..<500).map { number in [UInt8(number / 256), UInt8(number % 256)] + [UInt8](repeating: 7, count: 90) }
            for note in notes { databases[0].announcements?.announce(note) }
            for number in ears.indices { for note in notes { #expect(await ears[number].next() == .note(note)) } }
        }
    }

    @Test("What was announced before there was a connection goes out when there is one")
    func early() async throws {
        try await PostgreSQLDatabase.lend(to: 2) { databases in
            var ear = try await hearing(databases[0])
            databases[1].announcements?.announce([1])
            #expect(await ear.next() == .note([1]))
        }
    }

    @Test("What was announced before the database is closed is heard elsewhere")
    func close() async throws {
        try await PostgreSQLDatabase.lend(to: 2) { databases in
            var ear = try await hearing(databases[0])
            _ = try await hearing(databases[1])
            databases[1].announcements?.announce([2])
            await databases[1].close()
            #expect(await ear.next() == .note([2]))
        }
    }

    @Test("An announcement takes no lock and waits for nothing that a transaction of ours holds, and one of them waits for none of it")
    func besideTransactions() async throws {
        try await PostgreSQLDatabase.lend(to: 2) { databases in
            try await databases[0].migrate(sampleSchema)
            var ear = try await hearing(databases[1])
            let notices = try #require(databases[0].announcements)
            // Heard while the body holds what it has written.
            let (heard, tell) = AsyncStream.makeStream(of: Void.self)
            async let counted: Void = databases[0].transaction { connection in
                try connection.execute("UPDATE counter SET value = value + 1 WHERE name = $1", [.text("hits")])
                notices.announce([3])
                try blocking { for await _ in heard { return } }
            }
            #expect(await ear.next() == .note([3]))
            tell.yield()
            try await counted
            #expect(try await databases[1].hits() == 1)
        }
    }

    @Test("An announcement waits for no standby that is not there, and its connection makes no less sure of a commit than others do")
    func durability() async throws {
        let cluster = try await PostgreSQLCluster(settings: ["log_statement = 'all'"])
        let database = try await cluster.open(try await cluster.makeDatabase())
        try await cluster.change("synchronous_standby_names", to: "absent")
        var ear = try await hearing(database)
        try #require(database.announcements).announce([4])
        #expect(await ear.next() == .note([4]))
        // What one session has set no other can ask: the server's log has all that was said.
        let said = try String(contentsOfFile: cluster.folder + "/log", encoding: .utf8)
        #expect(said.contains("LISTEN ostiary") && !said.contains("SET synchronous_commit"))
        await database.close()
    }

    @Test("Where no other node can be there is nobody to tell")
    func sqlite() throws {
        #expect(try SQLiteDatabase.inMemory().announcements == nil)
    }
}
