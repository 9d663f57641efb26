import Foundation
import OstiaryProgram
import OstiaryProtocol

/// Reads the digits of a PIN from standard input straight into locked memory: no string, no buffer, one byte at a time.
struct PINEntry: Sendable {
    enum Outcome: Sendable {
        /// ASCII digits.
        case entered(LockedBytes)
        /// The line held something else than digits, or far too many of them.
        case notDigits
        case endOfInput
        case cancelled
    }

    /// Longer than any PIN that a server accepts; what follows on the line is dropped unread into memory.
    private static let longest = 32

    /// One line, from a person at a terminal (nothing is echoed) or from a script.
    /// - Parameter isWanted: asked every 100 ms; false ends the entry as cancelled.
    func read(isWanted: @Sendable @escaping () -> Bool) async -> Outcome {
        await KeyInput.onOwnThread {
            QuietTerminal.enter()
            defer { QuietTerminal.leave() }
            return readLine(isWanted: isWanted)
        }
    }

    private func readLine(isWanted: () -> Bool) -> Outcome {
        guard let digits = try? LockedBytes(capacity: Self.longest) else { return .cancelled }
        var isClean = true
        while true {
            let key = KeyInput.next(isWanted: isWanted)
            guard case .byte(let byte) = key else {
                return key == .calledOff ? .cancelled : digits.isEmpty && isClean ? .endOfInput : finished(digits, isClean)
            }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): isClean = (try? digits.append(byte)) != nil && isClean
            case ControlKey.newline: return finished(digits, isClean)
            case ControlKey.carriageReturn: if StandardStreams.inputIsTerminal { return finished(digits, isClean) }
            case ControlKey.backspace, ControlKey.delete: digits.removeLast()
            case ControlKey.eraseLine: digits.clear()
            case ControlKey.interrupt, ControlKey.escape, ControlKey.suspend: return .cancelled
            case ControlKey.endOfTransmission: return .endOfInput
            default: isClean = false
            }
        }
    }

    private func finished(_ digits: LockedBytes, _ isClean: Bool) -> Outcome {
        isClean ? .entered(digits) : .notDigits
    }
}
