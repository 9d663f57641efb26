#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's files, by its own calls.
package struct PosixFileSystem: FileSystem {
    package init() {}

    package func read(_ path: String) throws -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        if file < 0, errno == ENOENT { return nil }
        defer { close(file) }
        try check(file)
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 * 1_024)
        while true {
            let count = unistdRead(file, &part, part.count)
            try check(Int32(clamping: count))
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
        }
    }

    package func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try check(file)
        defer { close(file) }
        try check(fchmod(file, 0o600))
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { unistdWrite(file, $0.baseAddress.map { $0 + written }, bytes.count - written) }
            try check(Int32(clamping: count))
            written += count
        }
        try check(fsync(file))
    }

    package func rename(_ path: String, to newPath: String) throws { try check(systemRename(path, newPath)) }

    package func link(_ path: String, to newPath: String) throws -> Bool {
        if systemLink(path, newPath) == 0 { return true }
        guard errno == EEXIST else { throw FileSystemError(number: errno) }
        return false
    }

    package func remove(_ path: String) throws {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw FileSystemError(number: errno)
    }

    package func names(in folder: String) throws -> [String] {
        guard let list = opendir(folder) else { throw FileSystemError(number: errno) }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) { String(cString: $0) }
                })
        }
        return names
    }

    package func syncFolder(_ path: String) throws {
        let folder = open(path, O_RDONLY | O_CLOEXEC)
        try check(folder)
        defer { close(folder) }
        try check(fsync(folder))
    }

    package func makeFolder(_ path: String) throws {
        if try isFolderMade(path) { return }
        guard folder(of: path) != path else { throw FileSystemError(number: ENOENT) }
        try makeFolder(folder(of: path))
        // Once more and no oftener: below a link that leads nowhere there will never be one.
        guard try isFolderMade(path) else { throw FileSystemError(number: ENOENT) }
    }

    /// False where the folder above it is missing.
    private func isFolderMade(_ path: String) throws -> Bool {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
        guard errno == ENOENT else { throw FileSystemError(number: errno) }
        return false
    }

    package func isOpenToOthers(_ path: String) throws -> Bool {
        var status = stat()
        try check(stat(path, &status))
        return status.st_mode & 0o077 != 0
    }

    package func withLock<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try check(file)
        defer { close(file) }
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else { throw FileSystemError(number: errno) }
        }
        return try body()
    }

    private func check(_ result: Int32) throws {
        guard result >= 0 else { throw FileSystemError(number: errno) }
    }
}

// The system's names that the methods above hide inside their type.
private func systemRename(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }
private func systemLink(_ path: String, _ newPath: String) -> Int32 { link(path, newPath) }
private func unistdRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int { read(file, buffer, count) }
private func unistdWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int { write(file, buffer, count) }
