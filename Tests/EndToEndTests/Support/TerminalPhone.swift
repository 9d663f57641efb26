import Foundation
import Testing

/// `ostiary phone` in the hands of a script, with a home of its own or a shared one.
struct TerminalPhone: Sendable {
    let home: String

    /// What came of one command.
    struct Outcome: Sendable {
        let code: Int32
        let events: [JSONLine]
        let complaints: String

        func event(_ name: String) -> JSONLine? { events.first { $0.event == name } }
        var last: JSONLine? { events.last }
        var secondFactors: [JSONLine] { events.filter { $0.event == "secondFactor" } }
    }

    /// Starts a command and gives it all its PINs at once.
    func start(_ arguments: [String], pins: [String] = [], closingInput: Bool = true) throws -> Program {
        let program = try Program(["phone", "--home", home, "--json", "--yes", "--pin-stdin"] + arguments)
        if !pins.isEmpty { try program.type(pins.map { $0 + "\n" }.joined()) }
        if closingInput { program.closeInput() }
        return program
    }

    /// Runs a command to its end.
    func run(_ arguments: [String], pins: [String] = []) async throws -> Outcome {
        let program = try start(arguments, pins: pins)
        return try await Self.outcome(of: program)
    }

    static func outcome(of program: Program) async throws -> Outcome {
        let code = try await program.end()
        return Outcome(code: code, events: try program.lines.map { try JSONLine($0) }, complaints: program.complaints)
    }
}

extension Program {
    /// The first event of a name, as soon as it is there.
    func event(_ name: String, within patience: Duration = .aHang) async throws -> JSONLine {
        try await eventually("event \(name) of \(output) \(complaints)", within: patience) {
            self.isOver || self.find(name) != nil
        }
        // What it wrote last may be on its way still when it is over.
        if find(name) == nil { try await end(within: patience) }
        return try #require(find(name), "no event \(name) in \(output) \(complaints)")
    }

    private var isOver: Bool { !isRunning }

    private func find(_ name: String) -> JSONLine? {
        output.split(separator: "\n", omittingEmptySubsequences: true).compactMap { try? JSONLine($0) }.first { $0.event == name }
    }
}
