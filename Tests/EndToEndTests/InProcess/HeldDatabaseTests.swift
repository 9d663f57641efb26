import AuthServer
import Database
import HTTPService
import Testing

/// This program on what an earlier one left: both databases, opened and brought to the schema of today, and phones that know nothing of it.
/// They are files, of SQLite; `MovedRowsTests` takes the newest to PostgreSQL. Looks that leave each other alone share what was opened (``HeldWorld``).
@Suite("What an earlier program left")
struct HeldDatabaseTests {
    /// Tables (`as.table`) and columns (`as.table.column`) whose content a later step put elsewhere. Whoever writes such a step says so here; that
    /// the content arrived is for the other tests of this file to show, or for one that comes with the step.
    private static let moved: Set<String> = ["as.enrolment.request_hash", "as.enrolment.shown"]

    @Test("There is something of an earlier program")
    func isThere() { #expect(!HeldFixture.names.isEmpty) }

    @Test("Both databases open, and every row of every table holds what it held, the audit trail among them", arguments: HeldFixture.names)
    func rows(_ name: String) async throws {
        let held = try HeldFixture(name)
        let site = try await held.site()
        let before = try await Self.tables(of: site)
        #expect(before.mapValues(\.count) == held.seen["tables"]?.members?.compactMapValues(\.int))
        try await site.open { _ in }
        let after = try await Self.tables(of: site)
        for (table, rows) in before where !Self.moved.contains(table) {
            let now = try #require(after[table], "\(table) is gone")
            guard !table.hasSuffix(".schema_version"), !table.hasSuffix(".schema_reader") else {
                #expect(now.count >= rows.count)
                continue
            }
            #expect(now.count == rows.count, "rows of \(table)")
            let columns = rows.columns.filter { !Self.moved.contains("\(table).\($0)") }
            let lost = columns.subtracting(now.columns).sorted()
            #expect(lost.isEmpty, "columns of \(table)")
            let isKept = rows.counted(by: columns) == now.counted(by: columns)
            #expect(isKept, "what \(table) holds")
        }
    }

    /// The tables of both, as `as.table` and `sf.table`.
    private static func tables(of site: ServersSite) async throws -> [String: TableRows] {
        var all: [String: TableRows] = [:]
        for server in ServersSite.Server.allCases {
            for (table, rows) in try await TableRows.all(in: site.file(of: server)) { all["\(server.rawValue).\(table)"] = rows }
        }
        return all
    }

    @Test(
        "Backends and browsers are told what they were told: sessions, accounts and pages go on, who is logged in can be logged out, and enrolments end",
        arguments: HeldFixture.names)
    func backends(_ name: String) async throws {
        try await HeldWorld.open(name) { there in
            // Who only reads comes first, who changes what others read after them, and whoever moves the clock is the last.
            try await look(at: "accounts") { try await there.accounts() }
            try await look(at: "sessions") { try await there.sessions() }
            try await look(at: "pages") { try await there.pages() }
            try await look(at: "enrolments") { try await there.enrolments() }
            try await look(at: "logOuts") { try await there.logOuts() }
            try await look(at: "ends") { try await there.ends() }
        }
    }

    @Test(
        "Phones go on: logins and news are there, each factor logs in, tries that were counted count, who is blocked stays so, a device has its tokens",
        arguments: HeldFixture.names)
    func phones(_ name: String) async throws {
        try await HeldWorld.open(name) { there in
            // Each is of other people, but that alice's phone looks before she logs in again, and bob's brings the code when the clock may move.
            try await look(at: "news") { try await there.news() }
            try await look(at: "factors") { try await there.factors() }
            try await look(at: "oneWrong") { try await there.oneWrong() }
            try await look(at: "blocked") { try await there.blocked() }
            try await look(at: "device") { try await there.device() }
        }
    }

    @Test(
        "Receipts of before are kept shorter, and a second-factor server that has forgotten what it counted believes them still",
        arguments: HeldFixture.names)
    func receipts(_ name: String) async throws {
        let held = try HeldFixture(name)
        let site = try await held.site()
        try await Self.keepByPIN(in: site)
        let before = try await Self.receiptLengths(in: site)
        #expect(before.count > 4 && before.allSatisfy { $0 == 254 })
        try await site.open { world in
            for case let work as PeriodicTask in world.authentication.background where work.name == "receipts" { await work.round() }
            // With their numbers, and without a receipt that tells of them, neither would have a try left.
            try await world.secondFactorDatabase.transaction { try $0.execute("UPDATE instance SET highest = 0, proven = 0, proven_by_pin = 0") }
            try await world.expectLogin(of: "alice", by: .pin(try held.text("pins", "usual")))
            try await world.expectLogin(of: "bob", by: .pin(try held.text("pins", "changed")))
        }
        let after = try await Self.receiptLengths(in: site)
        // Whoever logged in by PIN has none beside it any more.
        #expect(after.count > before.count / 2 && after.allSatisfy { $0 < 200 })
    }

    /// As those who log in by a biometric have it: no fixture was left right after that.
    private static func keepByPIN(in site: ServersSite) async throws {
        let database = try SQLiteDatabase.open(path: site.file(of: .authentication), ownership: .shared)
        try await database.transaction { try $0.execute("UPDATE instance SET pin_receipt = receipt") }
        try await database.close()
    }

    /// Of the newest, and of the newest by PIN.
    private static func receiptLengths(in site: ServersSite) async throws -> [Int] {
        let database = try SQLiteDatabase.open(path: site.file(of: .authentication), ownership: .shared)
        let lengths = try await database.read { connection in
            try connection.query(
                """
                SELECT length(receipt) AS length FROM instance WHERE receipt IS NOT NULL
                UNION ALL SELECT length(pin_receipt) FROM instance WHERE pin_receipt IS NOT NULL
                """
            ).map { try $0.int("length") }
        }
        try await database.close()
        return lengths
    }
}
