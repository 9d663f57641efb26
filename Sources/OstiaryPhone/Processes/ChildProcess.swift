import Foundation
import OstiaryProgram

/// A server of ours: a run of `ostiary`, which lies beside this program, with its output in a file. It ends when we stop it, and by itself when we are
/// gone, however that came about.
final class ChildProcess: Sendable {
    private let process: SpawnedProcess
    /// While we hold this end of a pipe the child knows that we are there.
    private let lifeline: Int32
    let name: String
    let log: URL

    /// Starts the binary.
    /// - Parameters:
    ///   - log: file that its standard output and standard error are appended to.
    init(_ launch: ServerLaunch, log: URL) throws(SpawnError) {
        name = launch.name
        self.log = log
        let file = open(log.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SpawnError(program: launch.name, reason: "its log cannot be written") }
        defer { close(file) }
        let ends = try PipeEnds()
        defer { close(ends.reading) }
        do {
            process = try SpawnedProcess(
                try ServersProgram.path(), launch.arguments + [ParentOptions.flag], environment: ServersProgram.environment(with: launch.environment),
                input: ends.reading, output: file, errors: file, isDependant: true)
        } catch {
            close(ends.writing)
            throw error
        }
        lifeline = ends.writing
    }

    deinit { close(lifeline) }

    var id: Int32 { process.id }
    var isRunning: Bool { process.isRunning }

    /// Asks it to end, and ends it when it has not within `grace`.
    func stop(grace: Duration = .seconds(12)) async {
        process.send(SIGTERM)
        if await process.wait(for: grace) == nil { process.send(SIGKILL) }
    }

    /// The last line of its log, for a message about what went wrong.
    var lastWords: String {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last.map(String.init) ?? "no output"
    }

    /// Runs the binary to its end, or for half a minute.
    /// - Returns: its exit code, -1 if it did not end, and what it wrote on standard output and on standard error.
    static func run(_ arguments: [String]) async throws(SpawnError) -> (code: Int32, output: String, errors: String) {
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(nothing) }
        let (output, errors) = (try OutputPipe(), try OutputPipe())
        let process = try SpawnedProcess(
            try ServersProgram.path(), arguments, environment: ServersProgram.environment(with: [:]), input: nothing, output: output.writingEnd,
            errors: errors.writingEnd, isDependant: true)
        output.closeWritingEnd()
        errors.closeWritingEnd()
        guard let code = await process.wait(for: .seconds(30)) else { return (-1, output.text, errors.text) }
        await output.end()
        await errors.end()
        return (code, output.text, errors.text)
    }
}

/// How one of the two servers is started.
struct ServerLaunch: Sendable {
    let name: String
    let arguments: [String]
    /// Its settings.
    let environment: [String: String]
}

/// The program whose commands the servers are, beside this one.
enum ServersProgram {
    /// Where it is, if it is there.
    static let url = ProgramPlace.place(of: .servers, beside: ProgramPlace.own)

    /// - Throws: `SpawnError` when it is not there, or not ours.
    static func path() throws(SpawnError) -> String {
        do throws(ProgramMissing) { return try ProgramPlace.find(.servers).path } catch {
            throw SpawnError(program: url.path, reason: error.description)
        }
    }

    /// What a child inherits, and `settings`: no setting of ours that happens to be in the caller's environment reaches a demonstration.
    static func environment(with settings: [String: String]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH"].contains($0.key) }
            .merging(settings) { _, ours in ours }
    }
}
