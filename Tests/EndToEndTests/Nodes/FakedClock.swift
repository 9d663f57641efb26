import Foundation
import Synchronization

/// The wall clock of one process, which a test has leap while that process runs: a library that is loaded before all others tells it the time of day
/// (`faked_clock.c`). The clocks that measure go on, and so does what waits for a while: its work in the background is done by the wrong clock, as on a machine
/// whose clock is set. All other processes have the right one.
struct FakedClock: Sendable {
    /// Built once in a run of tests, beside the programs that they start. It is no target of the package, with which the libraries of Swift would be linked: it is
    /// loaded into a shell and into programs that have those in themselves, too.
    private static let library = Task<String, any Error> { try await build() }

    private let library: String
    private let file: String

    /// - Parameter path: of a file that says how wrong it is.
    init(_ path: String) async throws {
        library = try await Self.library.value
        file = path
        try Data(count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: path))
    }

    /// How wrong it is from now on, in seconds beside the right time: 0 puts it right. All threads of the process know when this returns.
    func leap(by seconds: Int) throws {
        let descriptor = open(file, O_RDWR)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        let size = MemoryLayout<Int64>.size
        guard let page = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), page != MAP_FAILED else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        defer { munmap(page, size) }
        // The process reads it when it likes, and never half of it.
        page.bindMemory(to: Atomic<Int64>.self, capacity: 1).pointee.store(Int64(seconds), ordering: .releasing)
    }

    /// With which a process is started.
    var environment: [String: String] { ["LD_PRELOAD": library, "FAKED_CLOCK_FILE": file] }

    private static func build() async throws -> String {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("faked_clock.c").path
        let library = Binary.folder.appendingPathComponent("libfaked_clock.so").path
        let fresh = "\(library).\(getpid())"
        let compiler = try Program(
            ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", fresh, source], executable: "/usr/bin/env")
        guard try await compiler.end() == 0 else { throw Timeout(description: "no faked clock: \(compiler.complaints)") }
        // Whoever has loaded the former one keeps it.
        guard rename(fresh, library) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return library
    }
}
