import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// A person at a site: what the backend does for them, and what they do with their terminal phone.
struct Person: Sendable {
    let backend: DemoBackend
    let phone: TerminalPhone
    let user: String
    let pin: String

    static let pin = "274916"
    static let wrongPINs = ["835062", "602851", "941738", "150973"]

    init(_ backend: DemoBackend, _ phone: TerminalPhone, user: String = "alice", pin: String = Person.pin) {
        self.backend = backend
        self.phone = phone
        self.user = user
        self.pin = pin
    }

    /// Enrols with the PNG of the enrol code, types the confirmation code into the page.
    /// - Returns: the events, and the nonce that activation logged in.
    @discardableResult
    func enrol(in folder: TemporaryFolder, phone other: TerminalPhone? = nil) async throws -> (outcome: TerminalPhone.Outcome, nonce: String) {
        let phone = other ?? phone
        let nonce = ManagementClient.newNonce()
        let png = try await backend.enrolCode(nonce, name: user.capitalized, user: user, asPNG: true)
        let file = try folder.write(png, to: "enrol-\(nonce.prefix(8)).png")
        let program = try phone.start(["enrol", file], pins: [pin])
        let shown = try await program.event("enrolConfirmation")
        try await backend.confirm(nonce, code: try #require(shown["code"]?.string))
        return (try await TerminalPhone.outcome(of: program), nonce)
    }

    /// Logs a new session in with the bytes of its static code.
    @discardableResult
    func logIn(_ options: [String] = [], pins: [String]? = nil, in folder: TemporaryFolder) async throws -> (
        outcome: TerminalPhone.Outcome, nonce: String
    ) {
        let nonce = ManagementClient.newNonce()
        let file = try await loginCode(nonce, in: folder)
        return (try await phone.run(["login", file] + options, pins: pins ?? [pin]), nonce)
    }

    /// A file with the raw bytes of a session's login code.
    func loginCode(_ nonce: String, in folder: TemporaryFolder) async throws -> String {
        try folder.write(try await backend.loginCode(nonce, asPNG: false), to: "login-\(nonce.prefix(8)).bin")
    }
}
