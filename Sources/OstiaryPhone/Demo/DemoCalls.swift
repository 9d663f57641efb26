import AsyncHTTPClient
import HTTPCalls
import NIOCore
import NIOHTTP1

/// How the demonstration calls its own servers: by one client, which lives as long as the process.
///
/// Ctrl-C comes at any moment, also in that in which a call begins. `URLSession` on Linux ends the process when a call is cancelled then, and the data of
/// the demonstration would stay.
enum DemoCalls {
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: [UInt8]
    }

    /// More than any answer of our servers.
    private static let longestBody = 16 << 20

    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.calls(connect: .seconds(5))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// - Parameter limit: of the whole call.
    /// - Throws: when nothing answers, and at once in a task that is cancelled.
    static func send(
        _ method: String, _ address: String, _ fields: [(name: String, value: String)] = [], body: [UInt8]? = nil, limit: Duration
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: address)
        request.method = HTTPMethod(rawValue: method)
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        // A connection of its own: one that was kept may just have ended with its server, which here is ended and begun all the time.
        request.headers.add(name: "Connection", value: "close")
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        return try await within(limit) { [request] in
            let response = try await client.execute(request, deadline: .distantFuture)
            let body = try await response.body.collect(upTo: longestBody)
            return Answer(status: Int(response.status.code), headers: response.headers, body: Array(buffer: body))
        }
    }
}
