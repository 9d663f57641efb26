import Foundation

/// What was aimed at, what is so, and whether that is enough: printed, and a row of the file of figures. Why aims that are missed stay so says
/// docs/decisions/0069.
struct Aim: Encodable {
    let name: String
    /// Nil where it was not measured: there was no peer, or no emulator.
    let value: Double?
    let unit: String?
    /// What it was to be at least; nil where it was to be ``most`` at most.
    let least: Double?
    let most: Double?
    /// Nil where it was not measured.
    let met: Bool?
    /// What each round found by itself; nil of what is not measured in rounds.
    let rounds: [Double]?
    let note: String?

    init(_ name: String, _ value: Double?, least: Double, rounds: [Double]? = nil) {
        (self.name, unit, self.least, most, note) = (name, nil, least, nil, nil)
        let value = value.map(Self.rounded)
        self.value = value
        self.rounds = rounds?.map(Self.rounded)
        met = value.map { $0 >= least }
    }

    init(_ name: String, _ value: Double?, most: Double, unit: String? = nil, note: String? = nil) {
        (self.name, self.unit, least, self.most, rounds, self.note) = (name, unit, nil, most, nil, note)
        let value = value.map(Self.rounded)
        self.value = value
        met = value.map { $0 <= most }
    }

    /// So that what is judged is what is told.
    private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }

    /// Prints each on a line.
    static func print(_ aims: [Aim]) {
        Swift.print("\nAims (docs/decisions/0069)")
        for aim in aims { Swift.print(aim.line) }
    }

    private var line: String {
        let aimed = least.map { String(format: "at least %g", $0) } ?? most.map { String(format: "at most %g", $0) } ?? ""
        let judged = met.map { $0 ? "met" : "missed" } ?? "not measured"
        var words = value.map { String(format: "%.2f", $0) + (unit.map { " \($0)" } ?? "") } ?? "–"
        if let low = rounds?.min(), let high = rounds?.max() { words += String(format: " (%.2f to %.2f)", low, high) }
        let told = note.map { "; \($0)" } ?? ""
        return "  \(name)\(String(repeating: " ", count: max(1, 66 - name.count)))\(words)   aim: \(aimed), \(judged)\(told)"
    }
}
