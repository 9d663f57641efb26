import Foundation

/// Another run of this very binary, with its output in a file, ended by its id when we are done with it.
final class ChildProcess: Sendable {
    private let process: Process
    let name: String
    let log: URL

    /// Starts the binary.
    /// - Parameters:
    ///   - name: what we call it when we speak of it.
    ///   - environment: all that it gets besides PATH and HOME.
    ///   - log: file that its standard output and standard error are appended to.
    init(name: String, arguments: [String], environment: [String: String], log: URL) throws {
        self.name = name
        self.log = log
        process = Process()
        process.executableURL = OwnBinary.url
        process.arguments = arguments
        process.environment = OwnBinary.environment.merging(environment) { _, ours in ours }
        let output = try Self.appending(to: log)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    var id: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    /// Asks it to end, and ends it when it has not within `grace`.
    func stop(grace: Duration = .seconds(12)) async {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGTERM)
        let deadline = ContinuousClock.now + grace
        while process.isRunning, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(20))
        }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The last line of its log, for a message about what went wrong.
    var lastWords: String {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last.map(String.init) ?? "no output"
    }

    /// Runs the binary to its end.
    /// - Returns: its exit code and what it wrote on standard output and on standard error.
    static func run(_ arguments: [String], environment: [String: String]) async throws -> (code: Int32, output: String, complaints: String) {
        let process = Process()
        process.executableURL = OwnBinary.url
        process.arguments = arguments
        process.environment = OwnBinary.environment.merging(environment) { _, ours in ours }
        let (output, complaints) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaints
        process.standardInput = FileHandle.nullDevice
        try process.run()
        async let written = read(output)
        async let complained = read(complaints)
        let texts = await (written, complained)
        process.waitUntilExit()
        return (process.terminationStatus, texts.0, texts.1)
    }

    private static func read(_ pipe: Pipe) async -> String {
        await KeyInput.onOwnThread {
            let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
            return String(decoding: data, as: UTF8.self)
        }
    }

    private static func appending(to file: URL) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: file.path) {
            _ = FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        return handle
    }
}

/// This binary, wherever it was started from.
enum OwnBinary {
    static let url: URL = {
        #if os(Linux)
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        #endif
    }()

    /// What every child inherits: no setting of ours that happens to be in the caller's environment reaches a demonstration.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH"].contains($0.key) }
    }
}
