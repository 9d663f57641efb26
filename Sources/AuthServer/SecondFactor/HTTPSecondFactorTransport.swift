import AsyncHTTPClient
import HTTPCalls
import HTTPService
import NIOCore
import NIOHTTP1

/// Calls over HTTP: plain on loopback, https otherwise.
package final class HTTPSecondFactorTransport: SecondFactorTransport {
    private static let largestAnswer = 65_536

    package let address: String
    private let client: HTTPClient
    private let isSecure: Bool
    private let patience: Duration

    /// - Parameter patience: after which a call is given up, from its first byte to the last of its answer (protocol §2); less in tests.
    package init(url: PublicURL, patience: Duration = .seconds(5)) {
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .calls(connect: min(.seconds(2), TimeAmount(patience))))
        address = url.description
        isSecure = url.isSecure
        self.patience = patience
    }

    deinit { client.shutdown { _ in } }

    package func identity() async throws -> [UInt8] {
        try await send(HTTPClientRequest(url: "\(address)/sf/identity"))
    }

    package func call(_ bytes: [UInt8]) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: "\(address)/sf/call")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/octet-stream")
        request.body = .bytes(ByteBuffer(bytes: bytes))
        return try await send(request)
    }

    private func send(_ request: HTTPClientRequest) async throws(SecondFactorTrouble) -> [UInt8] {
        let status: HTTPResponseStatus
        let body: ByteBuffer
        do {
            (status, body) = try await within(patience) { [client, patience] in
                let response = try await client.execute(request, timeout: TimeAmount(patience))
                let body = try await response.body.collect(upTo: Self.largestAnswer)
                return (response.status, body)
            }
        } catch {
            throw SecondFactorTrouble(of: error, isSecure: isSecure)
        }
        switch status {
        case .ok: return Array(buffer: body)
        case .forbidden: throw .distrust
        // The same trouble that a probe is told: one reason, one line in the log.
        case .serviceUnavailable where String(buffer: body).contains(ErrorResponse.storageUnavailable.error): throw .storage
        default: throw .status(Int(status.code))
        }
    }
}
