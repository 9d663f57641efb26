import Foundation

/// What the last failed system call says about itself.
func systemReason() -> String { systemReason(errno) }

private func systemReason(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }

/// Why a file cannot be made or written; where there is no room for it, or it is not ours to write, with what to do.
/// - Parameters:
///   - code: of the system call that has failed.
///   - path: the file; nil where its owner is told elsewhere.
func makingReason(_ code: Int32, of path: String? = nil) -> String {
    switch code {
    case ENOSPC: "the disk is full: free some space there, then try again"
    case EDQUOT: "the quota is full: free some space there, or raise it, then try again"
    case EROFS:
        "\(systemReason(code)): mount it for writing (a unit of systemd: ReadWritePaths), or "
            + (path.map { ServerFiles.elsewhere(than: LinkTarget.last(of: $0)) } ?? "name another folder")
    default: withAdvice(systemReason(code), path.flatMap { advice(on: code, WritingRight(of: $0, after: code)) })
    }
}

/// Writes a few bytes and waits until the disk has them.
/// - Returns: why it cannot; nil where they are there.
func failure(writing text: [UInt8], to descriptor: Int32) -> String? {
    let written = write(descriptor, text, text.count)
    // So few bytes are cut only where there is no room for all of them.
    let code = written == text.count ? 0 : written < 0 ? errno : ENOSPC
    guard code == 0, fsync(descriptor) == 0 else {
        let reason = makingReason(code == 0 ? errno : code)
        return FileSizeLimit.reason(against: text.count) ?? reason
    }
    return nil
}

/// Why a folder cannot be made, by the error that says so.
/// - Parameter path: the file that is to lie in it; nil where its owner is told elsewhere.
func folderReason(_ error: any Error, of path: String? = nil) -> String {
    let reason = "its folder cannot be made"
    return switch (error as? CocoaError)?.code {
    case .fileWriteOutOfSpace: "\(reason): the disk or a quota is full: free some space there, then try again"
    case .fileWriteVolumeReadOnly: "\(reason): \(makingReason(EROFS))"
    case .fileWriteNoPermission: withAdvice(reason, path.flatMap { WritingRight(of: $0).advice })
    default: withAdvice(reason, path.flatMap { FileWay.trouble(above: $0) })
    }
}

/// Why a file cannot be read; where it is not ours to read, or the way to it leads nowhere, with what to do.
/// - Parameters:
///   - code: of the system call that has failed.
///   - inDataFolder: whether the server writes other files beside it.
func readingReason(_ code: Int32, of path: String, inDataFolder: Bool = false) -> String {
    withAdvice(systemReason(code), advice(on: code, WritingRight(of: path, onlyReading: true, inDataFolder: inDataFolder)))
}

private func withAdvice(_ reason: String, _ advice: String?) -> String { advice.map { "\(reason): \($0)" } ?? reason }

/// What an operator does about a file that this process cannot read, for want of a right, or since a folder above it lets nobody through, or since the way to it
/// leads nowhere; nil where it can be read, or is missing and nothing else.
package func readingAdvice(of path: String) -> String? {
    access(path, R_OK) == 0 ? nil : advice(on: errno, WritingRight(of: path, onlyReading: true))
}

/// The one place that knows what becomes of which error.
private func advice(on code: Int32, _ right: WritingRight) -> String? {
    switch code {
    case EACCES, EPERM, EISDIR: right.advice
    case ENOENT, ENOTDIR, ELOOP: FileWay.trouble(to: right.path)
    default: nil
    }
}
