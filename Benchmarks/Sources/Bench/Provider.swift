import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryProtocol

/// The OAuth and OpenID Connect provider: a machine that asks for tokens and about them, and a website whose person is logged in.
struct Provider: Sendable {
    static let api = "https://api.example/things"
    private static let callback = "https://shop.example/cb"
    /// Of RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    let servers: Servers
    /// `Authorization` of the machine.
    private let basic: String

    /// Makes an API, a machine that may ask for its tokens and about them, and a website of the operator's own that shows no secret: its refresh tokens
    /// are renewed at each use.
    init(servers: Servers) async throws {
        self.servers = servers
        let registry = """
            {"apis":{"\(Self.api)":{"name":"Things","scopes":{"read":"read your things"},"allow_offline_access":true}},
             "applications":{
               "batch":{"kind":"machine","client_name":"Batch","apis":{"\(Self.api)":["read"]},"serves":["\(Self.api)"]},
               "shop":{"kind":"web","client_name":"Shop","first_party":true,"redirect_uris":["\(Self.callback)"],
                       "token_endpoint_auth_method":"none","apis":{"\(Self.api)":["read"]}}}}
            """
        struct Applied: Decodable { let secrets: [String: String] }
        let applied = try await servers.call("POST", "/servers/\(servers.serverID)/registry", body: registry)
        let secrets = try JSONDecoder().decode(Applied.self, from: Data(applied)).secrets
        guard let secret = secrets["batch"] else { throw BenchError("no secret of batch") }
        // base64url has nothing that a form would write otherwise.
        basic = "Basic " + Data("batch:\(secret)".utf8).base64EncodedString()
    }

    private struct Tokens: Decodable {
        let access: String
        /// Only with `offline_access`.
        let refresh: String?

        enum CodingKeys: String, CodingKey {
            case access = "access_token"
            case refresh = "refresh_token"
        }
    }

    private static func form(_ members: KeyValuePairs<String, String>) -> String {
        let free = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        return members.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: free) ?? "")" }.joined(separator: "&")
    }

    private func tokens(_ members: KeyValuePairs<String, String>, authorization: String? = nil) async throws -> Tokens {
        var request = HTTPClientRequest(url: servers.origin + "/oauth/token")
        request.setForm(Self.form(members))
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let body = Data(try await response.body.collect(upTo: 1 << 16).readableBytesView)
        guard response.status == .ok else { throw BenchError("tokens: \(response.status) \(String(decoding: body, as: UTF8.self))") }
        return try JSONDecoder().decode(Tokens.self, from: body)
    }

    private static let asking: KeyValuePairs = ["grant_type": "client_credentials", "audience": api]

    /// What the machine has for the API: a JWT by ES256.
    func machineToken() async throws -> String { try await tokens(Self.asking, authorization: basic).access }

    /// - Parameters:
    ///   - requests: how many of what many ask for at once.
    ///   - turns: how many of what one asks for after the other.
    func measure(requests: Int, turns: Int, into table: inout Table) async throws {
        for (name, path) in [("JWKS", "/.well-known/jwks.json"), ("discovery", "/.well-known/openid-configuration")] {
            table.add(name, try await load(servers.origin + path, count: requests, server: servers.serveMeter), "bytes made once")
        }
        let headers = [("Authorization", basic)]
        table.add(
            "client_credentials, ES256",
            try await load(
                servers.origin + "/oauth/token", headers: headers, form: Self.form(Self.asking), count: requests / 4, server: servers.serveMeter))
        table.add("introspection of a JWT", try await introspection(of: try await machineToken(), count: requests / 4))
        try await measurePerson(turns, into: &table)
    }

    /// The cost of one of `count` questions about a token over 8 connections.
    func introspection(of token: String, count: Int) async throws -> Cost {
        try await load(
            servers.origin + "/oauth/introspect", headers: [("Authorization", basic)], form: Self.form(["token": token]), count: count,
            server: servers.serveMeter)
    }

    /// What a website does for a person who is logged in: a code, what it is exchanged for, and a refresh, one after the other.
    private func measurePerson(_ turns: Int, into table: inout Table) async throws {
        let person = try Person(name: "provider", servers: servers)
        try await person.enrol()
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await measure(Browser(servers: servers, client: client), of: person, turns, into: &table)
            try await client.shutdown()
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private func measure(_ browser: Browser, of person: Person, _ turns: Int, into table: inout Table) async throws {
        let request = Self.form([
            "client_id": "shop", "redirect_uri": Self.callback, "response_type": "code", "scope": "openid offline_access read",
            "audience": Self.api, "code_challenge": Self.challenge, "code_challenge_method": "S256",
        ])
        let address = servers.origin + "/authorize?" + request
        _ = try await browser.logIn(at: address, by: person)
        var codes: [String] = []
        table.add(
            "a code for who is logged in",
            try await Bench.metered(servers, turns) { _ in codes.append(try await browser.code(at: address)) }, "durable, alone")
        var given: Tokens?
        table.add(
            "exchange of a code, with PKCE",
            try await Bench.metered(servers, turns) { turn in
                given = try await tokens([
                    "grant_type": "authorization_code", "client_id": "shop", "redirect_uri": Self.callback, "code": codes[turn],
                    "code_verifier": Self.verifier,
                ])
            }, "access token and ID token; durable, alone")
        guard var refresh = given?.refresh else { throw BenchError("no refresh token") }
        table.add(
            "refresh",
            try await Bench.metered(servers, turns) { _ in
                let next = try await tokens(["grant_type": "refresh_token", "client_id": "shop", "refresh_token": refresh]).refresh
                guard let next, next != refresh else { throw BenchError("the refresh token was not renewed") }
                refresh = next
            }, "renewed each time; durable, alone")
    }
}

extension HTTPClientRequest {
    /// Makes it a POST of this form.
    mutating func setForm(_ form: String) {
        method = .POST
        headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        body = .bytes(ByteBuffer(string: form))
    }
}
