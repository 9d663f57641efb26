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
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let role = "reader_\(name)"
        try await cluster.run(["CREATE ROLE \(role) LOGIN", "GRANT ALL ON SCHEMA public TO \(role)"], in: name)
        let address = cluster.address(of: name, as: role)
        let database = try await onOwnThread { try PostgreSQLDatabase.open(address, settings: .forTests) }
        try await ServersFixture.run(database: database) { servers async throws in
            try await Application(router: servers.service.adminRouter).test(.router) { (admin) async throws in
                try await cluster.run(["ALTER TABLE session OWNER TO ostiary", "GRANT SELECT ON session TO \(role)"], in: name)
                let (status, said) = try await Self.ready(admin, "?for=logins")
                #expect(status == .serviceUnavailable && said.contains("it may not write to the table session"), "\(said)")
                #expect(said.contains("make it the owner of all that this program made there"), "\(said)")
                #expect(try await Self.ready(admin, "").status == .ok)
                try await cluster.run(["ALTER TABLE session OWNER TO \(role)"], in: name)
                // What was said holds for two seconds.
                while try await Self.ready(admin, "?for=logins").said.contains("may not write") { try Task.checkCancellation() }
            }
        }
        await database.close()
        try await cluster.run(["DROP OWNED BY \(role)", "DROP ROLE \(role)"], in: name)
    }

    private static func ready(_ admin: any TestClientProtocol, _ query: String) async throws -> (status: HTTPResponse.Status, said: String) {
        let answer = try await admin.execute(uri: "/ready\(query)", method: .get)
        return (answer.status, String(buffer: answer.body))
    }
}
