import Foundation

/// A named pipe that takes nothing more until a test reads it: the standard error of a server whose log reader stands still.
package final class FullPipe: Sendable {
    package let path: String
    private let descriptor: Int32
    private let filling: Int

    /// Throws unless the system gives a pipe.
    package init(in folder: TemporaryFolder) throws {
        path = folder.file("full-pipe")
        guard mkfifo(path, 0o600) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let block = [UInt8](repeating: 0, count: 1024)
        var filling = 0
        while true {
            let written = write(descriptor, block, block.count)
            guard written > 0 else { break }
            filling += written
        }
        self.filling = filling
        _ = fcntl(descriptor, F_SETFL, 0)
    }

    deinit { close(descriptor) }

    /// Reads what it was filled with, so that whoever writes goes on. Once.
    package func makeRoom() {
        var left = filling
        var block = [UInt8](repeating: 0, count: 4096)
        while left > 0 { left -= max(0, read(descriptor, &block, min(left, block.count))) }
    }

    /// Reads up to the end of a line, and waits for it.
    package func line() -> String {
        var (line, byte) = ([UInt8](), UInt8(0))
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }
}
