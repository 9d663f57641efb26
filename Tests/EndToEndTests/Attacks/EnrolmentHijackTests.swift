import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Attack 12 of the threat model. That a link older than ten minutes is refused is shown with a moved clock, in process.
@Suite("Enrolment hijack", .serialized)
struct EnrolmentHijackTests {
    @Test(
        "Attack 12: the second phone that scans is refused, the first cannot log in before the code is typed, three wrong codes remove it",
        arguments: DatabaseEngine.allCases)
    func hijack(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let backend = try await pair.backend()
        let nonce = ManagementClient.newNonce()
        let code = try pair.folder.write(try await backend.enrolCode(nonce, name: "Alice", user: "alice", asPNG: true), to: "enrol.png")
        let thief = pair.phone("thief")
        let waiting = try thief.start(["enrol", code], pins: [Person.pin])
        let shown = try #require(try await waiting.event("enrolConfirmation")["code"]?.string)

        let late = try await pair.phone("late").run(["enrol", code], pins: [Person.pin])
        #expect(late.code == 5)
        #expect(late.last?["code"] == .number(41))

        let early = try await Person(backend, thief).logIn(in: pair.folder)
        #expect(early.outcome.code == 1)
        #expect(try await backend.session(early.nonce).loggedin == false)

        let wrong = ["0000", "1111", "2222", "3333"].filter { $0 != shown }.prefix(3)
        for guess in wrong { _ = try? await backend.confirm(nonce, code: guess) }
        let outcome = try await TerminalPhone.outcome(of: waiting)
        #expect(outcome.code == 5, "\(outcome.events)")
        #expect(try await backend.session(nonce).loggedin == false)
        await #expect(throws: (any Error).self) { try await backend.confirm(nonce, code: shown) }
        #expect(try await thief.run(["accounts"]).events.isEmpty)
        try await pair.stop()
    }
}
