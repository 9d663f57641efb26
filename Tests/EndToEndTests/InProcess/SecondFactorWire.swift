import AuthServer
import Authentication
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization

/// The way from the authentication server to the second-factor server, over the real router of the latter.
final class SecondFactorWire: SecondFactorTransport {
    private let client: any TestClientProtocol
    private let isCut = Mutex(false)

    init(_ client: any TestClientProtocol) { self.client = client }

    func cut() { isCut.withLock { $0 = true } }
    func mend() { isCut.withLock { $0 = false } }

    func identity() async throws -> [UInt8] { try await send(.get, "/sf/identity", nil) }
    func call(_ bytes: [UInt8]) async throws -> [UInt8] { try await send(.post, "/sf/call", ByteBuffer(bytes: bytes)) }

    private func send(_ method: HTTPRequest.Method, _ path: String, _ body: ByteBuffer?) async throws -> [UInt8] {
        guard !isCut.withLock({ $0 }) else { throw SecondFactorUnreachable() }
        let response = try await client.executeRequest(uri: path, method: method, headers: [:], body: body)
        guard response.status == .ok else { throw SecondFactorUnreachable() }
        return Array(buffer: response.body)
    }
}
