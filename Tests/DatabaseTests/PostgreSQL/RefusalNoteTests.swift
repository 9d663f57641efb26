import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: why no connection is to be had", .timeLimit(.minutes(5)))
struct RefusalNoteTests {
    @Test("What a server says is one line of bounded length: no control character, no end of a line, nothing that turns what follows round")
    func line() {
        #expect(operatorLine("FATAL:  no\tsuch\r\n database \u{1B}[31m“x”\u{2028}\u{202E}y\0") == "FATAL: no such database [31m“x” y")
        #expect(operatorLine(String(repeating: "é", count: 700)) == String(repeating: "é", count: 600) + "…")
        #expect(operatorLine("short", most: 5) == "short" && operatorLine("longer", most: 5) == "longe…")
        let note = RefusalNote()
        note.note("two\nlines")
        #expect(note.reason == "two lines")
        note.noteConnection()
        #expect(note.reason == nil)
        note.note(String(repeating: "a", count: 700), remedy: "do this")
        #expect(note.reason?.hasSuffix("aa…: do this") == true)
    }

    @Test("Of several hosts each has its words, in the order of the URL whoever was asked first: else the reason would change with each try")
    func hosts() {
        let hosts = [PostgreSQLAddress.Host("one"), .init("/run/two", port: 1), .init("three")]
        let words = RefusalNote.words([2: "c", 0: "a"], of: hosts)
        #expect(words == "one:5432: a; three:5432: c")
        #expect(RefusalNote.words([0: String(repeating: "a", count: 900), 1: "the last"], of: hosts).hasSuffix("…; /run/two:1: the last"))
        #expect(RefusalNote.words([0: "alone"], of: [hosts[0]]) == "alone" && RefusalNote.words([:], of: []) == "no host is named")
        #expect(RefusalNote.words([2: "a", 1: "b", 0: "a"], of: hosts) == "one:5432, three:5432: a; /run/two:1: b")
    }

    private static let address = PostgreSQLAddress(hosts: [.init("one"), .init("two"), .init("three")], database: "it", user: "ostiary")

    /// What is told of hosts of which each has refused so.
    private func refused(_ losses: [Int: PostgreSQLLink.Loss]) -> PostgreSQLLink.Loss {
        var refusals = HostRefusals(of: Self.address)
        for (place, loss) in losses { refusals.note(loss, at: place) }
        return refusals.loss(isShort: false)
    }

    private func objected(_ cause: String, _ remedy: String, follows: Bool = false) -> PostgreSQLLink.Loss {
        PostgreSQLLink.Loss(reason: cause, follows: follows, remedy: remedy)
    }

