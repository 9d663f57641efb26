import Foundation

/// All that a run measured, for a file: `Benchmarks/README.md` says what stands in it.
struct Figures: Encodable {
    struct Row: Encodable {
        let name: String
        /// Of the processor; nil where only instructions were counted.
        let microseconds: Double?
        let instructions: Double?
        let systemCalls: Double?
        let parts: [String: Double]?
        let note: String?
        /// Of what is measured in rounds, microseconds of each in their order, the least and the most of them; `microseconds` is their median.
        let rounds: [Double]?
        let least: Double?
        let most: Double?
    }

    struct Machine: Encodable {
        let date: String
        let model: String
        let cores: Int
        let memoryMiB: UInt64
        let system: String
        let ostiary: String
        /// That the programs were built of, with “+” where the sources differ from it; nil where nobody knows.
        let commit: String?
    }

    private var machine: Machine?
    private var tables: [String: [Row]] = [:]
    private var ratios: [String: Double] = [:]
    private var aims: [Aim] = []
    /// What the SDK costs the phone, by name, in words.
    var phone: [String: String] = [:]

    mutating func add(_ name: String, _ table: Table) {
        tables[name] = table.rows.map { row in
            let rounds = row.rounds.map { rounded($0.nanoseconds / 1_000) }
            let parts = row.cost.parts.map { parts in Dictionary(uniqueKeysWithValues: parts.map { ($0.name, rounded($1)) }) }
            return Row(
                name: row.name, microseconds: row.cost.nanoseconds > 0 ? rounded(row.cost.nanoseconds / 1_000) : nil,
                instructions: row.cost.instructions.map(rounded), systemCalls: row.cost.systemCalls.map(rounded), parts: parts,
                note: row.note.isEmpty ? nil : row.note, rounds: rounds.isEmpty ? nil : rounds, least: rounds.min(), most: rounds.max())
        }
    }

    mutating func add(ratios: [String: Double]) { self.ratios = ratios.mapValues { ($0 * 1_000).rounded() / 1_000 } }

    mutating func add(aims: [Aim]) { self.aims = aims }

    mutating func write(to file: String, of ostiary: String) throws {
        machine = try Self.thisMachine(ostiary)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: file))
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    private static func thisMachine(_ ostiary: String) throws -> Machine {
        let processor =
            ((try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? "").split(separator: "\n")
            .first { $0.hasPrefix("model name") }?.split(separator: ":").last ?? "unknown"
        return Machine(
            date: Date().formatted(.iso8601), model: processor.trimmingCharacters(in: .whitespaces),
            cores: ProcessInfo.processInfo.activeProcessorCount, memoryMiB: ProcessInfo.processInfo.physicalMemory >> 20,
            system: ProcessInfo.processInfo.operatingSystemVersionString, ostiary: try Process.output(of: ostiary, ["--version"]), commit: commit())
    }

    /// Of the folder in which this runs. Figures that were written before are no sources.
    private static func commit() -> String? {
        guard let git = Peers.find("git"), let name = try? Process.output(of: git, ["rev-parse", "--short", "HEAD"], errors: .nullDevice),
            let changed = try? Process.output(of: git, ["status", "--porcelain", "--", ".", ":(exclude)Benchmarks/figures"], errors: .nullDevice)
        else { return nil }
        return changed.isEmpty ? name : name + "+"
    }
}
