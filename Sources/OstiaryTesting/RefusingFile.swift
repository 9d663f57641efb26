import Foundation

/// A file that this process has open, and to which the system refuses to write for as long as a test wants: as of a quota, a file system that became read-only,
/// a fault. What is read of it is read as before. Of the log of a SQLite database it is the commits that fail, and nothing before them.
///
/// Another descriptor is put in the place of each by which the process has it open.
package struct RefusingFile: Sendable {
    private let path: String
    private let descriptors: [Int32]

    /// - Parameter path: without symbolic links.
    /// - Throws: when this process has no such file open.
    package init(_ path: String) throws {
        self.path = path
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        descriptors = numbers.filter { Self.file(of: $0) == path }
        guard !descriptors.isEmpty else { throw NotOpen(path: path) }
    }

    /// From now on nothing is written to it.
    package func refuse() throws { try reopen(O_RDONLY) }

    /// From now on it is written to as before.
    package func allow() throws { try reopen(O_RDWR) }

    private func reopen(_ flags: Int32) throws {
        let other = Foundation.open(path, flags | O_CLOEXEC)
        guard other >= 0 else { throw NotOpen(path: path) }
        defer { close(other) }
        for number in descriptors {
            // One that was closed meanwhile may be another file's.
            guard Self.file(of: number) == path, dup2(other, number) == number else { throw NotOpen(path: path) }
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        }
    }

    private static func file(of number: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
    }

    package struct NotOpen: Error { let path: String }
}
