import Foundation

/// A terminal without a screen, for a program that asks a person.
final class PseudoTerminal: Sendable {
    private let master: Int32
    /// What the program has as its standard input.
    let handle: FileHandle

    init() throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (unlocked, number): (Int32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, Self.unlock, &unlocked) == 0, ioctl(master, Self.nameNumber, &number) == 0 else {
            throw Timeout(description: "no terminal")
        }
        let end = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard end >= 0 else { throw Timeout(description: "no terminal") }
        handle = FileHandle(fileDescriptor: end, closeOnDealloc: true)
    }

    // TIOCSPTLCK and TIOCGPTN of Linux, macros that Swift does not import.
    private static let unlock: UInt = 0x4004_5431
    private static let nameNumber: UInt = 0x8004_5430

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
