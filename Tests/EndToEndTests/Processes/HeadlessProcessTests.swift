import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Accounts without a second factor, and their upgrade, with real servers and the terminal phone, each of which is killed in the middle.
@Suite("Headless accounts, by processes", .serialized)
struct HeadlessProcessTests {
    private func call(_ backend: DemoBackend, _ rest: String, nonce: String? = nil) async throws -> [UInt8] {
        Array(try await backend.client.call("GET", "/servers/\(backend.serverID)/\(rest)", nonce: nonce))
    }

    /// Enrols a headless account on a phone, by a picture of its code.
    /// - Returns: its id.
    private func enrol(_ phone: TerminalPhone, _ backend: DemoBackend, in folder: TemporaryFolder) async throws -> String {
        let nonce = ManagementClient.newNonce()
        let png = try await call(backend, "sessions/qr/enrol?name=Scale&userid=scale&headless=true&img=png", nonce: nonce)
        let program = try phone.start(["enrol", try folder.write(png, to: "headless-\(nonce.prefix(8)).png")])
        let asked = try await program.event("confirmEnrol")
        #expect(asked["enrolInfo"]?["asksSecondFactor"] == .bool(false))
        let shown = try await program.event("enrolConfirmation")
        try await backend.confirm(nonce, code: try #require(shown["code"]?.string))
        let outcome = try await TerminalPhone.outcome(of: program)
        #expect(outcome.code == 0 && outcome.event("sessionStop")?["reason"] == .string("enrolled"), "\(outcome.events) \(outcome.complaints)")
        #expect(outcome.secondFactors.isEmpty)
        #expect(try await backend.session(nonce).loggedin == false)
        let accounts = outcome.events.compactMap { event in event["account"]?["id"]?.string }
        return try #require(accounts.last)
    }

    private func isHeadless(_ account: String, _ backend: DemoBackend) async throws -> Bool? {
        try JSONLine(String(decoding: try await call(backend, "accounts/\(account)/"), as: UTF8.self))["headless"]?.bool
    }

    @Test(
        "S0-03 it logs in nowhere; kill -9 of the server and of the phone in the middle of its upgrade leave it as it was, and it ends as a full one",
        arguments: DatabaseEngine.allCases)
    func killed(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let backend = try await pair.backend()
        try await backend.updateServer(#"{"serverFlags":["ENABLE_HEADLESS"]}"#)
        let person = Person(backend, pair.phone(), user: "scale")
        let account = try await enrol(person.phone, backend, in: pair.folder)
        let refused = try await person.logIn(in: pair.folder)
        #expect(refused.outcome.code == 1 && refused.outcome.last?["name"] == .string("noSecondFactor"), "\(refused.outcome.events)")

        let nonce = ManagementClient.newNonce()
        let code = try pair.folder.write(try await call(backend, "sessions/qr/upgrade?accountid=\(account)", nonce: nonce), to: "upgrade.bin")
        let program = try person.phone.start(["enrol", code], pins: [person.pin])
        let shown = try await program.event("enrolConfirmation")
        try await pair.authentication.kill()
        program.signal(SIGKILL)
        try await program.end()
        try pair.authentication.start()
        try await pair.waitUntilReady()
        #expect(try await isHeadless(account, backend) == true, "until the code is typed")
        let between = try await person.phone.run(["accounts"])
        #expect(between.events.map { $0["account"]?["hasSecondFactor"] } == [.bool(false)])

        try await backend.confirm(nonce, code: try #require(shown["code"]?.string))
        #expect(try await isHeadless(account, backend) == false)
        // Asks what became of it.
        _ = try await person.phone.run(["sessions"])
        let after = try await person.phone.run(["accounts"])
        #expect(after.events.map { $0["account"]?["hasSecondFactor"] } == [.bool(true)])
        #expect(after.events.map { $0["account"]?["id"] } == [.string(account)])
        let login = try await person.logIn(in: pair.folder)
        #expect(login.outcome.code == 0, "\(login.outcome.events) \(login.outcome.complaints)")
        #expect(try await backend.session(login.nonce).accountid == account)
        try await pair.stop()
    }
}
