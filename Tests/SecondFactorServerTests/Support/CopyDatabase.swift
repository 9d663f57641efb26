import Foundation

/// Copies a database file with its log, while nothing is being written.
func copyDatabase(from source: String, to target: String) throws {
    let files = FileManager.default
    for suffix in ["", "-wal"] {
        try? files.removeItem(atPath: target + suffix)
        if files.fileExists(atPath: source + suffix) { try files.copyItem(atPath: source + suffix, toPath: target + suffix) }
    }
}
