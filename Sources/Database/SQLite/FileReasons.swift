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
    case EROFS: "\(systemReason(code)): mount it for writing (a unit of systemd: ReadWritePaths), or name another folder"
    case EACCES, EPERM: withAdvice(systemReason(code), path.map { WritingRight(of: $0) })
    default: systemReason(code)
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
    case .fileWriteNoPermission: withAdvice(reason, path.map { WritingRight(of: $0) })
    default: reason
    }
}

/// Why a file that is there cannot be read; where it is not ours to read, with what to do.
/// - Parameter code: of the system call that has failed.
func readingReason(_ code: Int32, of path: String) -> String {
    switch code {
    case EACCES, EPERM: withAdvice(systemReason(code), WritingRight(of: path, onlyReading: true))
    default: systemReason(code)
    }
}

private func withAdvice(_ reason: String, _ right: WritingRight?) -> String { right?.advice.map { "\(reason): \($0)" } ?? reason }

/// What an operator does about a file that this process cannot read for want of a right, or of a folder above it that lets nobody through; nil where none
/// is wanting.
package func readingAdvice(of path: String) -> String? {
    access(path, R_OK) == 0 ? nil : WritingRight(of: path, onlyReading: true).advice
}
