import Foundation
import Testing

@testable import OstiaryPhone

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client that has tokens, by codes that a device shows or a browser brings, and an API that asks about them: each asks one of the nodes.
struct TokenCaller: Sendable {
    /// The API that the tokens are for.
    static let api = "https://desk.example/"
    static let scope = "desk:read"

    let name: String
    private let origin: String
    private let secret: String

    struct Question: Sendable {
        let code: String
        /// What a phone scans.
        let address: String
    }

    struct Given: Sendable {
        let access: String
        let refresh: String?
    }

    /// Neither an answer that this caller knows, nor that what it showed is not good.
    struct Unanswered: Error {
        let status: Int
        let error: String?
    }

    /// - Parameter secret: what ``register(_:)`` gave.
    init(_ number: Int, at node: NodesFixture.Node, secret: String) {
        name = "client \(number) at \(node.name)"
        origin = node.publicURL
        self.secret = secret
    }

    /// Makes the API and its clients known, as an operator does.
    /// - Returns: the secret with which the API asks about tokens.
    static func register(_ backend: DemoBackend) async throws -> String {
        let apis = #""apis":{"\#(api)":["\#(scope)"]}"#
        try await put(
            backend, "apis/\(escaped(api))/",
            // They have no end while a run lasts, also by the clock of a node that is wrong by days.
            #"""
            {"name":"Desk","token_format":"opaque","token_lifetime":2592000,"allow_offline_access":true,
             "scopes":{"\#(scope)":"read your desk"}}
            """#)
        try await put(
            backend, "applications/tv/",
            #"""
            {"kind":"native","client_name":"Television","first_party":true,"token_endpoint_auth_method":"none",\#(apis),
             "grant_types":["urn:ietf:params:oauth:grant-type:device_code","refresh_token"]}
            """#)
        try await put(
            backend, "applications/app/",
            #"""
            {"kind":"native","client_name":"App","first_party":true,"token_endpoint_auth_method":"none",\#(apis),
             "grant_types":["urn:ietf:params:oauth:grant-type:token-exchange"]}
            """#)
        let desk = try await put(backend, "applications/desk/", #"{"kind":"machine","client_name":"Desk","serves":["\#(api)"]}"#)
        return try #require(desk["client_secret"]?.string)
    }

    @discardableResult
    static func put(_ backend: DemoBackend, _ path: String, _ json: String) async throws -> JSONLine {
        let answer = try await backend.client.send("PUT", "/servers/\(backend.serverID)/\(path)", nonce: nil, body: Data(json.utf8))
        return try JSONLine(String(decoding: answer, as: UTF8.self))
    }

    /// Shows a code.
    /// - Parameter isLasting: whether what it gives outlives the login.
    func begin(isLasting: Bool) async throws -> Question {
        let scope = Self.scope + (isLasting ? " offline_access" : "")
        let answer = try await ask("/oauth/device/code", ["client_id": "tv", "scope": scope, "audience": Self.api])
        guard let code = answer["device_code"]?.string, let address = answer["verification_uri_complete"]?.string else {
            throw Unanswered(status: 200, error: nil)
        }
        return Question(code: code, address: address)
    }

    /// - Returns: nil where it is not good, or not good any more.
    func redeem(_ code: String) async throws -> Given? {
        try await given(["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "tv", "device_code": code])
    }

    /// - Returns: likewise.
    func refresh(_ token: String) async throws -> Given? {
        try await given(["grant_type": "refresh_token", "client_id": "tv", "refresh_token": token])
    }

    /// Whether the token opens something now.
    func isActive(_ token: String) async throws -> Bool {
        guard let isActive = try await ask("/oauth/introspect", ["token": token], by: "desk")["active"]?.bool else {
            throw Unanswered(status: 200, error: nil)
        }
        return isActive
    }

    /// - Parameter client: whose token it is.
    func revoke(_ token: String, of client: String = "tv") async throws {
        _ = try await send("/oauth/revoke", ["client_id": client, "token": token], by: nil)
    }

    /// - Returns: nil where what was shown is not good, or not good any more.
    func given(_ form: KeyValuePairs<String, String>) async throws -> Given? {
        do {
            let answer = try await ask("/oauth/token", form)
            guard let access = answer["access_token"]?.string else { throw Unanswered(status: 200, error: nil) }
            return Given(access: access, refresh: answer["refresh_token"]?.string)
        } catch let refused as Unanswered where refused.error == "invalid_grant" { return nil }
    }

    private func ask(_ path: String, _ form: KeyValuePairs<String, String>, by client: String? = nil) async throws -> JSONLine {
        try JSONLine(String(decoding: try await send(path, form, by: client), as: UTF8.self))
    }

    private func send(_ path: String, _ form: KeyValuePairs<String, String>, by client: String?) async throws -> Data {
        var request = URLRequest(url: try #require(URL(string: origin + path)), timeoutInterval: 60)
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        if let client {
            request.setValue("Basic " + Data("\(client):\(Self.escaped(secret))".utf8).base64EncodedString(), forHTTPHeaderField: "Authorization")
        }
        request.httpBody = Data(form.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&").utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else {
            throw Unanswered(status: status, error: try? JSONLine(String(decoding: data, as: UTF8.self))["error"]?.string)
        }
        return data
    }

    static func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
}
