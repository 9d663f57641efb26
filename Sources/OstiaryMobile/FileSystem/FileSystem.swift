/// What the file stores ask of the system, so that tests can stop at any step of it. Errors are the caller's to name.
package protocol FileSystem: Sendable {
    /// Nil when there is no such file.
    func read(_ path: String) throws -> [UInt8]?
    /// Makes or empties a file that only its owner may read, writes it, and brings it to the disk.
    func write(_ bytes: [UInt8], to path: String) throws
    func rename(_ path: String, to newPath: String) throws
    /// Gives a file a second name, unless that name is taken: false then.
    func link(_ path: String, to newPath: String) throws -> Bool
    func remove(_ path: String) throws
    /// The names in a folder.
    func names(in folder: String) throws -> [String]
    /// Brings the names in a folder to the disk.
    func syncFolder(_ path: String) throws
    /// Makes a folder, and those above it, that only its owner may enter.
    func makeFolder(_ path: String) throws
    /// Whether anybody but the owner may read or write a file.
    func isOpenToOthers(_ path: String) throws -> Bool
    /// Runs `body` while no other process or task holds the lock of this name.
    func withLock<Value>(_ path: String, _ body: () throws -> Value) throws -> Value
}

/// A step that the system refused, with its error number.
package struct FileSystemError: Error, Equatable {
    package let number: Int32

    package init(number: Int32) { self.number = number }
}

extension FileSystem {
    /// Puts a whole new file in the place of `path`: at every moment the old or the new one is there (temporary file, sync, rename, sync).
    /// `unique` tells writers apart.
    package func replace(_ path: String, with bytes: [UInt8], unique: String) throws {
        let temporary = "\(path).\(unique).tmp"
        do {
            try write(bytes, to: temporary)
            try rename(temporary, to: path)
        } catch {
            try? remove(temporary)
            throw error
        }
        try syncFolder(folder(of: path))
    }

    /// Removes a file, and what writers of it that were killed have left beside it: a whole copy of what they were to put there, it may be.
    package func removeWithLeftovers(_ path: String) throws {
        try remove(path)
        let folder = folder(of: path)
        let beginning = (path.split(separator: "/").last ?? "") + "."
        for name in try names(in: folder) where name.hasPrefix(beginning) && name.hasSuffix(".tmp") { try remove("\(folder)/\(name)") }
        try syncFolder(folder)
    }

    package func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
