import Authentication
import Database
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// A client of the provider that asks people on their phones, over the routes of a server at which phones are real.
struct AskingClient: Sendable {
    static let name = "web-1"
    static let secret = "secret-1"

    /// What an endpoint answered.
    struct Answer: Sendable {
        let status: Int
        /// Empty for what is no JSON object.
        let json: OstiaryTokens.JSONObject

        var error: String? { json["error"]?.string }
    }

    /// What it was given to ask by, and to show.
    struct Begun: Sendable {
        let requestID: String
        let number: String

        /// Another number of three digits.
        func other(by step: Int = 1) throws -> String { String(100 + (try #require(Int(number)) - 100 + step) % 900) }
    }

    let client: any TestClientProtocol

    /// - Parameters:
    ///   - servers: at whose first virtual server it is registered.
    ///   - ping: where it is told; nil for one that polls.
    init(at servers: ServersFixture, ping: String? = nil) async throws {
        client = servers.phones
        var application = OAuthProvider.Application(
            id: try #require(ClientID(Self.name)), server: servers.server, kind: .web, name: "Reports", authentication: .post)
        application.secrets = [ClientSecret(hash: ClientSecret.hash(of: Self.secret), expiresAt: nil)]
        application.grantTypes = [.backchannel, .refreshToken]
        application.backchannel = ping.map { .ping($0) } ?? .poll
        let saved = application
        try await SQLOAuthStore(database: servers.database, key: .random()).write { rows in try rows.save(saved) }
    }

    /// The same at another node.
    init(through client: any TestClientProtocol) { self.client = client }

    typealias Form = KeyValuePairs<String, String?>

    func post(_ path: String, _ form: Form) async throws -> Answer {
        let own: Form = ["client_id": Self.name, "client_secret": Self.secret]
        let body = [OAuthClient.encoded(own), OAuthClient.encoded(form)].joined(separator: "&")
        return try await client.execute(
            uri: path, method: .post, headers: [.contentType: OAuthClient.formType], body: ByteBuffer(string: body)
        ) { answer in
            Answer(
                status: answer.status.code, json: (try? JSONReader.object(Array(buffer: answer.body))) ?? OstiaryTokens.JSONObject())
        }
    }

    /// Asks Alice.
    func ask(_ scope: String = "openid", for seconds: Int? = nil, told token: String? = nil) async throws -> Begun {
        let answer = try await post(
            "/oauth/bc-authorize",
            [
                "login_hint": "alice", "scope": scope, "binding_message": "W4-12", "requested_expiry": seconds.map { String($0) },
                "client_notification_token": token,
            ])
        try #require(answer.status == 200)
        return Begun(
            requestID: try #require(answer.json["auth_req_id"]?.string), number: try #require(answer.json["number"]?.string))
    }

    func poll(_ begun: Begun) async throws -> Answer {
        try await post("/oauth/token", ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": begun.requestID])
    }

    func refresh(_ token: String) async throws -> Answer {
        try await post("/oauth/token", ["grant_type": "refresh_token", "refresh_token": token])
    }

    func isActive(_ token: String) async throws -> Bool {
        try await post("/oauth/introspect", ["token": token]).json["active"] == .bool(true)
    }
}

/// What a phone does with logins that wait for it.
extension EnrolledPhone {
    /// Fetch → Waiting.
    func fetch(by other: AccountID? = nil) async throws -> [WaitingLogin] {
        let answer = try await phone.sendFresh(Fetch(accountID: other ?? account))
        guard answer.status == .ok else { throw answer.status }
        return try Waiting(decoding: answer.body).logins
    }

    /// Fetches what waits and has the last of it shown.
    func showWaiting() async throws -> ShownLogin {
        try await scan(try #require(try await fetch().last).link, via: .push)
    }
}

extension ShownLogin {
    /// An attempt whose PIN was right: it can go with any number.
    func proved() async throws -> TestAttempt {
        let attempt = try attempt()
        let evaluated = try await owner.phone.evaluate(attempt)
        guard evaluated.status == .ok else { throw evaluated.status }
        return attempt
    }

    /// L5 with a number.
    func accepting(_ attempt: TestAttempt, number: String) throws -> Encoded<L5> {
        var choice = RawPhone.Choice(method: .pin, attempt: attempt.id, secondFactorSignature: try owner.phone.prove(attempt))
        choice.number = number
        return try owner.phone.raw.deciding(shown, by: owner.account, choice)
    }

    /// M1 to L6 with a number.
    @discardableResult
    func logIn(number: String) async throws -> L6 { try await send(try accepting(try await proved(), number: number)) }
}
