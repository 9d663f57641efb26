import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// A business backend over the real router of the management interface.
struct FixtureBackend: Sendable {
    let client: any TestClientProtocol
    let serverID: String

    func newNonce() -> String { UUID().uuidString.replacing("-", with: "") }

    @discardableResult
    func call(_ method: HTTPRequest.Method, _ rest: String, nonce: String? = nil, json: String? = nil) async throws -> (status: Int, body: [UInt8]) {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let apiKey = HTTPField.Name("X-apikey") { headers[apiKey] = "key" }
        if let name = HTTPField.Name("X-nonce"), let nonce { headers[name] = nonce }
        let response = try await client.executeRequest(
            uri: "/servers/\(serverID)/\(rest)", method: method, headers: headers, body: json.map { ByteBuffer(string: $0) })
        return (response.status.code, Array(buffer: response.body))
    }

    func session(_ nonce: String) async throws -> JSONLine {
        try JSONLine(String(decoding: try await call(.get, "sessions/", nonce: nonce).body, as: UTF8.self))
    }

    func isLoggedIn(_ nonce: String) async throws -> Bool { try await session(nonce)["loggedin"]?.bool ?? false }
    func logOut(_ nonce: String) async throws { try #require(try await call(.post, "sessions/logout", nonce: nonce).status == 200) }
    func loginCode(_ nonce: String) async throws -> [UInt8] { try await call(.get, "sessions/qr/login", nonce: nonce).body }

    func enrolCode(_ nonce: String, name: String, user: String) async throws -> [UInt8] {
        try await call(.get, "sessions/qr/enrol?name=\(name)&userid=\(user)", nonce: nonce).body
    }

    func confirm(_ nonce: String, _ code: String) async throws -> Int {
        try await call(.post, "sessions/enrol/confirm", nonce: nonce, json: #"{"code":"\#(code)"}"#).status
    }

    /// Hands a one-time code in, as a site does that asks for it itself.
    func otpLogin(_ nonce: String, _ code: String) async throws -> (status: Int, said: JSONLine) {
        let answer = try await call(.post, "sessions/otp", nonce: nonce, json: #"{"otp":"\#(code)"}"#)
        return (answer.status, try JSONLine(String(decoding: answer.body, as: UTF8.self)))
    }

    func updateServer(_ json: String) async throws { try #require(try await call(.put, "", json: json).status == 200) }
}
