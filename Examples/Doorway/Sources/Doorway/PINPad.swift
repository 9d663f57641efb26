import Foundation
import OstiaryMobile

/// Digits from the keys straight into a `PIN`: no string, no buffer, no echo.
enum PINPad {
    /// One PIN; nil when the person cancels with Escape, or the input is over.
    static func read(_ prompt: String) async -> PIN? {
        await Screen.alone {
            Screen.show(prompt)
            let saved = quiet()
            defer { restore(saved) }
            return digits()
        }
    }

    private static func digits() -> PIN? {
        let pin = PIN()
        var key: UInt8 = 0
        while Foundation.read(STDIN_FILENO, &key, 1) == 1 {
            switch key {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): pin.append(digit: key - UInt8(ascii: "0"))
            case 0x08, 0x7F: pin.removeLast()
            case 0x0A, 0x0D: return pin
            case 0x03, 0x1B: return nil
            default: break
            }
        }
        return nil
    }

    /// The terminal without echo; nil when there is no terminal.
    private static func quiet() -> termios? {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return nil }
        let saved = mode
        mode.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
        return saved
    }

    private static func restore(_ saved: termios?) {
        guard var saved else { return }
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
    }
}
