import Foundation

/// The few calls of the management interface that a website needs.
struct DemoBackend: Sendable {
    let client: ManagementClient
    /// The one virtual server, base64url.
    let serverID: String

    /// What `getSession` says.
    struct Status: Decodable, Equatable {
        let loggedin: Bool
        let userid: String?
        let accountid: String?
        let amr: [String]?
        /// Where the login stands that was begun with this nonce and is not done.
        var state: String?
        /// How phone and browser met.
        var binding: String?
        /// When it began, and until when it lasts if the phone says nothing more; in Unix seconds.
        var logintime: UInt64?
        var expiresat: UInt64?
        /// Tries before the one that logged in.
        var pinattemptsfailed: Int?
    }

    /// Connects, and asks which virtual server there is.
    init(_ layout: DemoLayout) async throws {
        struct Servers: Decodable {
            struct Server: Decodable { let serverid: String }
            let servers: [Server]
        }
        client = ManagementClient(origin: layout.adminURL, apiKey: layout.rootAPIKey)
        let servers = try client.decode(Servers.self, from: try await client.call("GET", "/servers/"))
        guard let first = servers.servers.first else { throw DemoError.stepFailed("there is no virtual server") }
        serverID = first.serverid
    }

    private func path(_ rest: String) -> String { "/servers/\(serverID)/\(rest)" }

    func session(_ nonce: String) async throws -> Status { try await spelledSession(nonce).status }

    /// The same, and the answer as it came.
    func spelledSession(_ nonce: String) async throws -> (status: Status, text: String) {
        let answer = try await client.call("GET", path("sessions/"), nonce: nonce)
        return (try client.decode(Status.self, from: answer), String(decoding: answer, as: UTF8.self))
    }

    func logOut(_ nonce: String) async throws {
        _ = try await client.call("POST", path("sessions/logout"), nonce: nonce)
    }

    /// The login code of a session: the bytes, or a picture of them.
    func loginCode(_ nonce: String, asPNG: Bool) async throws -> [UInt8] {
        Array(try await client.call("GET", path("sessions/qr/login") + (asPNG ? "?img=png" : ""), nonce: nonce))
    }

    /// The enrol code of a new account called `name` of the user `user`: the bytes, or a picture of them.
    func enrolCode(_ nonce: String, name: String, user: String, asPNG: Bool) async throws -> [UInt8] {
        let query = "?name=\(Self.escaped(name))&userid=\(Self.escaped(user))" + (asPNG ? "&img=png" : "")
        return Array(try await client.call("GET", path("sessions/qr/enrol") + query, nonce: nonce))
    }

    /// Passes on the code that the phone shows and the person typed.
    func confirm(_ nonce: String, code: String) async throws {
        _ = try await client.call("POST", path("sessions/enrol/confirm"), nonce: nonce, json: ["code": code])
    }

    /// The address of a page of the authentication server for this session, good for one browser and one minute.
    /// - Parameter fields: what the page is for, as openPage takes it.
    func page(_ nonce: String, _ fields: [String: String]) async throws -> String {
        struct Answer: Decodable { let url: String }
        return try client.decode(Answer.self, from: try await client.call("POST", path("sessions/page"), nonce: nonce, json: fields)).url
    }

    /// Hands in the code that a browser came back with, in the name of that browser's nonce.
    /// - Returns: whether somebody is logged in there now. A code that is not for this nonce is spent all the same.
    func handIn(_ nonce: String, code: String) async throws -> Bool {
        do {
            let answer = try await client.call("POST", path("sessions/return"), nonce: nonce, json: ["returncode": code])
            return try client.decode(Status.self, from: answer).loggedin
        } catch DemoError.unexpectedAnswer(_, let status) where status == 403 || status == 400 {
            return false
        }
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
