import Authentication
import Database
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Both servers in this process, each over a database of a PostgreSQL of which a test takes things away, and whoever asks them.
struct FaultyServers: Sendable {
    /// The database of one of them.
    struct Place: Sendable {
        let name: String
        /// What stands before it, unless the test named hosts.
        let socket: CuttingSocket
        let database: PostgreSQLDatabase
    }

    let servers: ServersFixture
    let cluster: PostgreSQLCluster
    let authentication: Place
    let secondFactor: Place
    /// Of backends and operators.
    let admin: any TestClientProtocol

    /// Starts both for the time of `body`.
    /// - Parameters:
    ///   - own: a PostgreSQL that may be broken; nil for the one of all tests.
    ///   - options: of the authentication server's database, as CREATE DATABASE has them.
    ///   - others: of the second-factor server's.
    ///   - hosts: folders of sockets, as the URL names hosts; nil for one behind a socket that cuts.
    ///   - log: of both servers.
    static func run(
        on own: PostgreSQLCluster? = nil, options: String = "", secondFactor others: String = "", hosts: [String]? = nil,
        settings: PostgreSQLSettings = .forFaults, log: LogRecorder? = nil,
        _ body: @Sendable @escaping (FaultyServers) async throws -> Void
    ) async throws {
        let cluster: PostgreSQLCluster = if let own { own } else { try await PostgreSQLCluster.shared }
        let first = try await place(in: cluster, options: options, hosts: hosts, settings: settings)
        let second = try await place(in: cluster, options: others, hosts: hosts, settings: settings)
        do {
            try await ServersFixture.run(database: first.database, secondFactorDatabase: second.database, log: log) { servers async throws in
                try await Application(router: servers.service.adminRouter, logger: log?.logger(level: .info)).test(.router) { (admin) async throws in
                    try await body(
                        FaultyServers(servers: servers, cluster: cluster, authentication: first, secondFactor: second, admin: admin))
                }
            }
        } catch {
            await close([first, second], in: cluster)
            throw error
        }
        await close([first, second], in: cluster)
    }

    private static func place(
        in cluster: PostgreSQLCluster, options: String, hosts: [String]?, settings: PostgreSQLSettings
    ) async throws -> Place {
        let name = try await cluster.makeDatabase(options: options)
        let socket = try CuttingSocket(to: cluster.folder)
        let folders = hosts ?? [socket.socketFolder]
        let address = PostgreSQLAddress(hosts: folders.map { PostgreSQLAddress.Host($0) }, database: name, user: "ostiary")
        let database = try await onOwnThread { try PostgreSQLDatabase.open(address, settings: settings) }
        return Place(name: name, socket: socket, database: database)
    }

    private static func close(_ places: [Place], in cluster: PostgreSQLCluster) async {
        for place in places {
            await place.database.close()
            cluster.leave(place.name)
        }
    }
}

// MARK: What is asked

extension FaultyServers {
    /// What a backend or an operator is answered.
    func ask(_ path: String, _ method: HTTPRequest.Method = .get, nonce: String? = nil, body: ByteBuffer? = nil) async throws -> TestResponse {
        var headers: HTTPFields = [.apiKey: ServersFixture.apiKey]
        if let nonce { headers[.nonce] = nonce }
        return try await admin.execute(uri: path, method: method, headers: headers, body: body)
    }

    private var sessions: String { "/servers/\(servers.server.text)/sessions/" }

    /// A nonce as a business backend makes one.
    func newNonce() -> String { Base64URL.encode(SystemRandomSource().bytes(16)) }

    func getSession(_ nonce: String) async throws -> TestResponse { try await ask(sessions, nonce: nonce) }

    /// getQrLogin of a nonce that nobody used, which writes a row.
    /// - Parameter nonce: nil for any.
    func newCode(_ nonce: String? = nil) async throws -> TestResponse { try await ask(sessions + "qr/login", nonce: nonce ?? newNonce()) }

    /// Asks for codes until there is one: a server that runs goes on by itself.
    func recover() async throws {
        while try await newCode().status != .ok { try Task.checkCancellation() }
    }

    /// The same with 32 KiB of texts that no engine makes smaller.
    func longCode() async throws -> TestResponse {
        let members = (0..<32).map { #""key\#($0)":"\#(Base64URL.encode(SystemRandomSource().bytes(750)))""# }
        let body = ByteBuffer(string: #"{"announceinfo":{"info":{\#(members.joined(separator: ","))}}}"#)
        return try await ask(sessions + "qr/login", .post, nonce: newNonce(), body: body)
    }

    /// A login by the right PIN.
    func logIn(_ phone: EnrolledPhone) async throws -> (nonce: String, session: SessionID) {
        let nonce = newNonce()
        let (status, session) = try await phone.logInPatiently(try await servers.link(SessionNonce(nonce)))
        #expect(status == .ok)
        return (nonce, try #require(session))
    }

    /// The same, and its stop.
    func expectLogin(_ phone: EnrolledPhone) async throws {
        let (text, session) = try await logIn(phone)
        let nonce = try SessionNonce(text)
        #expect(try await servers.status(of: nonce).loggedIn)
        try await phone.stopPatiently(session)
        #expect(try await servers.status(of: nonce).loggedIn == false)
    }

    /// The same; and all that was counted meanwhile is its one try, which was proved: a fault between has added none and taken none.
    func expectLogin(_ phone: EnrolledPhone, since before: Counted) async throws {
        try await expectLogin(phone)
        let after = try await counted()
        #expect(after.evaluations == before.evaluations + 1 && after.highest == before.highest + 1 && after.proven == after.highest, "\(after)")
    }

    /// What health says of either server.
    func ready(_ query: String = "") async throws -> (status: HTTPResponse.Status, said: String) {
        let answer = try await ask("/ready" + query)
        return (answer.status, String(buffer: answer.body))
    }

    func secondFactorReady() async throws -> (status: HTTPResponse.Status, said: String) {
        let answer = try await servers.secondFactor.client.execute(uri: "/ready", method: .get)
        return (answer.status, String(buffer: answer.body))
    }

    /// Expects what every outage of a database is answered with: a time to come back, a word for programs, and nothing of where it is.
    func expectOutage(_ answer: TestResponse) {
        let body = String(buffer: answer.body)
        #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "30", "\(answer.status) \(body)")
        #expect(body.contains(#""error":"storage_unavailable""#), "\(body)")
        // A call that only reads, too.
        #expect(body.contains("cannot use its database") && !body.contains("write"), "\(body)")
        #expect(!body.contains(authentication.name) && !body.contains("/"), "\(body)")
    }

    typealias Counted = (evaluations: Int, highest: Int, proven: Int)

    /// How many attempts the second-factor server has let come to an evaluation for logins, and the numbers of all instances.
    func counted() async throws -> Counted {
        let evaluations = try await servers.secondFactorDatabase.read { connection in
            try connection.one("SELECT COUNT(*) AS found FROM attempt WHERE context = 1")?.int("found") ?? -1
        }
        let numbers = try await servers.counted()
        return (evaluations, numbers.highest, numbers.proven)
    }

    /// How many logins the audit trail has.
    func accepted() async throws -> Int {
        try await servers.database.read { connection in
            try connection.one("SELECT COUNT(*) AS found FROM audit WHERE kind = 'loginAccepted'")?.int("found") ?? -1
        }
    }
}

extension PostgreSQLSettings {
    /// Few connections, so that each fault meets whoever comes.
    static var forFaults: PostgreSQLSettings {
        var settings = PostgreSQLSettings.forTests
        settings.connections = 2
        return settings
    }
}
