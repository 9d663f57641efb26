import AuthServer
import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// A token service at a port of this machine, of which a test writes every byte.
final class ListeningTokenService: Sendable {
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
    func stand(behind servers: ServersFixture, patience: UInt64 = 10) async throws -> String {
        let outcome = try await servers.service.tokenServices.set(
            try #require(TokenServiceAddress(address)), patience: patience, at: servers.server, by: .backend, now: servers.now)
        return try #require(outcome.drawn).text
    }
}

extension EnrolledPhone {
    /// GetToken and what came of it.
    func token(of session: SessionID, _ call: CallID? = nil) async throws -> [UInt8] {
        let message = GetToken(sessionID: session, callID: call ?? CallID(using: SystemRandomSource()))
        let answer = try await phone.sendFresh(message)
        guard answer.status == .ok else { throw answer.status }
        return try ServiceToken(decoding: answer.body).token
    }
}
