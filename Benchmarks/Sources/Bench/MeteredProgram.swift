import Foundation

/// A program that serves HTTP on loopback, prints its port when it does, and is metered.
final class MeteredProgram: Sendable {
    let origin: String
    private let process: Process
    private let counts: URL
    private let isEmulated: Bool

    /// Starts it, and returns when it serves.
    /// - Parameters:
    ///   - arguments: what it is started with.
    ///   - environment: all that it has; nil for ours.
    ///   - emulator: what counts its instructions; nil to run it as it is.
    /// - Throws: ``BenchError`` where it ends without a port.
    init(_ binary: String, _ arguments: [String] = [], environment: [String: String]? = nil, under emulator: Emulator? = nil) throws {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = arguments
        process.standardOutput = pipe
        if let environment { process.environment = environment }
        let name = process.executableURL?.lastPathComponent ?? ""
        counts = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-bench-counts-\(name)-\(getpid())")
        isEmulated = emulator != nil
        emulator?.run(process, counts: counts)
        try process.runUnblocked()
        self.process = process
        let port = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        origin = "http://127.0.0.1:\(port)"
        if UInt16(port) == nil {
            stop()
            throw BenchError("\(binary) printed “\(port)” where its port was to be")
        }
    }

    /// Made anew, so that threads started since are counted.
    func meter() -> any Meter { isEmulated ? EmulatedMeter(counts: counts) : ProcessMeter(process: process.processIdentifier) }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: counts)
    }
}
