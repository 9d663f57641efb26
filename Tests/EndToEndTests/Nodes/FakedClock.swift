import Foundation

/// The wall clock of one process, which a test has leap while that process runs (libfaketime); the clock that measures goes on, and so do those of all others.
struct FakedClock: Sendable {
    /// After which every clock of the process has heard of a leap: the library looks again when more than a second has gone by, in whole ones.
    static let delay: Duration = .milliseconds(2_500)

    static var isInstalled: Bool { library != nil }

    private static let library: String? = {
        let systems = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        let folders = systems.sorted().map { "/usr/lib/\($0)/faketime" } + ["/usr/lib/faketime", "/usr/local/lib/faketime"]
        return folders.map { $0 + "/libfaketimeMT.so.1" }.first { FileManager.default.fileExists(atPath: $0) }
    }()

    private let file: URL

    /// - Parameter path: of a file that says how wrong it is.
    init(_ path: String) throws {
        file = URL(fileURLWithPath: path)
        try leap(by: 0)
    }

    /// How wrong it is from now on, in seconds beside the right time: 0 puts it right.
    func leap(by seconds: Int) throws {
        // Whole in one moment: the process reads it when it likes.
        try Data("\(seconds < 0 ? "" : "+")\(seconds)\n".utf8).write(to: file, options: .atomic)
    }

    /// With which a process is started, by a shell that becomes it: the library sets a variable in the first program that has it, and Swift looks for the arguments
    /// where the variables were.
    var environment: [String: String] {
        [
            "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": file.path, "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
        ]
    }

    /// Removes what the library left in memory of processes that are gone: it clears up after none that became another program.
    static func sweep() {
        let memory = "/dev/shm"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: memory)) ?? [] {
            guard let mark = ["faketime_shm_", "sem.faketime_sem_"].first(where: name.hasPrefix), let process = Int32(name.dropFirst(mark.count)),
                process > 1,
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(atPath: memory + "/" + name)
        }
    }
}
