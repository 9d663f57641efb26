import Foundation
import OstiaryProgram
import OstiaryTesting

@testable import OstiaryPhone

/// A file system of a few mebibytes that only one server process sees, with that server's data on it.
struct SmallDisk: Sendable {
    /// Whether this machine lets a test have a file system of its own.
    static let isPossible: Bool = {
        guard let program = try? Program(["-m", "sh", "-c", "mount -t tmpfs none /mnt"], executable: unshare) else { return false }
        while program.isRunning { usleep(5_000) }
        return program.exitCode == 0
    }()

    private static let unshare = "/usr/bin/unshare"
    private static let script = #"mount -t tmpfs -o size=6m,mode=700 none "$0" && cp -a "$1/." "$0" && shift && exec "$@""#

    let program: Program
    private let filler: URL

    /// Starts a server whose `--data` is on such a disk, with what was in its data folder before.
    init(_ launch: ServerLaunch, in folder: TemporaryFolder) throws {
        let disk = folder.file("disk-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        guard let index = launch.arguments.firstIndex(of: "--data") else { throw Timeout(description: "a server without a data folder") }
        var arguments = launch.arguments
        let data = arguments[index + 1]
        arguments[index + 1] = disk
        program = try Program(
            ["-m", "sh", "-c", Self.script, disk, data, Binary.url.path] + arguments + [ParentOptions.flag], environment: launch.environment,
            executable: Self.unshare)
        // The kernel shows a process's own view of the files to whoever may look at it.
        filler = URL(fileURLWithPath: "/proc/\(program.id)/root\(disk)/filler")
    }

    /// Writes until nothing more fits.
    func fill() throws {
        let descriptor = open(filler.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw Timeout(description: "the small disk is not there") }
        defer { close(descriptor) }
        for size in [65_536, 4_096, 1] {
            let block = [UInt8](repeating: 1, count: size)
            while write(descriptor, block, size) == size {}
        }
    }

    func empty() throws { try FileManager.default.removeItem(at: filler) }
}
