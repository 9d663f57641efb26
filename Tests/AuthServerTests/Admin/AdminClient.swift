import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryProtocol

@testable import AuthServer

/// A business backend: asks with the key, and with the nonce unless told otherwise.
struct AdminClient: Sendable {
    let client: any TestClientProtocol
    let premises: PagesFixture

    /// The address of a call under the virtual server.
    func path(_ rest: String) -> String { "/servers/\(premises.serverID.text)\(rest)" }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, nonce: String? = PagesFixture.nonce, key: String? = PagesFixture.key, body: String? = nil
    ) async throws -> TestResponse {
        var headers: HTTPFields = [:]
        headers[.apiKey] = key
        headers[.nonce] = nonce
        return try await client.execute(uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
    }

    func json(
        _ method: HTTPRequest.Method, _ uri: String, nonce: String? = PagesFixture.nonce, body: String? = nil
    ) async throws -> (status: Int, object: JSONObject) {
        let response = try await send(method, uri, nonce: nonce, body: body)
        return (response.status.code, JSONObject(response.body))
    }
}

extension PagesFixture {
    func asBackend<Value>(_ body: @Sendable @escaping (AdminClient) async throws -> Value) async throws -> Value {
        try await Application(responder: adminResponder).test(.router) { client in try await body(AdminClient(client: client, premises: self)) }
    }
}

/// A JSON object that a test asks for its members; what is not one has none.
struct JSONObject: @unchecked Sendable {
    private let members: [String: Any]

    init(_ body: ByteBuffer) {
        members = (try? JSONSerialization.jsonObject(with: Data(Array(buffer: body)))) as? [String: Any] ?? [:]
    }

    private init(_ members: [String: Any]) { self.members = members }

    var names: Set<String> { Set(members.keys) }
    func text(_ name: String) -> String? { members[name] as? String }
    func number(_ name: String) -> Int? { (members[name] as? NSNumber)?.intValue }
    func bool(_ name: String) -> Bool? { members[name] as? Bool }
    func texts(_ name: String) -> [String]? { members[name] as? [String] }
    func objects(_ name: String) -> [JSONObject] { (members[name] as? [[String: Any]] ?? []).map { JSONObject($0) } }
    func object(_ name: String) -> JSONObject? { (members[name] as? [String: Any]).map { JSONObject($0) } }
}
