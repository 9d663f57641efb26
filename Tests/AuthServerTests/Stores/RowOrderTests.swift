import AuthServer
import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// docs/decisions/0075: two transactions that take the same rows in opposite orders wait for each other, until PostgreSQL ends one of them after a second.
@Suite("In which order transactions take rows", .timeLimit(.minutes(10)))
struct RowOrderTests {
    /// Tables of the authentication server, each behind those before it: in one line those between which there is no order. Of a table that is not here each
    /// row is of one request, or is only added.
    private static let order: [Set<String>] = [
        ["account"], ["pin_cache"], ["oauth_grant", "oauth_polled"], ["session"], ["nonce"], ["enrolment"], ["instance"], ["account_count"],
    ]
    private static let orderOfSecondFactor: [Set<String>] = [["instance"], ["attempt"], ["pending_key"]]

    @Test("Whatever phones, pages, backends and the housekeeping do, each transaction of either server takes its rows in the one order")
    func order() async throws {
        let database = CountingDatabase(try await SchemaTemplate.authentication.database())
        let other = CountingDatabase(try await SchemaTemplate.secondFactor.database())
        try await ServersFixture.run(database: database, secondFactorDatabase: other) { servers in
            // Of a start nobody is in the way.
            _ = (database.take(), other.take())
            var journey = Journey(servers)
            try await journey.travel()
            try await Self.leave(at: servers)
            try await Self.typeCodes(at: servers)
            try await Self.giveEnrolmentsUp(at: servers)
            let (found, foundThere) = (Self.written(in: database.take()), Self.written(in: other.take()))
            for tables in found { #expect(Self.isInOrder(tables, Self.order), "\(tables)") }
            for tables in foundThere { #expect(Self.isInOrder(tables, Self.orderOfSecondFactor), "\(tables)") }
            // That which is to be in order was met: a code that was right, one that was given up, a login, an account that went, and the end of a second factor.
            let pairs = [("account", "enrolment"), ("account", "session"), ("session", "instance"), ("enrolment", "instance")]
            for (first, second) in pairs { #expect(found.contains { $0.contains(first) && $0.contains(second) }, "\(first), \(second)") }
            #expect(foundThere.contains { $0.contains("instance") && $0.contains("pending_key") })
        }
    }

    @Test("A transaction that takes an enrolment before its account is seen, and one that comes to a table again is in order")
    func mutant() {
        #expect(!Self.isInOrder(["enrolment", "account"], Self.order))
        #expect(!Self.isInOrder(["account", "account_count", "session"], Self.order))
        #expect(Self.isInOrder(["account", "session", "audit", "nonce", "enrolment", "replay"], Self.order))
        let statements = [
            "SELECT 1 FROM session", "UPDATE account SET x = $1", "INSERT INTO session (id) VALUES ($1)", "DELETE FROM account WHERE id = $1",
        ]
        #expect(Self.tables(changedBy: statements) == ["account", "session"])
    }

    /// Each way on which an account goes that waits for its code.
    private static func giveEnrolmentsUp(at servers: ServersFixture) async throws {
        let page = SHA([UInt8]("page".utf8))
        func pending(_ page: [UInt8]? = nil) async throws -> (nonce: SessionNonce, phone: EnrollingPhone) {
            let nonce = try servers.nonce()
            let start = EnrolmentStart(nonce: nonce, displayName: "Alice", userID: "alice", page: page)
            let begun = try await servers.services.enrolments.start(
                start, at: servers.server, origin: ServersFixture.origin, by: .backend, now: servers.now)
            let phone = try await TestPhone(servers).scan(begun.link)
            try #require(try await phone.finish().status == .ok)
            return (nonce, phone)
        }
        let wrong = try await pending()
        for _ in 0..<3 {
            _ = try await servers.services.enrolments.confirm(
                wrong.nonce, code: wrong.phone.code == "0000" ? "1111" : "0000", at: servers.server, by: .backend, now: servers.now)
        }
        let renewed = try await pending(page)
        let again = EnrolmentStart(nonce: renewed.nonce, displayName: "Alice", userID: "alice", page: page, isNewest: false)
        _ = try await servers.services.enrolments.start(again, at: servers.server, origin: ServersFixture.origin, by: .page, now: servers.now)
        let loggedOut = try await pending()
        _ = try await servers.link(loggedOut.nonce)
        try await servers.services.sessions.logOut(loggedOut.nonce, at: servers.server, by: .backend, now: servers.now)
        let deleted = try await pending()
        try await servers.services.accounts.delete(deleted.phone.screen.accountID, at: servers.server, by: .backend, now: servers.now)
        _ = try await pending()
        // The ten minutes are over; and then the day for which what is over is kept.
        for seconds: UInt64 in [601, 90_000] {
            servers.clock.advance(seconds)
            try await servers.services.housekeeping.run(at: servers.now)
        }
    }

    /// A login goes on while its account is deleted: the session ends with it.
    private static func leave(at servers: ServersFixture) async throws {
        let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "carol")
        servers.clock.advance(61)
        _ = try await phone.logInApp()
        try await phone.logIn(try servers.nonce())
        try await servers.services.accounts.delete(phone.account, at: servers.server, by: .backend, now: servers.now)
    }

    /// Of a phone without a connection: a wrong one and a right one.
    private static func typeCodes(at servers: ServersFixture) async throws {
        let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
        try await servers.switchOfflineCodesOn()
        let nonce = try servers.nonce()
        _ = try await servers.link(nonce)
        let code = try await servers.offlineCode(of: phone.account, for: nonce)
        let wrong: String = code.dropLast() + (code.hasSuffix("0") ? "1" : "0")
        #expect(try await servers.refusal(ofTyping: wrong, for: nonce) == .wrong(left: 2))
        #expect(try await servers.refusal(ofTyping: code, for: nonce) == nil)
    }

    /// The tables of each transaction, in the order in which it came to them first.
    private static func written(in count: CountingDatabase.Count) -> Set<[String]> { Set(count.transactions.map(tables(changedBy:))) }

    private static func tables(changedBy statements: [String]) -> [String] {
        var tables: [String] = []
        for statement in statements {
            let words = statement.split(whereSeparator: \.isWhitespace).prefix(3).map(String.init)
            let name: String?
            switch words.first {
            case "INSERT", "DELETE": name = words.dropFirst(2).first
            case "UPDATE": name = words.dropFirst().first
            default: name = nil
            }
            if let name, !tables.contains(name) { tables.append(name) }
        }
        return tables
    }

    private static func isInOrder(_ tables: [String], _ order: [Set<String>]) -> Bool {
        let places = tables.compactMap { table in order.firstIndex { $0.contains(table) } }
        return zip(places, places.dropFirst()).allSatisfy { $0 <= $1 }
    }
}
