import Database
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryTesting
import Testing

@testable import AuthServer

/// Attack 92: a database that answers, beneath a server that can begin no login by it.
@Suite("A role that may read and not write", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct ReadOnlyRoleTests {
    @Test("A92 readiness for logins says to which table the role may not write, and what to do; that for getSession does not, and the right mends it")
    func session() async throws {
        try await Self.run { place in
            try await place.run("ALTER TABLE session OWNER TO ostiary", "GRANT SELECT ON session TO \(place.role)")
            try await place.expectUnready(
                saying: "it lacks INSERT, UPDATE, DELETE on the table session", "make it the owner again of all that this server made there")
            try await place.run("ALTER TABLE session OWNER TO \(place.role)")
            try await place.waitUntilMended()
        }
    }

    @Test(
        "A92 each right that is needed is asked for by itself: readiness for logins says which is missing, that for getSession goes on",
        arguments: [("session", "UPDATE"), ("oauth_code", "DELETE"), ("audit", "INSERT")])
    func oneRight(_ table: String, _ right: String) async throws {
        try await Self.run { place in
            try await place.run("REVOKE \(right) ON \(table) FROM \(place.role)")
            try await place.expectUnready(saying: "it lacks \(right) on the table \(table)")
            try await place.run("GRANT \(right) ON \(table) TO \(place.role)")
            try await place.waitUntilMended()
        }
    }

    @Test("A92 a table is gone that getSession does not read: readiness for logins says which, and what to do; that for getSession goes on")
    func gone() async throws {
        try await Self.run { place in
            try await place.run("ALTER TABLE oauth_code RENAME TO oauth_code_before")
            try await place.expectUnready(saying: "(oauth_code), which was made anew", "stop the server, restore a backup, start it again")
            try await place.run("ALTER TABLE oauth_code_before RENAME TO oauth_code")
            try await place.waitUntilMended()
        }
    }

    @Test("A92 the right to use the schema is taken away: readiness says that and which, and not that tables are gone; the right mends it")
    func schema() async throws {
        try await Self.run { place in
            try await place.run("REVOKE USAGE ON SCHEMA public FROM PUBLIC, \(place.role)")
            for query in ["?for=logins", ""] {
                let (status, said) = try await place.ready(query)
                #expect(status == .serviceUnavailable && said.contains("lacks USAGE on the schema public"), "\(said)")
                #expect(!said.contains("is not there"), "\(said)")
            }
            try await place.run("GRANT USAGE ON SCHEMA public TO \(place.role)")
            try await place.waitUntilMended()
            #expect(try await place.ready("").status == .ok)
        }
    }

    @Test("A92 a membership is taken away by which the role may use the schema: readiness for logins says so, whatever connections there are")
    func membership() async throws {
        try await Self.run { place in
            let group = "group_\(place.name)"
            try await place.run(
                "CREATE ROLE \(group)", "GRANT USAGE ON SCHEMA public TO \(group)", "GRANT \(group) TO \(place.role)",
                "REVOKE USAGE ON SCHEMA public FROM PUBLIC, \(place.role)")
            #expect(try await place.ready("").status == .ok)
            try await place.run("REVOKE \(group) FROM \(place.role)")
            let (status, said) = try await place.ready("?for=logins")
            #expect(status == .serviceUnavailable && said.contains("lacks USAGE on the schema public"), "\(said)")
            try await place.run("GRANT \(group) TO \(place.role)")
            try await place.waitUntilMended()
            try await place.run("GRANT USAGE ON SCHEMA public TO \(place.role)", "DROP OWNED BY \(group)", "DROP ROLE \(group)")
        }
    }

    @Test("A right that no statement needs may be missing, of every table of which it is said")
    func spareRights() async throws {
        try await Self.run { place in
            let (unchanged, kept) = (AuthenticationSchema.tables.unchanged.sorted(), AuthenticationSchema.tables.kept.sorted())
            #expect(AuthenticationSchema.tables.names.isSuperset(of: unchanged + kept))
            for (right, tables) in [("UPDATE", unchanged), ("DELETE", kept)] {
                try await place.run("REVOKE \(right) ON \(tables.joined(separator: ", ")) FROM \(place.role)")
            }
            #expect(try await place.failure() == nil)
        }
    }
}

extension ReadOnlyRoleTests {
    /// The database of a server and its role, which is no superuser, and the way to its health.
    private struct Place {
        let cluster: PostgreSQLCluster
        let name: String
        let role: String
        let admin: any TestClientProtocol

        /// Runs statements as the superuser.
        func run(_ statements: String...) async throws { try await cluster.run(statements, in: name) }

        func ready(_ query: String) async throws -> (status: HTTPResponse.Status, said: String) {
            let answer = try await admin.execute(uri: "/ready\(query)", method: .get)
            return (answer.status, String(buffer: answer.body))
        }

        /// For logins, with these words; and ready for getSession.
        func expectUnready(saying words: String...) async throws {
            let (status, said) = try await ready("?for=logins")
            #expect(status == .serviceUnavailable, "\(said)")
            for word in words { #expect(said.contains(word), "\(said)") }
            #expect(try await ready("").status == .ok)
        }

        /// Whether its storage is told to fail.
        func failure() async throws -> String? {
            let said = try await ready("?for=logins").said
            return said.contains(#""disk":""#) || said.contains(#""database":""#) ? said : nil
        }

        /// What was said holds for two seconds.
        func waitUntilMended() async throws {
            while try await failure() != nil { try Task.checkCancellation() }
        }
    }

    private static func run(_ body: @escaping @Sendable (Place) async throws -> Void) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let role = "reader_\(name)"
        try await cluster.run(["CREATE ROLE \(role) LOGIN", "GRANT ALL ON SCHEMA public TO \(role)"], in: name)
        let database = try await onOwnThread { try PostgreSQLDatabase.open(cluster.address(of: name, as: role), settings: .forTests) }
        try await ServersFixture.run(database: database) { servers async throws in
            try await Application(router: servers.service.adminRouter).test(.router) { (admin) async throws in
                try await body(Place(cluster: cluster, name: name, role: role, admin: admin))
            }
        }
        await database.close()
        try await cluster.run(["DROP OWNED BY \(role)", "DROP ROLE \(role)"], in: name)
    }
}
