import Foundation

/// Programs of others that are measured beside ours, as the scripts of `Benchmarks` run them.
enum Peers {
    /// A program on the PATH.
    static func find(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").lazy.map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

/// Glewlwyd with one client and one token: `Benchmarks/peer-glewlwyd`, which ends it.
final class Glewlwyd: Sendable {
    /// What the script prints.
    private struct Told: Decodable {
        let port: Int
        let process: Int32
        let version: String
        let authorization: String
        let token: String
    }

    private let told: Told
    private let script: Process
    private let input: Pipe
    let version: String

    /// - Throws: ``BenchError`` where the script ends without a word; it has said why on standard error.
    init(_ scripts: String, folder: URL) throws {
        let (process, output, input) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "\(scripts)/peer-glewlwyd")
        process.arguments = [folder.appendingPathComponent("glewlwyd").path]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.runUnblocked()
        guard let told = try? JSONDecoder().decode(Told.self, from: output.fileHandleForReading.availableData) else {
            process.terminate()
            process.waitUntilExit()
            throw BenchError("Glewlwyd did not come up")
        }
        (self.told, script, self.input, version) = (told, process, input, told.version)
    }

    /// The cost of one of `count` questions about its token over 8 connections.
    func introspection(count: Int) async throws -> Cost {
        // A JWT has nothing that a form would write otherwise.
        try await load(
            "http://127.0.0.1:\(told.port)/api/oidc/introspect", headers: [("Authorization", told.authorization)], form: "token=\(told.token)",
            count: count, server: { ProcessMeter(process: told.process) })
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        script.waitUntilExit()
    }
}
