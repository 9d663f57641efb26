import Foundation
import Testing

@testable import OstiaryPhone

/// A backend that asks one of the nodes: three who ask three nodes at once is what a balancer that remembers nobody makes of one backend.
struct NodeCaller: Sendable {
    let name: String
    private let client: ManagementClient
    private let serverID: String

    init(_ number: Int, at node: NodesFixture.Node, _ fixture: NodesFixture, serverID: String) {
        name = "backend \(number) at \(node.name)"
        client = ManagementClient(origin: node.adminURL, apiKey: fixture.layout.rootAPIKey)
        self.serverID = serverID
    }

    private func path(_ rest: String) -> String { "/servers/\(serverID)/sessions/\(rest)" }

    /// Whether somebody is logged in, and who.
    func status(of nonce: String) async throws -> DemoBackend.Status {
        let answer = try await client.call("GET", path(""), nonce: nonce)
        return try client.decode(DemoBackend.Status.self, from: answer)
    }

    /// Has a code drawn by which somebody can log in.
    func drawCode(_ nonce: String) async throws { _ = try await client.call("GET", path("qr/login"), nonce: nonce) }

    /// Has a code drawn by which somebody can enrol.
    /// - Parameter user: what the backend calls that person.
    func enrolCode(_ nonce: String, user: String) async throws -> [UInt8] {
        Array(try await client.call("GET", path("qr/enrol?name=\(user)&userid=\(user)"), nonce: nonce))
    }

    /// Passes on the code that the phone shows and the person typed.
    func confirm(_ nonce: String, code: String) async throws {
        _ = try await client.call("POST", path("enrol/confirm"), nonce: nonce, json: ["code": code])
    }

    func logOut(_ nonce: String) async throws { _ = try await client.call("POST", path("logout"), nonce: nonce) }

    /// Hands in what a phone without a network showed.
    /// - Returns: whether it was good. What the node could not say is thrown.
    func redeem(_ code: String, for nonce: String) async throws -> Bool {
        do {
            let answer = try await client.call("POST", path("otp"), nonce: nonce, json: ["otp": code])
            return try client.decode(DemoBackend.Status.self, from: answer).loggedin
        } catch DemoError.unexpectedAnswer(_, let status) where [403, 409, 429].contains(status) { return false }
    }

    /// Hands in the code that a browser came back with.
    /// - Parameter nonce: of that browser's cookie.
    /// - Returns: whether it is logged in now. What the node could not say is thrown.
    func handIn(_ code: String, for nonce: String) async throws -> Bool {
        do {
            let answer = try await client.call("POST", path("return"), nonce: nonce, json: ["returncode": code])
            return try client.decode(DemoBackend.Status.self, from: answer).loggedin
        } catch DemoError.unexpectedAnswer(_, 403) { return false }
    }
}
