import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file that `--output` names, opened before anything is asked, so that nothing is done whose answer could not be kept.
///
/// A file is this user's only afterwards, and one that was there keeps what it had until the answer has come. What is no file, `/dev/null` or a pipe, takes the bytes and stays
/// what it is.
final class AnswerFile {
    private let path: String
    private let descriptor: Int32
    /// Made here, and still without an answer: goes with this.
    private var isBlank: Bool

    /// - Throws: ``AnswerFileError/cannotOpen(_:)``.
    init(_ path: String) throws(AnswerFileError) {
        self.path = path
        let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        isBlank = made >= 0
        descriptor = made >= 0 ? made : open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotOpen(path) }
    }

    deinit {
        close(descriptor)
        if isBlank { unlink(path) }
    }

    /// - Parameter advice: what to do where there is no room, for whoever reads the error.
    /// - Throws: ``AnswerFileError/noRoom(_:advice:)``.
    func write(_ bytes: [UInt8], advice: String) throws(AnswerFileError) {
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        do {
            if isFile, fchmod(descriptor, 0o600) != 0 || ftruncate(descriptor, 0) != 0 { throw CocoaError(.fileWriteUnknown) }
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: Data(bytes))
            // A disk may say only now that it is full.
            if isFile, fsync(descriptor) != 0 { throw CocoaError(.fileWriteUnknown) }
        } catch { throw .noRoom(path, advice: advice) }
        isBlank = false
    }
}

/// What `--output` names takes no answer.
enum AnswerFileError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(String)
    /// The answer has come, and is lost.
    case noRoom(String, advice: String)

    var description: String {
        switch self {
        case .cannotOpen(let path): "--output: \(path) cannot be written, and nothing was asked"
        case .noRoom(let path, let advice): "--output: the answer could not be written to \(path): \(advice)"
        }
    }

    var exit: PhoneExit {
        switch self {
        case .cannotOpen: .usage
        case .noRoom: .other
        }
    }
}
