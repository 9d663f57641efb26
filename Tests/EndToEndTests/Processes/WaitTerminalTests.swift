import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// `ostiary phone wait` with a person at a terminal.
@Suite("A person at a terminal, for whom a login waits", .serialized)
struct WaitTerminalTests {
    private static let question = "Which number is shown where this was begun? [three digits/N/not me] "

    /// Alice's phone, a client that asks for her, and her terminal.
    private struct Site {
        let pair: ProcessesFixture
        let till: Till
        let terminal: PseudoTerminal

        init() async throws {
            pair = try await ProcessesFixture.running()
            let backend = try await pair.backend()
            try await Person(backend, pair.phone()).enrol(in: pair.folder)
            till = try await Till(at: pair, backend)
            terminal = try PseudoTerminal()
        }

        func wait() throws -> Program { try Program(["phone", "--home", pair.folder.file("phone"), "wait"], terminal: terminal.handle) }

        /// Types once the number was asked for so many times.
        func answer(_ program: Program, question times: Int, with keys: String) async throws {
            try await eventually("question \(times): \(program.output) \(program.complaints)") {
                program.complaints.components(separatedBy: WaitTerminalTests.question).count == times + 1
            }
            terminal.type(keys)
        }

        func typePIN(_ program: Program) async throws {
            try await eventually("the PIN is asked: \(program.complaints)") { program.complaints.contains("PIN: ") && !terminal.echoes }
            terminal.type(Person.pin + "\n")
        }
    }

    @Test("The number is asked for below who asks and why; a wrong one is said and asked for again without the PIN, and the right one logs in")
    func numbers() async throws {
        let site = try await Site()
        let begun = try await site.till.ask("W4-12")
        let program = try site.wait()
        try await site.answer(program, question: 1, with: "y\n")
        try await site.answer(program, question: 2, with: "41\n")
        try await site.answer(program, question: 3, with: try begun.other() + "\n")
        try await site.typePIN(program)
        try await site.answer(program, question: 4, with: begun.number + "\n")
        #expect(try await program.end() == 0, "\(program.output) \(program.complaints)")
        #expect(program.output.contains("Log in to Till") && program.output.contains("W4-12"), "\(program.output)")
        #expect(program.output.components(separatedBy: "that is another number than the one").count == 2, "\(program.output)")
        #expect(program.output.contains("\u{2713} logged in"), "\(program.output)")
        #expect(program.complaints.components(separatedBy: "PIN: ").count == 2, "the PIN is typed once: \(program.complaints)")
        #expect(!program.output.contains(begun.number), "no number is shown")
        #expect(site.terminal.echoes)
        #expect(try await site.till.poll(begun) == nil)
        try await site.pair.stop()
    }

    @Test("3: the third wrong number ends the login, for the client as a no")
    func thirdWrong() async throws {
        let site = try await Site()
        let begun = try await site.till.ask()
        let program = try site.wait()
        try await site.answer(program, question: 1, with: try begun.other(by: 1) + "\n")
        try await site.typePIN(program)
        for step in 2...3 { try await site.answer(program, question: step, with: try begun.other(by: step) + "\n") }
        #expect(try await program.end() == 3, "\(program.output) \(program.complaints)")
        #expect(try await site.till.poll(begun) == "access_denied")
        #expect(site.terminal.echoes)
        try await site.pair.stop()
    }

    @Test("2: Enter and “not me” are a no, which the client hears, and no PIN is asked", arguments: ["\n", "not me\n"])
    func says(no: String) async throws {
        let site = try await Site()
        let begun = try await site.till.ask()
        let program = try site.wait()
        try await site.answer(program, question: 1, with: no)
        #expect(try await program.end() == 2, "\(program.output) \(program.complaints)")
        #expect(program.output.contains("over (denied)") && !program.complaints.contains("PIN: "), "\(program.output) \(program.complaints)")
        #expect(try await site.till.poll(begun) == "access_denied")
        try await site.pair.stop()
    }

    @Test("2: Ctrl-C leaves the login where it was: the next command asks for it again, and its yes counts; after that none waits")
    func interrupted() async throws {
        let site = try await Site()
        let begun = try await site.till.ask()
        let left = try site.wait()
        try await site.answer(left, question: 1, with: "4\u{3}")
        #expect(try await left.end() == 2, "\(left.output) \(left.complaints)")
        #expect(left.output.contains("over (cancelled)") && site.terminal.echoes, "\(left.output)")

        let again = try site.wait()
        try await site.answer(again, question: 1, with: begun.number + "\n")
        try await site.typePIN(again)
        #expect(try await again.end() == 0, "\(again.output) \(again.complaints)")
        #expect(try await site.till.poll(begun) == nil)

        let idle = try site.wait()
        #expect(try await idle.end() == 0, "\(idle.output) \(idle.complaints)")
        #expect(idle.lines == ["no login waits for this phone"] && idle.complaints.isEmpty, "\(idle.output) \(idle.complaints)")
        #expect(site.terminal.echoes)
        try await site.pair.stop()
    }
}
