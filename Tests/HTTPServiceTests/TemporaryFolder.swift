import Foundation

/// A folder of its own for one test, removed with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "ostiary-http-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Writes a file and answers its path.
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        try write(Data(text.utf8), to: name, mode: mode)
    }

    func write(_ data: Data, to name: String, mode: Int = 0o600) throws -> String {
        let file = path + "/" + name
        try data.write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
