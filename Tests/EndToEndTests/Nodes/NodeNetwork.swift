import Foundation
import Synchronization

/// Machines of a test, each with a network of its own, which the kernel joins and cuts (`scripts/node_networks.py`). All of it goes with this value, and with
/// the test however that ends.
final class NodeNetwork: Sendable {
    struct Machine: Sendable {
        let address: String
        /// What a shell does to start a program there: see ``Program``.
        let shell: String
    }

    /// Whether this process may make networks.
    static var isPossible: Bool { found.way != nil }
    /// Why it may not, for a line of the test; empty where it may.
    static var objection: String { found.objection }

    /// As whoever starts it may, and as one's own root, in a user namespace.
    private static let ways = [[], ["unshare", "--user", "--map-root-user"]]
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../scripts/node_networks.py").standardizedFileURL.path

    private static let found: (way: [String]?, objection: String) = {
        var objection = ""
        for way in ways {
            guard let program = try? start(way, ["one", "other"]) else { continue }
            while program.isRunning, !isReady(program) { usleep(5_000) }
            if program.isRunning { return (way, "") }
            usleep(50_000)
            objection = program.complaintLines.last ?? "it ended with \(program.exitCode ?? 0)"
        }
        return (nil, objection)
    }()

    private let program: Program
    private let machines: [String: Machine]
    private let told = Mutex(0)

    /// - Parameter names: of the machines.
    init(_ names: [String]) async throws {
        guard let way = Self.found.way else { throw Timeout(description: "no networks: \(Self.objection)") }
        let program = try Self.start(way, names)
        try await eventually("networks are made: \(program.complaints)") { !program.isRunning || Self.isReady(program) }
        guard program.isRunning else { throw Timeout(description: "no networks: \(program.complaints)") }
        var machines: [String: Machine] = [:]
        for line in program.lines {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 4, words[0] == "member" else { continue }
            let shell = Self.shell(into: words[3], isOwnRoot: !way.isEmpty)
            machines[words[1]] = Machine(address: words[2], shell: shell)
        }
        (self.program, self.machines) = (program, machines)
    }

    private static func start(_ way: [String], _ names: [String]) throws -> Program {
        try Program(way + ["python3", script] + names, executable: "/usr/bin/env")
    }

    private static func isReady(_ program: Program) -> Bool { program.lines.contains("ready") }

    private static func shell(into place: String, isOwnRoot: Bool) -> String {
        let process = place.split(separator: "/").dropFirst().first ?? ""
        let user = isOwnRoot ? "--user=/proc/\(process)/ns/user --preserve-credentials " : ""
        return "exec nsenter \(user)--net=\(place) \"$0\" \"$@\""
    }

    func machine(_ name: String) throws -> Machine {
        guard let machine = machines[name] else { throw Timeout(description: "no machine \(name)") }
        return machine
    }

    /// Has something done: one call after the other.
    func tell(_ command: String) async throws {
        let answer = try await reply(to: command)
        guard answer == "ok" else { throw Timeout(description: "“\(command)”: \(answer)") }
    }

    private func reply(to command: String) async throws -> String {
        let number = told.withLock { told in
            told += 1
            return told
        }
        try program.type(command + "\n")
        try await eventually("the networks answer to “\(command)”: \(program.complaints)") { self.answers.count >= number }
        return answers[number - 1]
    }

    private var answers: [String] { program.lines.filter { $0 == "ok" || $0.hasPrefix("no:") } }

    /// Passes connections on.
    /// - Parameters:
    ///   - place: where they come: a port of the machine, or the path of a Unix socket.
    ///   - target: where they go to from that machine, likewise or `ADDRESS:PORT`.
    func lead(_ machine: String, from place: String, to target: String) async throws { try await tell("lead \(machine) \(place) \(target)") }

    /// Whether what one of them sends arrives at the other, whatever becomes of what that says.
    func reaches(_ one: String, _ other: String) async throws -> Bool {
        let command = "reach \(one) \(other)"
        switch try await reply(to: command) {
        case "ok": return true
        case "no: lost": return false
        case let answer: throw Timeout(description: "“\(command)”: \(answer)")
        }
    }

    /// From now on what one of them sends to the other gets lost, or no longer.
    func lose(_ isLost: Bool, _ one: String, to other: String) async throws { try await tell("\(isLost ? "lose" : "keep") \(one) \(other)") }
}
