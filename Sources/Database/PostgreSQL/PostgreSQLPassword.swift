import Foundation

/// What a server asks of its user.
struct PostgreSQLPassword: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let text: String

    var description: String { "‹secret›" }
    var debugDescription: String { "‹secret›" }

    /// - Parameter file: with the password in it, and perhaps a line end; nobody but its owner and group can read it.
    /// - Throws: ``PostgreSQLLink/Loss``.
    init(file: String) throws(PostgreSQLLink.Loss) {
        // A pipe that nobody writes into would be waited for without end.
        let descriptor = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw PostgreSQLLink.Loss(reason: "the password file \(file) cannot be read: \(systemReason())") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw PostgreSQLLink.Loss(reason: "the password file \(file) is no regular file")
        }
        guard status.st_mode & 0o007 == 0 else {
            throw PostgreSQLLink.Loss(reason: "others can read the password file \(file): run chmod 600 \(shellWord(file))")
        }
        let content = (try? handle.read(upToCount: 4096)) ?? nil
        let line = content.flatMap { String(data: $0, encoding: .utf8) }.map { $0.trimmingCharacters(in: .newlines) } ?? ""
        guard !line.isEmpty, !line.contains(where: { $0.isNewline || $0 == "\0" }) else {
            throw PostgreSQLLink.Loss(reason: "the password file \(file) does not hold one line")
        }
        text = line
    }
}
