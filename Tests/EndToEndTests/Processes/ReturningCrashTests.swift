import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// The server is killed while a login waits for its browser to come back with the code. Its data are on either engine.
@Suite("kill -9 while a login is returning", .serialized)
struct ReturningCrashTests {
    /// A page login that a phone has confirmed.
    private struct Returning: Sendable {
        let pair: ProcessesFixture
        let backend: DemoBackend
        let nonce: String
        let code: String
        let phone: Program

        func restart() async throws {
            try await pair.authentication.kill()
            try pair.authentication.start()
            try await pair.waitUntilReady()
        }

        func end() async throws {
            phone.signal(SIGKILL)
            try await pair.stop()
        }
    }

    private func returning(on engine: DatabaseEngine) async throws -> Returning {
        let pair = try await ProcessesFixture.running(on: engine)
        let backend = try await pair.backend()
        let person = Person(backend, pair.phone())
        try await person.enrol(in: pair.folder)
        let nonce = ManagementClient.newNonce()
        let browser = PersonsBrowser()
        try await browser.openPage(try await backend.page(nonce, ["kind": "login", "returnurl": pair.layout.siteURL + "/welcome"]))
        let picture = try pair.folder.write(try await browser.screenshot(), to: "code.png")
        let phone = try person.phone.start(["login", picture], pins: [person.pin])
        try await eventually("the page goes back: \(phone.output) \(phone.complaints)") {
            try await browser.shown()["state"] == .string("returning")
        }
        let address = try #require(try await browser.shown()["returnurl"]?.string)
        let code = try #require(address.components(separatedBy: "returncode=").last?.components(separatedBy: "&").first)
        return Returning(pair: pair, backend: backend, nonce: nonce, code: code, phone: phone)
    }

    private func handIn(_ count: Int, _ login: Returning) async throws -> [Bool] {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count { group.addTask { try await login.backend.handIn(login.nonce, code: login.code) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(
        "The code still logs in, once: whoever loads the address again sees the same, nobody else gets anything, and a second kill loses nothing",
        arguments: DatabaseEngine.allCases)
    func redeemedOnce(on engine: DatabaseEngine) async throws {
        let login = try await returning(on: engine)
        try await login.restart()
        #expect(try await !login.backend.session(login.nonce).loggedin)
        #expect(try await handIn(16, login) == Array(repeating: true, count: 16))
        #expect(try await login.phone.end() == 0)
        #expect(try login.phone.lines.map { try JSONLine($0) }.count { $0.event == "sessionLogin" } == 1)
        try await login.restart()
        #expect(try await login.backend.session(login.nonce).loggedin)
        #expect(try await !login.backend.handIn(ManagementClient.newNonce(), code: login.code))
        #expect(try await login.backend.session(login.nonce).loggedin)
        try await login.end()
    }

    @Test(
        "Another browser's hand-in after the restart spends the code: the right one is too late then, a second kill notwithstanding",
        arguments: DatabaseEngine.allCases)
    func spentByAnother(on engine: DatabaseEngine) async throws {
        let login = try await returning(on: engine)
        try await login.restart()
        #expect(try await !login.backend.handIn(ManagementClient.newNonce(), code: login.code))
        try await login.restart()
        #expect(try await !login.backend.handIn(login.nonce, code: login.code))
        #expect(try await !login.backend.session(login.nonce).loggedin)
        #expect(try await login.phone.end() == 5)
        try await login.end()
    }

    @Test(
        "Killed in the middle of the hand-in: whatever the browser heard, it loads the address again and is logged in",
        arguments: [0, 3, 9], DatabaseEngine.allCases)
    func middle(_ delay: Int, on engine: DatabaseEngine) async throws {
        let login = try await returning(on: engine)
        let first = Task { try? await login.backend.handIn(login.nonce, code: login.code) }
        // Somewhere before, in or after the commit.
        for _ in 0..<delay { await Task.yield() }
        try await login.pair.authentication.kill()
        let heard = await first.value
        try login.pair.authentication.start()
        try await login.pair.waitUntilReady()
        #expect(heard != false, "an answer that there was said no")
        if heard == true { #expect(try await login.backend.session(login.nonce).loggedin) }
        #expect(try await login.backend.handIn(login.nonce, code: login.code))
        #expect(try await login.backend.session(login.nonce).loggedin)
        try await login.end()
    }
}
