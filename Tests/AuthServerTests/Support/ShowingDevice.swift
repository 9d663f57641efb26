import Authentication
import Database
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// A device without a browser, which shows a code (RFC 8628), over the routes of a server at which phones are real.
struct ShowingDevice: Sendable {
    static let name = "tv-1"

    /// What it was given to ask by, and to show.
    struct Begun: Sendable {
        let deviceCode: String
        let userCode: String
        /// `verification_uri_complete`, which it shows as a QR code.
        let uri: String

        /// Of a code that nobody waits with, unless by chance of one in 25 billion.
        var wrong: String { String(uri.dropLast(9)) + (userCode == "BBBB-BBBB" ? "CCCC-CCCC" : "BBBB-BBBB") }
    }

    private let client: any TestClientProtocol

    /// - Parameter servers: at whose first virtual server it is registered, without a secret.
    init(at servers: ServersFixture) async throws {
        client = servers.phones
        try await Self.change(at: servers) { _ in }
    }

    /// Lends out a server with an enrolled phone, and a device.
    static func run(_ body: @Sendable @escaping (ServersFixture, EnrolledPhone, ShowingDevice) async throws -> Void) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await body(servers, phone, try await ShowingDevice(at: servers))
        }
    }

    /// What an operator has of it.
    private static func application(at servers: ServersFixture) throws -> OAuthProvider.Application {
        var application = OAuthProvider.Application(
            id: try #require(ClientID(name)), server: servers.server, kind: .native, name: "Television", authentication: .none)
        application.grantTypes = [.deviceCode, .refreshToken]
        return application
    }

    /// Has the operator write it otherwise.
    static func change(at servers: ServersFixture, _ change: (inout OAuthProvider.Application) -> Void) async throws {
        var application = try Self.application(at: servers)
        change(&application)
        let registry = RegistryService(store: SQLOAuthStore(database: servers.database, key: .random()), random: SystemRandomSource())
        _ = try await registry.apply(RegistryDocument(applications: [application]), at: servers.server, by: .operator, now: servers.now)
    }

    private func post(_ path: String, _ form: OAuthClient.Form) async throws -> AskingClient.Answer {
        let body = [OAuthClient.encoded(["client_id": Self.name]), OAuthClient.encoded(form)].joined(separator: "&")
        return try await client.execute(
            uri: path, method: .post, headers: [.contentType: OAuthClient.formType], body: ByteBuffer(string: body)
        ) { answer in
            AskingClient.Answer(
                status: answer.status.code, json: (try? JSONReader.object(Array(buffer: answer.body))) ?? OstiaryTokens.JSONObject())
        }
    }

    func begin(_ scope: String = "openid profile") async throws -> Begun {
        let answer = try await post("/oauth/device/code", ["scope": scope])
        try #require(answer.status == 200)
        return Begun(
            deviceCode: try #require(answer.json["device_code"]?.string), userCode: try #require(answer.json["user_code"]?.string),
            uri: try #require(answer.json["verification_uri_complete"]?.string))
    }

    func poll(_ begun: Begun) async throws -> AskingClient.Answer {
        try await post("/oauth/token", ["grant_type": GrantType.deviceCode.rawValue, "device_code": begun.deviceCode])
    }

    /// What somebody types on the page.
    func type(_ code: String) async throws -> HTTPResponse.Status {
        let headers: HTTPFields = [.contentType: "application/json", .origin: ServersFixture.origin]
        return try await client.execute(
            uri: "/device/code", method: .post, headers: headers, body: ByteBuffer(string: #"{"code":"\#(code)"}"#)
        ) { $0.status }
    }
}

extension AskingClient.Answer {
    /// What the ID token says of the login, unverified.
    var login: OstiaryTokens.JSONObject {
        let parts = json["id_token"]?.string?.split(separator: ".") ?? []
        guard parts.count == 3, let claims = Base64URL.decode(parts[1]) else { return OstiaryTokens.JSONObject() }
        return (try? JSONReader.object(claims)) ?? OstiaryTokens.JSONObject()
    }
}

extension EnrolledPhone {
    /// Verification → Waiting, of which it takes the link.
    func bring(_ uri: String, by other: AccountID? = nil) async throws -> WaitingLogin {
        let answer = try await phone.sendFresh(Verification(accountID: other ?? account, uri: uri))
        guard answer.status == .ok else { throw answer.status }
        let logins = try Waiting(decoding: answer.body).logins
        try #require(logins.count == 1)
        return logins[0]
    }

    /// Brings what a device shows, and has the login about it shown.
    func show(_ begun: ShowingDevice.Begun) async throws -> ShownLogin { try await scan(try await bring(begun.uri).link, via: .link) }
}

extension ShownLogin {
    /// L7: the phone does not go on.
    func giveUp() async throws { try await tell(.gaveUp) }

    /// L7: what the phone is at.
    func tell(_ state: PhoneState, until: Instant = Instant(0)) async throws {
        let message = L7(sessionID: screen.sessionID, accountID: owner.account, state: state, until: until, offer: screen.offer)
        let answer = try await owner.phone.send(try owner.phone.raw.sign(message).bytes, ephemeral)
        guard answer.status == .ok else { throw answer.status }
    }
}
