import Foundation
import OstiaryMobile

/// A terminal as the app's screen. Byte by byte: what follows a line may be a PIN, which belongs in no buffer and no string.
enum Terminal {
    private static let turns = DispatchQueue(label: "terminal")

    /// One line. Parts of it were written by others, whom a terminal would obey: a control character moves the cursor or sets the title.
    static func show(_ line: String) {
        let text = line.unicodeScalars.map { $0.properties.generalCategory == .control || $0.properties.isBidiControl ? "\u{FFFD}" : $0 }
        FileHandle.standardOutput.write(Data((String(String.UnicodeScalarView(text)) + "\n").utf8))
    }

    /// A line; nil when the input is over.
    static func line() async -> String? {
        await waiting {
            var bytes: [UInt8] = []
            while let byte = next() {
                if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
                bytes.append(byte)
            }
            return nil
        }
    }

    /// Digits without echo, straight from the keys; nil when the input is over.
    static func pin() async -> PIN? {
        await waiting {
            show("PIN:")
            let usual = echo(false)
            defer { if let usual { _ = echo(true, usual) } }
            let pin = PIN()
            while let byte = next() {
                if byte == UInt8(ascii: "\n") { return pin }
                if byte >= UInt8(ascii: "0") { pin.append(digit: byte - UInt8(ascii: "0")) }
            }
            return nil
        }
    }

    private static func next() -> UInt8? {
        var byte: UInt8 = 0
        return read(STDIN_FILENO, &byte, 1) == 1 ? byte : nil
    }

    /// - Returns: how the terminal was; nil where there is none.
    private static func echo(_ isOn: Bool, _ usual: termios? = nil) -> termios? {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return nil }
        let before = mode
        if let usual { mode = usual }
        if !isOn { mode.c_lflag &= ~tcflag_t(ECHO) }
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        return before
    }

    private static func waiting<Value: Sendable>(_ read: @Sendable @escaping () -> Value) async -> Value {
        await withCheckedContinuation { continuation in turns.async { continuation.resume(returning: read()) } }
    }
}
