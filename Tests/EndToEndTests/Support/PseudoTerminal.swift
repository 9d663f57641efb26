import Foundation

/// A terminal without a screen, for a program that asks a person.
final class PseudoTerminal: Sendable {
    private let master: Int32
    /// What the program has as its standard input.
    let handle: FileHandle

    init() throws {
        master = posix_openpt(O_RDWR | O_NOCTTY)
        guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else { throw Timeout(description: "no terminal") }
        let end = open(name, O_RDWR | O_NOCTTY)
        guard end >= 0 else { throw Timeout(description: "no terminal") }
        handle = FileHandle(fileDescriptor: end, closeOnDealloc: true)
    }

    deinit { close(master) }

    /// Whether keys are shown.
    var echoes: Bool {
        var mode = termios()
        tcgetattr(handle.fileDescriptor, &mode)
        return mode.c_lflag & tcflag_t(ECHO) != 0
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    }
}
