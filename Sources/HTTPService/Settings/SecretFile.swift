import Foundation

/// A file that holds one secret and that an operator, or what runs the container, has put there.
///
/// The owner's group may read it: that is how an orchestrator hands a secret to a process that is not root. Others may not, unless its folder lets
/// them not in. Key files of our own making have the stricter rule of ``KeyFile``.
package enum SecretFile {
    /// Far more than any secret has: what is longer is another file.
    package static let mostBytes = 4_096

    /// The one line of it, without its end. From whatever gives it in pieces, too: a shell hands `<(…)` as a file.
    package static func line(in path: String) throws(SecretFileError) -> String {
        let data: Data
        do { data = try bytes(in: path) } catch { throw .unreadable(whyUnreadable(path) ?? noText) }
        guard !isOpenToOthers(path) else { throw .openToOthers }
        guard data.count <= mostBytes else { throw .tooLong }
        guard let text = String(validating: data, as: UTF8.self) else { throw .unreadable(noText) }
        let line = text.trimmingCharacters(in: .newlines)
        guard !line.isEmpty else { throw .empty }
        // Two keys, or a comment and a key: as one it would be a key that nobody can send.
        guard !line.contains(where: \.isNewline) else { throw .severalLines }
        return line
    }

    /// One more than there may be at most, of a file without an end.
    private static func bytes(in path: String) throws -> Data {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var data = Data()
        while data.count <= mostBytes, let piece = try file.read(upToCount: mostBytes + 1 - data.count), !piece.isEmpty { data += piece }
        return data
    }

    /// What cannot be told is left to whoever opens the file.
    static func isOpenToOthers(_ path: String) -> Bool {
        // A mounted secret is a link into the folder that holds it.
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        guard let file = mode(of: String(cString: real)), file & (S_IROTH | S_IWOTH) != 0 else { return false }
        let folder = URL(fileURLWithPath: String(cString: real)).deletingLastPathComponent().path
        return mode(of: folder).map { $0 & S_IXOTH != 0 } ?? true
    }

    private static let noText = "it holds no text"

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : nil
    }
}

/// Why there is no secret in a file. None of its bytes are in it.
package enum SecretFileError: Error, Equatable, Sendable {
    case unreadable(String)
    case openToOthers
    case empty, severalLines, tooLong

    /// What an operator reads of the file at `path`.
    package func words(at path: String) -> String {
        switch self {
        case .unreadable(let reason): "cannot read \(path): \(reason)"
        case .openToOthers:
            "others can read or write \(path): run chmod o-rwx \(path) or close its folder to others, and change the secret if they may have read it"
        case .empty: "\(path) is empty"
        case .severalLines: "\(path) has more than one line: leave the secret alone in it"
        case .tooLong: "\(path) has more than \(SecretFile.mostBytes) bytes: a secret is one line"
        }
    }
}

extension SettingsError {
    /// Of the file that a setting names.
    init(_ error: SecretFileError, of key: SettingKey, at path: String) {
        self =
            switch error {
            case .unreadable(let reason): .unreadable(key, path: path, reason: reason)
            case .openToOthers: .openSecret(key, path: path)
            case .empty: .unreadable(key, path: path, reason: "the file is empty")
            case .severalLines: .unreadable(key, path: path, reason: "it has more than one line: leave the key alone in it")
            case .tooLong: .unreadable(key, path: path, reason: "it has more than \(SecretFile.mostBytes) bytes: leave the key alone in it")
            }
    }
}
