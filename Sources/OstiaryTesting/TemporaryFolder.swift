import Foundation

/// A folder of its own for one test, which nobody else can read; removed with the value.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package var url: URL { URL(fileURLWithPath: path) }

    /// The path of a file in it, or of a folder.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file and answers its path.
    package func write(_ bytes: some Sequence<UInt8>, to name: String, mode: Int = 0o600) throws -> String {
        let file = file(name)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    package func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String { try write(text.utf8, to: name, mode: mode) }
}
