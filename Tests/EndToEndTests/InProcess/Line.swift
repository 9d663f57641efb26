import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryMobile

/// The way from the phones to the authentication server, which a test can cut, and on which it can lose single messages.
actor Line: Transport {
    /// What happens to one message.
    enum Fault: Sendable, Equatable, CaseIterable {
        /// It never arrives.
        case requestLost
        /// It arrives, and its answer doesn't.
        case answerLost
        /// It arrives, and somebody on the way answers in the server's place.
        case answerReplaced
        /// It arrives twice, and the answer to the second copy comes.
        case doubled
    }

    private let client: any TestClientProtocol
    private var isCut = false
    private var faults: [Int: Fault] = [:]
    /// Bodies of all that was posted, in order.
    private(set) var posted: [[UInt8]] = []
    /// The message after which nothing gets through, and whether that one arrives.
    private var end: (number: Int, arrives: Bool)?
    private(set) var lengthOfLastAnswer = 0
    private var change: (@Sendable ([UInt8]) -> [UInt8])?

    init(_ client: any TestClientProtocol) { self.client = client }

    func cut() { isCut = true }
    func mend() {
        isCut = false
        end = nil
    }

    /// Cuts the line for good at a message, of which no answer comes: 0 is the next.
    func cut(at number: Int, arrives: Bool) { end = (posted.count + number, arrives) }

    /// Changes the bytes of every answer to a posted message from now on.
    func alter(_ change: (@Sendable ([UInt8]) -> [UInt8])?) { self.change = change }

    /// - Parameter number: of the posted message, 0 for the next.
    func lose(_ fault: Fault, at number: Int) { faults[posted.count + number] = fault }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard !isCut else { throw .unreachable }
        let fault = request.body == nil ? nil : faults[posted.count]
        let isLast = request.body != nil && posted.count == end?.number
        if let body = request.body { posted.append(body) }
        if isLast {
            isCut = true
            guard end?.arrives == true else { throw .unreachable }
        }
        guard fault != .requestLost else { throw .unreachable }
        if fault == .doubled { _ = try await deliver(request) }
        let response = try await deliver(request)
        if fault == .answerReplaced { return TransportResponse(status: 200, body: Array("<html>sign in to this network</html>".utf8)) }
        guard fault != .answerLost, !isCut else { throw .unreachable }
        lengthOfLastAnswer = response.body.count
        if request.body != nil, response.status == 200, let change {
            return TransportResponse(status: response.status, body: change(response.body))
        }
        return response
    }

    /// Posts bytes as they are, as a replaying attacker would.
    func replay(_ body: [UInt8]) async throws -> HTTPResponse.Status {
        try await client.executeRequest(
            uri: "/ap1", method: .post, headers: [.contentType: "application/octet-stream"], body: ByteBuffer(bytes: body)
        )
        .status
    }

    /// A call of an app itself, beside what its SDK says: nothing that a test does to messages happens to it.
    nonisolated func call(_ method: HTTPRequest.Method, _ path: String, headers: HTTPFields, body: String? = nil) async throws -> TestResponse {
        try await client.executeRequest(uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
    }

    private nonisolated func deliver(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var headers: HTTPFields = [.contentType: "application/octet-stream"]
        for (name, value) in request.fields { if let name = HTTPField.Name(name) { headers[name] = value } }
        do {
            let response = try await client.executeRequest(
                uri: request.url.path, method: request.body == nil ? .get : .post, headers: headers,
                body: request.body.map { ByteBuffer(bytes: $0) })
            let fields = request.told(of: response.headers.map { (name: $0.name.rawName, value: $0.value) })
            return TransportResponse(status: response.status.code, body: Array(buffer: response.body), fields: fields)
        } catch {
            throw .unreachable
        }
    }
}
