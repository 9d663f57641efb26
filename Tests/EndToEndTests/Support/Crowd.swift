import Foundation
import OstiaryTesting

/// Many connections that say something, or nothing, and then stay as they are. They are held by a process of their own (`scripts/crowd.py`): Foundation reads
/// behind a buffer when it starts a program in a process of some 1,360 descriptors and more, and what else tests open has to find place.
final class Crowd: Sendable {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../scripts/crowd.py").standardizedFileURL.path

    private let program: Program

    /// Waits until each was open, also if it is closed again by then.
    /// - Parameters:
    ///   - addresses: of this machine, that the connections come from in turn: 127.0.0.2 and those that follow.
    ///   - reads: false to take nothing of what is answered.
    ///   - bytes: what each sends.
    init(_ count: Int, port: Int, addresses: Int = 1, reads: Bool = true, sending bytes: [UInt8] = []) async throws {
        let folder = try TemporaryFolder()
        let said = try folder.write(bytes, to: "said")
        let words = ["python3", Self.script, "\(count)", "\(port)", "\(addresses)", said, reads ? "reading" : "deaf"]
        let program = try Program(words, executable: "/usr/bin/env")
        self.program = program
        try await eventually("\(count) connections are open: \(program.complaints)") { !program.isRunning || !program.lines.isEmpty }
        guard program.isRunning else { throw Timeout(description: "\(count) connections are not open: \(program.complaints)") }
        // Until then the file is read.
        withExtendedLifetime(folder) {}
    }

    /// How many the other side has left open.
    var open: Int { told?.open ?? 0 }

    /// The process that has them.
    var id: Int32 { program.id }

    /// How many were answered with this status.
    func count(of status: Int) -> Int { told?.statuses.first { $0.status == status }?.count ?? 0 }

    /// Waits until one of them was answered, and says with what status; nil when all are closed without a word.
    func firstStatus() async -> Int? {
        try? await eventually("an answer") { self.told.map { !$0.statuses.isEmpty || $0.open == 0 } ?? false }
        return told?.statuses.first?.status
    }

    func disperse() async {
        program.closeInput()
        _ = try? await program.end()
    }

    /// What the last whole line says: `open 20 503 17 200 3`, the first status first.
    private var told: (open: Int, statuses: [(status: Int, count: Int)])? {
        let whole = program.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last
        guard let numbers = whole?.split(separator: " ").dropFirst().compactMap({ Int($0) }), let open = numbers.first else { return nil }
        let pairs = stride(from: 1, to: numbers.count - 1, by: 2).map { (status: numbers[$0], count: numbers[$0 + 1]) }
        return (open, pairs)
    }
}
