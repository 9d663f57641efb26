import AuthServer
import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// A service behind a virtual server, at a port of this machine, of which a test writes every byte.
final class ListeningService: Sendable {
    private let server: RawServer

    init(_ serve: @Sendable @escaping (RawServer.Connection) -> Void) throws { server = try RawServer(serve) }

    /// One that gives these bytes to everybody.
    convenience init(giving bytes: [UInt8]) throws {
        try self.init { connection in
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: \(bytes.count)\r\n\r\n")
            connection.send(bytes)
        }
    }

    /// What it was asked.
    var calls: [ListeningBackend.Call] { server.requests.map { ListeningBackend.Call($0) } }

    var address: String { "http://127.0.0.1:\(server.port)/token" }

    /// Puts it behind a virtual server, which shows it the secret that comes back.
    @discardableResult
    func stand(behind servers: ServersFixture, as kind: ServiceKind = .token, patience: UInt64 = 10) async throws -> String {
        let settings = kind == .token ? servers.service.tokenServices : servers.service.dataServices
        let outcome = try await settings.set(
            try #require(ServiceAddress(address)), patience: patience, at: servers.server, by: .backend, now: servers.now)
        return try #require(outcome.drawn).text
    }
}

extension EnrolledPhone {
    /// GetData and what came of it.
    func data(_ payload: [UInt8], _ call: CallID? = nil) async throws -> [UInt8] {
        let message = GetData(accountID: account, callID: call ?? CallID(using: SystemRandomSource()), payload: payload)
        let answer = try await phone.sendFresh(try #require(message))
        guard answer.status == .ok else { throw answer.status }
        return try ServiceData(decoding: answer.body).data
    }

    /// GetToken and what came of it.
    func token(of session: SessionID, _ call: CallID? = nil) async throws -> [UInt8] {
        let message = GetToken(sessionID: session, callID: call ?? CallID(using: SystemRandomSource()))
        let answer = try await phone.sendFresh(message)
        guard answer.status == .ok else { throw answer.status }
        return try ServiceToken(decoding: answer.body).token
    }
}
