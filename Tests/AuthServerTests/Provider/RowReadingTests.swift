import Database
import OAuthProvider
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

@Suite("What rows meant when they were last read")
struct RowReadingTests {
    private func row(_ name: String, _ number: Int64?) async throws -> SQLRow {
        let row = try await SQLiteDatabase.inMemory().read { try $0.one("SELECT $1 AS name, $2 AS number", [.text(name), SQLValue(number)]) }
        return try #require(row)
    }

    @Test("A row that says what it said is read once; one that differs in a single value, or is another's, is read anew")
    func onlyWhatDiffers() async throws {
        let readings = RowReadings<String, String>()
        let count = Mutex(0)
        let ask = { (row: SQLRow, id: String) in
            try readings.value(of: row, as: id) { row in
                count.withLock { $0 += 1 }
                return "\(try row.text("name")) \(try row.optionalInteger("number") ?? -1)"
            }
        }
        for _ in 0..<3 { #expect(try ask(try await row("a", 1), "a") == "a 1") }
        #expect(count.withLock { $0 } == 1)
        #expect(try ask(try await row("a", 2), "a") == "a 2")
        #expect(try ask(try await row("a", nil), "a") == "a -1")
        #expect(try ask(try await row("b", nil), "a") == "b -1")
        // What it said once and no longer did is not remembered.
        #expect(try ask(try await row("a", 1), "a") == "a 1")
        #expect(count.withLock { $0 } == 5)
        #expect(try ask(try await row("a", 1), "b") == "a 1")
        #expect(count.withLock { $0 } == 6)
    }

    @Test("A row that can't be read is tried again each time, and leaves what is known of others")
    func faults() async throws {
        let readings = RowReadings<String, Int64>()
        for _ in 0..<2 {
            let row = try await row("a", nil)
            #expect(throws: SQLError.wrongKind(column: "number", expected: .integer, found: .null)) {
                try readings.value(of: row, as: "a") { try $0.integer("number") }
            }
        }
        let good = try await row("a", 7)
        #expect(try readings.value(of: good, as: "a") { try $0.integer("number") } == 7)
    }

    @Test("No more are remembered than there may be")
    func bounded() async throws {
        let readings = RowReadings<Int, Int>(most: 3)
        let row = try await row("a", 1)
        func isRead(_ id: Int) -> Bool {
            var isRead = false
            _ = readings.value(of: row, as: id) { _ in
                isRead = true
                return id
            }
            return isRead
        }
        #expect((0..<3).map(isRead) == [true, true, true])
        #expect((0..<3).map(isRead) == [false, false, false])
        #expect(isRead(3))
        #expect((0..<3).map(isRead) == [true, true, true])
    }

    @Test("What another node changes of an application or an API is seen by the next read, and so is what was taken away")
    func otherNode() async throws {
        let database = try await misbehavingDatabase()
        let key = KeyEncryptionKey.random()
        let here = SQLOAuthStore(database: database, key: key)
        let there = SQLOAuthStore(database: database, key: key)
        var application = try Sample.fullApplication()
        var api = Sample.protectedAPI()
        let seen = { @Sendable () async throws -> (Application?, ProtectedAPI?) in
            try await here.read { [id = Sample.client] rows in
                (try rows.application(id, of: Sample.server), try rows.api(Sample.api, of: Sample.server))
            }
        }
        for change in 0..<3 {
            if change == 1 { application.isEnabled = true }
            if change == 2 {
                application.secrets = []
                api.scopes = []
            }
            try await there.write { [application, api] rows in
                try rows.save(application)
                try rows.save(api)
            }
            for _ in 0..<2 {
                let (seenApplication, seenAPI) = try await seen()
                #expect(seenApplication == application)
                #expect(seenAPI == api)
            }
        }
        try await there.write { rows in
            try rows.removeApplication(Sample.client, of: Sample.server)
            try rows.removeAPI(Sample.api, of: Sample.server, at: Sample.now)
        }
        let (goneApplication, goneAPI) = try await seen()
        #expect(goneApplication == nil && goneAPI == nil)
    }
}
