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
    }

    struct Machine: Encodable {
        let date: String
        let model: String
        let cores: Int
        let memoryMiB: UInt64
        let system: String
        let ostiary: String
    }

    private var machine: Machine?
    private var tables: [String: [Row]] = [:]
    private var aims: [String: Double] = [:]
    /// What the SDK costs the phone, by name, in words.
    var phone: [String: String] = [:]

    mutating func add(_ name: String, _ table: Table) {
        tables[name] = table.rows.map { row in
            let parts = row.cost.parts.map { parts in Dictionary(uniqueKeysWithValues: parts.map { ($0.name, rounded($1)) }) }
            return Row(
                name: row.name, microseconds: row.cost.nanoseconds > 0 ? rounded(row.cost.nanoseconds / 1_000) : nil,
                instructions: row.cost.instructions.map(rounded), systemCalls: row.cost.systemCalls.map(rounded), parts: parts,
                note: row.note.isEmpty ? nil : row.note)
        }
    }

    mutating func add(aims: [String: Double]) { self.aims = aims.mapValues { ($0 * 1_000).rounded() / 1_000 } }

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
            system: ProcessInfo.processInfo.operatingSystemVersionString, ostiary: try Process.output(of: ostiary, ["--version"]))
    }
}
