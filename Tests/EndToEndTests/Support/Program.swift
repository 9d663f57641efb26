import Foundation
import Synchronization
import Testing

@testable import OstiaryPhone

/// One run of a program of ours, with everything that it writes. It is killed when nobody holds it any more.
final class Program: Sendable {
    private let process: SpawnedProcess
    /// Our end of its standard input; nil when that is closed or a terminal.
    private let input: Mutex<Int32?>
    private let written: OutputPipe
    private let complained: OutputPipe
    private let name: String

    /// Starts the built `ostiary`, or what a test puts before it.
    /// - Parameters:
    ///   - terminal: its standard input; a pipe of ours by default.
    ///   - executable: what is started with the arguments.
    ///   - shell: what a shell does before it becomes the program, which it ends in: `exec "$0" "$@"`.
    init(
        _ arguments: [String], environment: [String: String] = [:], terminal: FileHandle? = nil, executable: String = Binary.url.path,
        shell: String? = nil
    ) throws {
        name = arguments.joined(separator: " ")
        let program = shell == nil ? executable : "/bin/sh"
        let words = shell.map { ["-c", $0, executable] + arguments } ?? arguments
        (written, complained) = (try OutputPipe(), try OutputPipe())
        let ends = try PipeEnds()
        process = try SpawnedProcess(
            program, words, environment: Binary.environment.merging(environment) { _, theirs in theirs },
            input: terminal?.fileDescriptor ?? ends.reading, output: written.writingEnd, errors: complained.writingEnd)
        input = Mutex(ends.writing)
        close(ends.reading)
        written.closeWritingEnd()
        complained.closeWritingEnd()
    }

    deinit { closeInput() }

    var id: Int32 { process.id }
    var isRunning: Bool { process.isRunning }
    /// Nil while it runs.
    var exitCode: Int32? { process.exitCode }
    var output: String { written.text }
    var complaints: String { complained.text }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
    /// What standard error says, line by line.
    var complaintLines: [String] { complaints.split(separator: "\n").map(String.init) }

    func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        let count = input.withLock { input in input.map { write($0, bytes, bytes.count) } }
        guard count == bytes.count else { throw Timeout(description: "\(name) reads no more") }
    }

    func closeInput() {
        input.withLock { input in
            if let input { close(input) }
            input = nil
        }
    }

    func signal(_ number: Int32) { process.send(number) }

    /// Waits for the end, and for all that it wrote.
    /// - Returns: the exit code; 128 + n when signal n ended it.
    @discardableResult
    func end(within patience: Duration = .aHang) async throws -> Int32 {
        guard let code = await process.wait(for: patience) else {
            throw Timeout(description: "\(name) does not end; so far: \(output) \(complaints)")
        }
        await written.end()
        await complained.end()
        return code
    }
}

extension Duration {
    /// After which what a process does is taken for a hang: more than any machine is busy for that does something else beside these tests.
    static let aHang: Duration = .seconds(300)
}

/// A test of ours waited in vain.
struct Timeout: Error, CustomStringConvertible {
    let description: String
}

/// Waits until something is true; the processes of these tests have no other way to tell.
func eventually(
    _ what: @autoclosure () -> String, within patience: Duration = .aHang, _ condition: @Sendable () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw Timeout(description: "in vain: \(what())") }
        try await Task.sleep(for: .milliseconds(15))
    }
}
