import Foundation

/// A folder of its own for one test, removed with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "ostiary-second-factor-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> String { path + "/" + name }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Copies a database file with its log, while nothing is being written.
func copyDatabase(from source: String, to target: String) throws {
    let files = FileManager.default
    for suffix in ["", "-wal"] {
        try? files.removeItem(atPath: target + suffix)
        if files.fileExists(atPath: source + suffix) { try files.copyItem(atPath: source + suffix, toPath: target + suffix) }
    }
}
