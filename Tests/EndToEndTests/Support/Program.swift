import Foundation
import Synchronization
import Testing

/// One run of a program of ours, with everything that it writes.
final class Program: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let written = Mutex(Data())
    private let complained = Mutex(Data())

    /// Starts the built `ostiary`.
    /// - Parameter terminal: its standard input; a pipe of ours by default.
    init(_ arguments: [String], environment: [String: String] = [:], terminal: FileHandle? = nil) throws {
        process.executableURL = Binary.url
        process.arguments = arguments
        process.environment = Binary.environment.merging(environment) { _, theirs in theirs }
        let (output, complaints) = (Pipe(), Pipe())
        process.standardInput = terminal ?? input
        process.standardOutput = output
        process.standardError = complaints
        Self.collect(output) { data in self.written.withLock { $0 += data } }
        Self.collect(complaints) { data in self.complained.withLock { $0 += data } }
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    private static func collect(_ pipe: Pipe, _ take: @Sendable @escaping (Data) -> Void) {
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil } else { take(data) }
        }
    }

    var id: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var output: String { written.withLock { String(decoding: $0, as: UTF8.self) } }
    var complaints: String { complained.withLock { String(decoding: $0, as: UTF8.self) } }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
    /// What standard error says, line by line.
    var complaintLines: [String] { complaints.split(separator: "\n").map(String.init) }

    func type(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }
    func closeInput() { try? input.fileHandleForWriting.close() }
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end.
    /// - Returns: the exit code.
    @discardableResult
    func end(within patience: Duration = .seconds(30)) async throws -> Int32 {
        try await eventually("\(process.arguments?.joined(separator: " ") ?? "") ends; so far: \(output) \(complaints)", within: patience) {
            !self.process.isRunning
        }
        // The pipes may still hold what was written last.
        try await Task.sleep(for: .milliseconds(30))
        return process.terminationStatus
    }
}

/// A test of ours waited in vain.
struct Timeout: Error, CustomStringConvertible {
    let description: String
}

/// Waits until something is true; the processes of these tests have no other way to tell.
func eventually(
    _ what: @autoclosure () -> String, within patience: Duration = .seconds(20), _ condition: @Sendable () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw Timeout(description: "in vain: \(what())") }
        try await Task.sleep(for: .milliseconds(15))
    }
}
