import AuthServer
import Authentication
import Database
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

/// The REST API of a server on two ports: at one getSession is answered before its route where that can be, at the other never. Where the database looks nothing up
/// at once it never is at either.
struct SessionsBothWays: Sendable {
    /// Where it may be early, and where it never is.
    let (early, routes): (Int, Int)
    let servers: ServersFixture
    /// What the routes of each wrote down.
    let (earlyLog, routesLog): (LogRecorder, LogRecorder)
    private let given: GivenAnswers?

    /// How often something was answered early.
    var count: Int { given?.count ?? 0 }

    /// Opens both for the time of `body`.
    static func run(at servers: ServersFixture, _ body: @Sendable @escaping (SessionsBothWays) async throws -> Void) async throws {
        let given: GivenAnswers? = servers.database.readsAtOnce ? GivenAnswers(try #require(servers.service.earlyAnswer)) : nil
        let (earlyLog, routesLog) = (LogRecorder(), LogRecorder())
        try await listener(servers, early: given?.early).whileOpen(logging: earlyLog) { early in
            try await listener(servers, early: nil).whileOpen(logging: routesLog) { routes in
                try await body(
                    SessionsBothWays(early: early, routes: routes, servers: servers, earlyLog: earlyLog, routesLog: routesLog, given: given))
            }
        }
    }

    private static func listener(_ servers: ServersFixture, early: EarlyAnswer?) -> Listener {
        Listener("private", at: ListenAddress(host: "127.0.0.1", port: 0), router: servers.service.adminRouter, early: early)
    }

    /// A question of getSession as a backend asks it, or bent.
    func question(
        _ nonce: String, first: String = "GET", address: String? = nil, key: String = ServersFixture.apiKey, fields: [String] = []
    ) -> String {
        let address = address ?? "/servers/\(servers.server.text)/sessions/"
        let lines = ["\(first) \(address) HTTP/1.1", "Host: ostiary.example", "X-apikey: \(key)", "X-nonce: \(nonce)"] + fields
        return lines.map { "\($0)\r\n" }.joined() + "\r\n"
    }

    /// What both say to the same bytes, without what differs from one request to the next.
    func answers(to bytes: [UInt8]) async throws -> (early: String, routes: String) { try await answers(to: [bytes]) }

    /// The same where they are written in pieces.
    func answers(to pieces: [[UInt8]]) async throws -> (early: String, routes: String) {
        let (early, routes) = (early, routes)
        return try await onOwnThread {
            (
                Self.withoutNames(try RawClient.exchange(port: early, pieces)), Self.withoutNames(try RawClient.exchange(port: routes, pieces))
            )
        }
    }

    private static func withoutNames(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).replacing(/X-Request-Id: [0-9a-f]{32}/, with: "X-Request-Id: …")
            .replacing(/"requestId":"[0-9a-f]{32}"/, with: "\"requestId\":\"…\"").replacing(/Date: [A-Za-z0-9,: ]+ GMT/, with: "Date: …")
    }

    private final class GivenAnswers: Sendable {
        private let answer: EarlyAnswer
        private let state = Mutex(0)

        init(_ answer: @escaping EarlyAnswer) { self.answer = answer }

        var count: Int { state.withLock { $0 } }
        var early: EarlyAnswer {
            { request in
                guard let content = self.answer(request) else { return nil }
                self.state.withLock { $0 += 1 }
                return content
            }
        }
    }
}
