import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// `ostiary phone` with a person at a terminal instead of a script.
@Suite("A person at a terminal", .serialized)
struct TerminalTests {
    @Test("S4-45, S4-71 the PIN is typed twice without echo and compared; the terminal is put right, also by a signal while it is asked")
    func typesPIN() async throws {
        let pair = try await ProcessesFixture.running()
        let backend = try await pair.backend()
        let nonce = ManagementClient.newNonce()
        let file = try pair.folder.write(try await backend.enrolCode(nonce, name: "Alice", user: "alice", asPNG: true), to: "enrol.png")
        let terminal = try PseudoTerminal()
        #expect(terminal.echoes)

        let enrolment = try Program(["phone", "--home", pair.folder.file("phone"), "enrol", file], terminal: terminal.handle)
        try await eventually("a question: \(enrolment.complaints)") { enrolment.complaints.contains("[y/N") }
        terminal.type("y\n")
        for (prompts, line) in zip(1..., ["", "2749162749162", "274916", "274917", "274916", "274916"]) {
            try await eventually("prompt \(prompts): \(enrolment.complaints)") {
                enrolment.complaints.components(separatedBy: "PIN: ").count + enrolment.complaints.components(separatedBy: "again: ").count - 2
                    == prompts
                    && !terminal.echoes
            }
            terminal.type(line + "\n")
        }
        #expect(enrolment.complaints.contains("the two differ"))
        #expect(enrolment.complaints.components(separatedBy: "a PIN has 5 to 12 digits").count == 3, "told before it is typed again")
        #expect(!enrolment.complaints.contains("easy to guess"))
        try await eventually("the code: \(enrolment.output)") { Self.code(in: enrolment.output) != nil }
        try await backend.confirm(nonce, code: try #require(Self.code(in: enrolment.output)))
        #expect(try await enrolment.end() == 0, "\(enrolment.output) \(enrolment.complaints)")
        #expect(terminal.echoes)
        #expect(!(enrolment.output + enrolment.complaints).contains("27491"))

        let code = try await Person(backend, pair.phone()).loginCode(ManagementClient.newNonce(), in: pair.folder)
        let login = try Program(["phone", "--home", pair.folder.file("phone"), "-y", "login", code], terminal: terminal.handle)
        try await eventually("the PIN is asked: \(login.complaints)") { login.complaints.contains("PIN: ") && !terminal.echoes }
        login.signal(SIGTERM)
        #expect(try await login.end() == 128 + SIGTERM)
        #expect(terminal.echoes)
        try await pair.stop()
    }

    @Test("2: Ctrl-C at a question is an answer: the login or enrolment is cancelled, which its page hears, and the terminal is put right")
    func interruptsQuestions() async throws {
        let pair = try await ProcessesFixture.running()
        let backend = try await pair.backend()
        let terminal = try PseudoTerminal()
        let nonce = ManagementClient.newNonce()
        let file = try pair.folder.write(try await backend.enrolCode(nonce, name: "Alice", user: "alice", asPNG: true), to: "enrol.png")
        let enrolment = try Program(["phone", "--home", pair.folder.file("phone"), "enrol", file], terminal: terminal.handle)
        try await eventually("a question: \(enrolment.complaints)") { enrolment.complaints.contains("Enrol this phone? [y/N") }
        terminal.type("\u{3}")
        #expect(try await enrolment.end() == 2, "\(enrolment.output) \(enrolment.complaints)")
        #expect(enrolment.output.contains("over (cancelled)"))

        let person = Person(backend, pair.phone())
        try await person.enrol(in: pair.folder)
        let code = try await person.loginCode(ManagementClient.newNonce(), in: pair.folder)
        let login = try Program(["phone", "--home", pair.folder.file("phone"), "login", code], terminal: terminal.handle)
        try await eventually("a question: \(login.complaints)") { login.complaints.contains("Is that you? [y/N") }
        terminal.type("ye\u{3}")
        #expect(try await login.end() == 2, "\(login.output) \(login.complaints)")
        #expect(login.output.contains("over (cancelled)"))
        #expect(terminal.echoes)
        try await pair.stop()
    }

    private static func code(in output: String) -> String? {
        output.firstMatch(of: /Type this code into the page:\s+([0-9A-Z]{4})\n/).map { String($0.1) }
    }
}
