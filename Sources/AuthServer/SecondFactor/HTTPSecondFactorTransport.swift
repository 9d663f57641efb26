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
    /// What is asked, with its address taken apart: of the client's two ways to be asked this is the one that does not do that for each call.
    private let identityRequest: Result<HTTPClient.Request, any Error>
    private let callRequest: Result<HTTPClient.Request, any Error>
    private let isSecure: Bool
    private let patience: Duration

    /// - Parameter patience: after which a call is given up, from its first byte to the last of its answer (protocol §2); less in tests.
    package init(url: PublicURL, patience: Duration = .seconds(5)) {
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .calls(connect: min(.seconds(2), TimeAmount(patience))))
        address = url.description
        identityRequest = Result { try HTTPClient.Request(url: "\(url)/sf/identity") }
        callRequest = Result {
            try HTTPClient.Request(url: "\(url)/sf/call", method: .POST, headers: ["content-type": "application/octet-stream"])
        }
        isSecure = url.isSecure
        self.patience = patience
    }

    deinit { client.shutdown { _ in } }

    package func identity() async throws -> [UInt8] { try await send(identityRequest) }

    package func call(_ bytes: [UInt8]) async throws -> [UInt8] {
        try await send(
            callRequest.map { request in
                var request = request
                request.body = .byteBuffer(ByteBuffer(bytes: bytes))
                return request
            })
    }

    private func send(_ request: Result<HTTPClient.Request, any Error>) async throws(SecondFactorTrouble) -> [UInt8] {
        let response: HTTPClient.Response
        do {
            response = try await within(patience) { [client, patience] in
                try await Self.execute(try request.get(), by: client, deadline: .now() + TimeAmount(patience))
            }
        } catch {
            throw SecondFactorTrouble(of: error, isSecure: isSecure)
        }
        switch response.status {
        case .ok: return response.body.map { Array(buffer: $0) } ?? []
        case .forbidden: throw .distrust
        // The same trouble that a probe is told: one reason, one line in the log.
        case .serviceUnavailable where response.body.map({ String(buffer: $0) })?.contains(ErrorResponse.storageUnavailable.error) == true:
            throw .storage
        default: throw .status(Int(response.status.code))
        }
    }

    /// The whole answer. A call that is given up is taken from the client as well.
    private static func execute(_ request: HTTPClient.Request, by client: HTTPClient, deadline: NIODeadline) async throws -> HTTPClient.Response {
        let answer = ResponseAccumulator(request: request, maxBodySize: largestAnswer)
        let call = client.execute(request: request, delegate: answer, deadline: deadline)
        return try await withTaskCancellationHandler {
            try await call.get()
        } onCancel: {
            call.cancel()
        }
    }
}
