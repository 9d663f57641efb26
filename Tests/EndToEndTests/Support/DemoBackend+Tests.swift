import Foundation
import Testing

@testable import OstiaryPhone

/// Further calls that only tests make.
extension DemoBackend {
    private func path(_ rest: String) -> String { "/servers/\(serverID)/\(rest)" }

    /// A link that logs a session in.
    func loginLink(_ nonce: String) async throws -> String {
        String(decoding: try await client.call("GET", path("sessions/link/login"), nonce: nonce), as: UTF8.self)
    }

    /// The same for a login that says what it is about.
    /// - Parameter context: a UserContext, as JSON.
    func loginLink(_ nonce: String, saying context: String) async throws -> String {
        String(decoding: try await client.send("POST", path("sessions/link/login"), nonce: nonce, body: Data(context.utf8)), as: UTF8.self)
    }

    /// When a session ends if nothing happens to it.
    func end(of nonce: String) async throws -> Int {
        let status = try await client.call("GET", path("sessions/"), nonce: nonce)
        return try #require(try JSONLine(String(decoding: status, as: UTF8.self))["expiresat"]?.int)
    }

    /// Hands a one-time code in, as a site does that asks for it itself.
    func otpLogin(_ nonce: String, _ code: String) async throws -> JSONLine {
        let answer = try await client.call("POST", path("sessions/otp"), nonce: nonce, json: ["otp": code])
        return try JSONLine(String(decoding: answer, as: UTF8.self))
    }

    /// The one account that a user has.
    func account(ofUser user: String) async throws -> String {
        try #require(try await accounts(ofUser: user).first?["id"]?.string)
    }

    /// All that a user has, the oldest first.
    func accounts(ofUser user: String) async throws -> [JSONLine] {
        let answer = try await client.call("GET", path("users/\(user)/accounts"))
        return try #require(try JSONLine(String(decoding: answer, as: UTF8.self))["accounts"]?.array)
    }

    func updateServer(_ json: String) async throws { try await send("PUT", path(""), json) }
    func block(_ account: String) async throws { try await send("PUT", path("accounts/\(account)/"), #"{"blocked":true}"#) }
    func resetSecondFactor(_ account: String) async throws { try await send("POST", path("accounts/\(account)/secondfactor/reset"), nil) }

    /// Registers a client that asks people on their phones, and polls.
    /// - Returns: its secret.
    func registerTill() async throws -> String {
        let till = """
            {"kind":"web","client_name":"Till","grant_types":["urn:openid:params:grant-type:ciba"],"backchannel_token_delivery_mode":"poll"}
            """
        let answer = try await client.send("PUT", path("applications/till/"), nonce: nil, body: Data(till.utf8))
        return try #require(try JSONLine(String(decoding: answer, as: UTF8.self))["client_secret"]?.string)
    }

    private func send(_ method: String, _ path: String, _ json: String?) async throws {
        _ = try await client.send(method, path, nonce: nil, body: json.map { Data($0.utf8) })
    }
}
