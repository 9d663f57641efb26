import CInstructions
import Foundation

/// What some work cost: processor time in nanoseconds and user-space instructions.
struct Cost {
    var nanoseconds: Double
    /// Nil where the kernel does not count instructions.
    var instructions: Double?
    /// Nil but under emulation.
    var systemCalls: Double?
    /// How often each ``Part`` was done; nil but under emulation.
    var parts: [Part: Double]?
    /// How long it took by the clock on the wall; nil where nobody looked.
    var seconds: Double?

    static func - (left: Cost, right: Cost) -> Cost { left.with(right, -) }

    static func + (left: Cost, right: Cost) -> Cost { left.with(right, +) }

    func each(of count: Int) -> Cost { with(self) { sum, _ in sum / Double(count) } }

    private func with(_ other: Cost, _ combine: (Double, Double) -> Double) -> Cost {
        func both(_ left: Double?, _ right: Double?) -> Double? {
            if let left, let right { combine(left, right) } else { nil }
        }
        return Cost(
            nanoseconds: combine(nanoseconds, other.nanoseconds), instructions: both(instructions, other.instructions),
            systemCalls: both(systemCalls, other.systemCalls),
            parts: parts.flatMap { mine in other.parts.map { mine.merging($0, uniquingKeysWith: combine) } },
            seconds: both(seconds, other.seconds))
    }

    /// The median of each number by itself: what falls into few of them, because a server does it now and then, is not in it.
    static func median(of costs: [Cost]) -> Cost {
        func middle(_ values: [Double]) -> Double? {
            let sorted = values.sorted()
            guard !sorted.isEmpty, values.count == costs.count else { return nil }
            return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        }
        let parts = Part.allCases.compactMap { part in middle(costs.compactMap { $0.parts?[part] }).map { (part, $0) } }
        return Cost(
            nanoseconds: middle(costs.map(\.nanoseconds)) ?? 0, instructions: middle(costs.compactMap(\.instructions)),
            systemCalls: middle(costs.compactMap(\.systemCalls)), parts: parts.isEmpty ? nil : Dictionary(uniqueKeysWithValues: parts),
            seconds: middle(costs.compactMap(\.seconds)))
    }
}

/// What a process cost up to now.
protocol Meter {
    func now() -> Cost
}

/// Meters a whole process, ours or another's: all its threads, in user space and kernel.
final class ProcessMeter: Meter {
    private let clock: clockid_t
    private let descriptors: [Int32]

    init(process: Int32) {
        // The kernel's name for the processor clock of a process, as clock_getcpuclockid makes it.
        clock = (~process << 3) | 2
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        descriptors = threads.compactMap { Int32($0) }.map { instructions_open($0) }
    }

    deinit { for descriptor in descriptors where descriptor >= 0 { close(descriptor) } }

    func now() -> Cost {
        var time = timespec()
        clock_gettime(clock, &time)
        let counts = descriptors.map { instructions_read($0) }
        let counted = !counts.isEmpty && counts.allSatisfy { $0 >= 0 }
        return Cost(
            nanoseconds: Double(time.tv_sec) * 1e9 + Double(time.tv_nsec), instructions: counted ? Double(counts.reduce(0, +)) : nil)
    }
}

/// Measures `work`, done `count` times on this thread, after a tenth as many times for warming up.
func measure(_ count: Int, _ work: () throws -> Void) rethrows -> Cost {
    for _ in 0..<max(1, count / 10) { try work() }
    let meter = ProcessMeter(process: getpid())
    let before = meter.now()
    for _ in 0..<count { try work() }
    return (meter.now() - before).each(of: count)
}
