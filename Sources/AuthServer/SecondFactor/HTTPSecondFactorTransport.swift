import AsyncHTTPClient
import Authentication
import HTTPService
import NIOCore
import NIOHTTP1
import OstiaryProtocol

/// Calls over HTTP: plain on loopback, https otherwise.
package final class HTTPSecondFactorTransport: SecondFactorTransport {
    /// A call that takes longer is given up (protocol §2).
    private static let patience = TimeAmount.seconds(5)
    private static let largestAnswer = 65_536

    private let client: HTTPClient
    private let origin: String

    package init(url: PublicURL) {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(2)
        configuration.timeout.read = Self.patience
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        origin = url.description
    }

    deinit { client.shutdown { _ in } }

    package func identity() async throws -> [UInt8] {
        try await send(HTTPClientRequest(url: "\(origin)/sf/identity"))
    }

    package func call(_ bytes: [UInt8]) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: "\(origin)/sf/call")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/octet-stream")
        request.body = .bytes(ByteBuffer(bytes: bytes))
        return try await send(request)
    }

    private func send(_ request: HTTPClientRequest) async throws -> [UInt8] {
        do {
            let response = try await client.execute(request, timeout: Self.patience)
            guard response.status != .forbidden else { throw SecondFactorDistrust() }
            guard response.status == .ok else { throw SecondFactorUnreachable() }
            return Array(buffer: try await response.body.collect(upTo: Self.largestAnswer))
        } catch let error as SecondFactorDistrust {
            throw error
        } catch {
            throw SecondFactorUnreachable()
        }
    }
}
