import Foundation

/// Output that is out when the call returns: scripts read our lines while we run, and a buffer would keep them.
package enum StandardStreams {
    /// One line on standard output.
    package static func print(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    /// The one line that a command is for, on standard output: whoever reads it must not take its absence for success.
    /// - Throws: ``OutputFailure``.
    package static func deliver(_ line: String) throws(OutputFailure) {
        let error = write(line + "\n", to: STDOUT_FILENO)
        guard error == 0 else { throw OutputFailure(number: error) }
    }

    /// Puts something in the place of standard descriptors that are closed, on which nothing can be written: the next file that is opened would be one of
    /// them, and get our lines. To be called before anything is opened.
    package static func fillGaps() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // Takes the lowest that is free, which is this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// One line on standard error.
    package static func printError(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    /// Text as it is, without a line end.
    /// - Returns: 0, or the number of the error after which the rest of it was given up.
    @discardableResult
    package static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR && errno != EAGAIN {
                return errno
            }
        }
        return 0
    }

    /// Whether a person is at the other end of standard output.
    package static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether a person is at the other end of standard input.
    package static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// How many columns the terminal there has; 80 when it does not say, or is none.
    package static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Bold where a person reads it.
    package static func emphasised(_ text: String) -> String { outputIsTerminal ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}

/// Standard output takes nothing.
package struct OutputFailure: Error, CustomStringConvertible {
    /// Of the system's list of errors.
    package let number: Int32

    package var description: String { "standard output takes nothing: \(String(cString: strerror(number)).lowercased())" }
}
