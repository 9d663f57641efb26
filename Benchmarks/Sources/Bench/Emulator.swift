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

/// What operations are made of, counted by the plugin as it happens. The raw value is its place among the words of a thread (emulator_counts.h).
enum Part: Int, CaseIterable {
    case walPages = 2
    case commits
    case syncedCommits
    case syncs
    case statements
    case steps
    case prepared
    case p256Signatures
    case p256Verifications
    case ed25519Signatures
    case ed25519Verifications
    case x25519
    case x25519Keys
    case evaluations
    case ristretto
    case ristrettoBase
    case httpMessages

    /// Words of each thread.
    static let wordsOfThread = 32

    /// As `counting.py` has them, too.
    var name: String {
        switch self {
        case .walPages: "WAL pages"
        case .commits: "commits"
        case .syncedCommits: "commits that wait for the disk"
        case .syncs: "waits for the disk"
        case .statements: "statements"
        case .steps: "steps of statements"
        case .prepared: "statements compiled"
        case .p256Signatures: "P-256 signatures"
        case .p256Verifications: "P-256 verifications"
        case .ed25519Signatures: "Ed25519 signatures"
        case .ed25519Verifications: "Ed25519 verifications"
        case .x25519: "X25519"
        case .x25519Keys: "X25519 key pairs"
        case .evaluations: "OPRF evaluations"
        case .ristretto: "ristretto255 multiplications"
        case .ristrettoBase: "ristretto255 base multiplications"
        case .httpMessages: "HTTP messages read"
        }
    }
}

/// Meters a process that is emulated, by the file that it counts in.
struct EmulatedMeter: Meter {
    let counts: URL

    func now() -> Cost {
        let words = (try? Data(contentsOf: counts))?.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) } ?? []
        func sum(_ place: Int) -> Double {
            Double(stride(from: place, to: words.count, by: Part.wordsOfThread).reduce(0) { $0 + words[$1] })
        }
        let parts = Part.allCases.map { ($0, sum($0.rawValue)) }
        return Cost(nanoseconds: 0, instructions: sum(0), systemCalls: sum(1), parts: Dictionary(uniqueKeysWithValues: parts))
    }
}
