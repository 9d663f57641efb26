import Foundation
import Testing

/// What a process of ours uses, as the kernel tells.
struct ProcessUse {
    let process: Int32

    /// Memory that lies in the machine's own, in MiB.
    var residentMiB: Int { get throws { try memory("VmRSS:") } }

    /// The most that it ever was since its start.
    var peakMiB: Int { get throws { try memory("VmHWM:") } }

    private func memory(_ field: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        return (line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
    }

    /// Processor time since its start, in seconds.
    var processorSeconds: Double {
        get throws {
            let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: ")").last?.split(separator: " ") ?? []
            let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)
            return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    var descriptors: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count }
    }

    /// Sets how many files it may open from now on.
    func allow(descriptors count: Int) async throws {
        let setting = try Program([], shell: "exec prlimit --pid \(process) --nofile=\(count):")
        try #require(try await setting.end() == 0, "\(setting.complaints)")
    }
}
