import Foundation

/// User-mode emulation (qemu-user) with the plugin of `CEmulatorCounts`: what a program does in user space, counted to the instruction, also where
/// the machine has no hardware counters. The same work gives the same number on a busy machine. Times under it mean nothing.
struct Emulator: Sendable {
    private let program: URL
    private let plugin: String

    /// - Parameter plugin: path of the plugin's library.
    /// - Returns: nil where there is no emulator for this machine's own instructions.
    init?(plugin: String) {
        var names = utsname()
        uname(&names)
        let machine = withUnsafeBytes(of: &names.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let program = folders.lazy.map { URL(fileURLWithPath: "\($0)/qemu-\(machine)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        guard let program else { return nil }
        self.program = program
        self.plugin = plugin
    }

    /// Lets `process` be emulated when it runs.
    /// - Parameter counts: the file that `EmulatedMeter` reads.
    func run(_ process: Process, counts: URL) {
        guard let binary = process.executableURL else { return }
        process.arguments = ["-plugin", "\(plugin),counts=\(counts.path)", binary.path] + (process.arguments ?? [])
        process.executableURL = program
    }
}

/// Meters a process that is emulated, by the file that it counts in.
struct EmulatedMeter: Meter {
    let counts: URL

    func now() -> Cost {
        // Of each thread: instructions, system calls, and six numbers that are not used (emulator_counts.h).
        let words = (try? Data(contentsOf: counts))?.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) } ?? []
        func sum(_ place: Int) -> Double { Double(stride(from: place, to: words.count, by: 8).reduce(0) { $0 + words[$1] }) }
        return Cost(nanoseconds: 0, instructions: sum(0), systemCalls: sum(1))
    }
}