    @Test("What is done about hosts stands whole behind all that they said, once where it is for all of them, else with those it is for")
    func remedies() {
        let (long, deed) = (String(repeating: "a", count: 900), "do " + String(repeating: "b", count: 500) + " end")
        let same = refused([0: objected(long, deed), 1: objected(long, deed), 2: objected("c", deed)])
        #expect(same.reason.hasPrefix("one:5432, two:5432: aaa") && same.reason.hasSuffix("aa…; three:5432: c"), "\(same.reason)")
        #expect(same.remedy == deed && same.told == "\(same.reason): \(deed)")
        let some = refused([0: objected("a", "x"), 1: PostgreSQLLink.Loss(reason: "b"), 2: objected("c", "x")])
        #expect(some.told == "one:5432: a; two:5432: b; three:5432: c: for one:5432, three:5432: x")
        let two = refused([1: objected("b", "y"), 0: objected("a", "x")])
        #expect(two.told == "one:5432: a; two:5432: b: for one:5432: x; for two:5432: y")
        // What is known of libpq's words follows, whole as well, and is for whoever ends with it.
        let mixed = refused([0: objected("a", deed), 1: PostgreSQLLink.Loss(reason: #"FATAL:  database "it" does not exist"#)])
        #expect(mixed.told.contains(": for one:5432: \(deed); the database URL names it: make it, "), "\(mixed.told)")
        #expect(mixed.told.hasSuffix("not made anew"), "\(mixed.told)")
        #expect(mixed.remedy?.contains("make it") == false)
    }

    @Test("A standby beside a server that takes writes is told as one and no more; where none was met fencing comes before promoting")
    func standbys() throws {
        let standing = try #require(ServerStanding(Self.rowOfStandby))
        let follows = try #require(standing.objection(to: "it"))
        let standby = objected(follows.cause, try #require(follows.remedy), follows: true)
        let full = PostgreSQLLink.Loss(reason: "FATAL: sorry, too many clients already")
        for loss in [objected("a", "x"), PostgreSQLLink.Loss(reason: "b", follows: false), full] {
            let told = refused([0: standby, 1: loss, 2: standby]).told
            #expect(told.hasPrefix("one:5432, three:5432: it is a standby, which takes no writes; two:5432: \(loss.reason)"), "\(told)")
            #expect(!told.contains("promote") && !told.contains("fence"), "\(told)")
        }
        // One that says nothing, or is not reached, may be gone, and another standby is no primary.
        let silent = PostgreSQLLink.Loss(reason: "nothing was heard of the server", isSilence: true)
        for other in [silent, PostgreSQLLink.Loss(reason: "… failed: Connection refused"), standby] {
            let loss = refused([0: standby, 1: other])
            let fence = try #require(loss.remedy?.range(of: "fence it first"))
            let promote = try #require(loss.remedy?.range(of: "then promote"))
            #expect(fence.upperBound < promote.lowerBound && loss.told.contains("it is a standby, which takes no writes"), "\(loss.told)")
        }
    }

    /// As one answers what a new connection asks.
    private static var rowOfStandby: SQLRow {
        let names = ["version", "commits", "fsync", "pages", "encoding", "collation", "schema", "follows", "reads_only", "closed_schema"]
        let texts: [SQLValue] = [.text("on"), .text("on"), .text("on"), .text("UTF8"), .text("C"), .text("public")]
        return SQLRow(columns: SQLColumns(names: names), values: [.integer(150_018)] + texts + [.integer(1), .text("off"), .null])
    }

    @Test("A check says why, and callers hear that it cannot be reached and nothing else; what is not known is not made up")
    func told() async throws {
        let database = Refusing(refusal: "a reason")
        await #expect(throws: Unreachable(reason: "a reason")) { try await database.tellingWhy { try await database.ask() } }
        await #expect(throws: SQLError.unavailable) { try await database.ask() }
        await #expect(throws: SQLError.busy) { try await database.tellingWhy { throw SQLError.busy } }
        // Also whoever tells of a fault that came to a request, or to work beside them.
        #expect(database.told(SQLError.unavailable) as? Unreachable == Unreachable(reason: "a reason"))
        #expect(database.told(SQLError.busy) as? SQLError == .busy)
        #expect(SQLError.isOutage(Unreachable(reason: "a reason")))
        let silent = Refusing(refusal: nil)
        #expect(silent.told(SQLError.unavailable) as? SQLError == .unavailable)
        await #expect(throws: SQLError.unavailable) { try await silent.tellingWhy { try await silent.ask() } }
        #expect("\(Unreachable(reason: "a reason"))".hasPrefix("the database cannot be reached (a reason): "))
        #expect(!"\(SQLError.unavailable)".contains("reason"))
    }

    @Test(
        "Each way in which a server refuses has its own words while it lasts, none when it is over, and no password is among them",
        .enabled(if: PostgreSQLCluster.isInstalled), arguments: Refusals.allCases)
    func refused(_ how: Refusals) async throws {
        let cluster = try await PostgreSQLCluster()
        let folder = try TemporaryFolder()
        let name = try await cluster.makeDatabase()
        try await cluster.run(["CREATE ROLE guest LOGIN PASSWORD 'geheim'", "GRANT CREATE, USAGE ON SCHEMA public TO guest"], in: name)
        try await cluster.demandPasswords(of: "guest")
        var address = cluster.address(of: name)
        (address.user, address.passwordFile) = ("guest", try folder.write("geheim\n", to: "password"))
        let database = try await onOwnThread { [address] in try PostgreSQLDatabase.open(address, settings: .forTests) }
        try await database.ask()
        #expect(database.refusal == nil)

        try await how.begin(cluster, name, folder)
        await #expect(throws: SQLError.unavailable) { while true { try await database.ask() } }
        let reason = try #require(database.refusal)
        #expect(reason.contains(how.words), "\(reason)")
        #expect(!reason.contains("geheim") && !reason.contains("falsch"))
        // Again, and it is the same: a line of the log each time would be one each ten seconds.
        await #expect(throws: Unreachable(reason: reason)) { try await database.tellingWhy { try await database.ask() } }

        try await how.end(cluster, name, folder)
        while (try? await database.ask()) == nil { try Task.checkCancellation() }
        #expect(database.refusal == nil)
        await database.close()
    }

    @Test(
        "A standby says that it is one, and one that was halted that nothing was heard of it; of two hosts both are told",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func standby() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        try await cluster.startStandby(isSynchronous: false)
        var settings = PostgreSQLSettings.forTests
        (settings.silence, settings.connectTimeout, settings.callTime) = (1_500, 4_000, 12_000)
        let hosts = [cluster.standbyFolder, cluster.folder].map { PostgreSQLAddress.Host($0) }
        let address = PostgreSQLAddress(hosts: hosts, database: name, user: "ostiary")
        let database = try await onOwnThread { [settings] in try PostgreSQLDatabase.open(address, settings: settings) }
        try await database.ask()
        try await cluster.halted {
            await #expect(throws: SQLError.unavailable) { while true { try await database.ask() } }
            let reason = try #require(database.refusal)
            let follows = "\(cluster.standbyFolder):5432: it is a standby, which takes no writes"
            #expect(reason.hasPrefix(follows) && reason.contains("; \(cluster.folder):5432: nothing was heard of the server"), "\(reason)")
            #expect(reason.hasSuffix("fence it first, then promote a standby"), "\(reason)")
            await #expect(throws: SQLError.unavailable) { try await database.ask() }
            #expect(database.refusal == reason)
        }
        while (try? await database.ask()) == nil { try Task.checkCancellation() }
        #expect(database.refusal == nil)
        await database.close()
    }

    @Test(
        "A start on a database of the wrong order of texts, whose standby is named as well, reads of the database to its end, and nothing of promoting",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func wrongOrder() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase(like: "template0", options: "ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8'")
        try await cluster.startStandby(isSynchronous: false)
        let hosts = [cluster.standbyFolder, cluster.folder].map { PostgreSQLAddress.Host($0) }
        let address = PostgreSQLAddress(hosts: hosts, database: name, user: "ostiary")
        let error = await #expect(throws: DatabaseOpenError.self) { try await onOwnThread { try PostgreSQLDatabase.open(address) }.close() }
        let told = error.map { "\($0)" } ?? ""
        let causes = "\(cluster.standbyFolder):5432: it is a standby, which takes no writes; \(cluster.folder):5432: its encoding is UTF8 and"
        #expect(told.contains(causes), "\(told)")
        #expect(told.hasSuffix("LC_CTYPE 'C', where ROLE is the user of the database URL, and name it there in place of \(name)"), "\(told)")
        #expect(!told.contains("promote"), "\(told)")
    }
}

/// What somebody does to a database and its server, and how that is told.
enum Refusals: CaseIterable {
    case roleIsFull, readsOnly, wrongPassword, expired, takesNone, renamed, ended

    var words: String {
        switch self {
        case .roleIsFull: #"too many connections for role "guest""#
        case .readsOnly: "default_transaction_read_only is on"
        case .wrongPassword, .expired: #"password authentication failed for user "guest""#
        case .takesNone: "is not currently accepting connections"
        case .renamed: "does not exist"
        case .ended: "Connection refused"
        }
    }

    fileprivate func begin(_ cluster: PostgreSQLCluster, _ name: String, _ folder: TemporaryFolder) async throws {
        switch self {
        case .roleIsFull: try await cluster.run(["ALTER ROLE guest CONNECTION LIMIT 0"])
        case .readsOnly: try await cluster.run(["ALTER DATABASE \(name) SET default_transaction_read_only = on"])
        case .wrongPassword: _ = try folder.write("falsch\n", to: "password")
        case .expired: try await cluster.run(["ALTER ROLE guest VALID UNTIL '2001-01-01'"])
        case .takesNone: try await cluster.run(["ALTER DATABASE \(name) ALLOW_CONNECTIONS false"])
        case .renamed: break
        case .ended: return try cluster.kill()
        }
        // Whoever is there would stay.
        try await cluster.run(["SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'"])
        if self == .renamed { try await Self.rename(name, to: "elsewhere", of: cluster) }
    }

    fileprivate func end(_ cluster: PostgreSQLCluster, _ name: String, _ folder: TemporaryFolder) async throws {
        switch self {
        case .roleIsFull: try await cluster.run(["ALTER ROLE guest CONNECTION LIMIT -1"])
        case .readsOnly: try await cluster.run(["ALTER DATABASE \(name) RESET default_transaction_read_only"])
        case .wrongPassword: _ = try folder.write("geheim\n", to: "password")
        case .expired: try await cluster.run(["ALTER ROLE guest VALID UNTIL 'infinity'"])
        case .takesNone: try await cluster.run(["ALTER DATABASE \(name) ALLOW_CONNECTIONS true"])
        case .renamed: try await Self.rename("elsewhere", to: name, of: cluster)
        case .ended: try await cluster.restart()
        }
    }

    /// Once the last of its connections has gone.
    private static func rename(_ name: String, to new: String, of cluster: PostgreSQLCluster) async throws {
        while (try? await cluster.run(["ALTER DATABASE \(name) RENAME TO \(new)"], isQuiet: true)) == nil { try Task.checkCancellation() }
    }
}

/// One that nobody reaches.
private struct Refusing: Database {
    let refusal: String?
    let dialect = SQLDialect.postgresql
    let isShared = true

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value { throw SQLError.unavailable }
    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        throw SQLError.unavailable
    }
    func purge() async throws {}
    func checkWritable(_ tables: Set<String>) async throws { throw SQLError.unavailable }
    func checkInPlace() async throws {}
    func close() async throws {}
}

extension Database {
    fileprivate func ask() async throws { _ = try await read { try $0.one("SELECT 1 AS one") } }
}
