import Foundation

/// Rows of what was measured, printed in columns.
struct Table {
    private(set) var rows: [(name: String, cost: Cost, note: String, rounds: [Cost])] = []

    /// - Parameter rounds: what each found, where `cost` is their median.
    mutating func add(_ name: String, _ cost: Cost, _ note: String = "", rounds: [Cost] = []) { rows.append((name, cost, note, rounds)) }

    subscript(_ name: String) -> Cost? { rows.first { $0.name == name }?.cost }

    func rounds(of name: String) -> [Cost] { rows.first { $0.name == name }?.rounds ?? [] }

    func print(title: String) {
        Swift.print("\n\(title)")
        Swift.print(Self.line("operation", "CPU µs", "k instr.", "note"))
        for row in rows {
            Swift.print(
                Self.line(
                    row.name, String(format: "%.1f", row.cost.nanoseconds / 1_000),
                    row.cost.instructions.map { String(format: "%.1f", $0 / 1_000) } ?? "–", Self.range(row.rounds) + row.note))
        }
    }

    private static func range(_ rounds: [Cost]) -> String {
        let times = rounds.map { $0.nanoseconds / 1_000 }
        guard let least = times.min(), let most = times.max() else { return "" }
        return String(format: "(%.1f to %.1f) ", least, most)
    }

    /// The same without times.
    func printCounts(title: String) {
        Swift.print("\n\(title)")
        Swift.print(Self.line("operation", "k instr.", "sys. calls", ""))
        func number(_ value: Double?, _ format: String) -> String { value.map { String(format: format, $0) } ?? "–" }
        for row in rows {
            Swift.print(Self.line(row.name, number(row.cost.instructions.map { $0 / 1_000 }, "%.1f"), number(row.cost.systemCalls, "%.1f"), ""))
        }
    }

    private static func line(_ name: String, _ time: String, _ instructions: String, _ note: String) -> String {
        func left(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
        func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }
        return "  \(left(name, 46))\(right(time, 10))\(right(instructions, 11))  \(note)"
    }
}
