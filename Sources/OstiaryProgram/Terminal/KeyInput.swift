import Foundation

/// Standard input, one byte at a time and never more than is asked for: the next line may be a PIN, which belongs in no buffer of ours.
package enum KeyInput {
    package enum Key: Equatable {
        case byte(UInt8)
        case endOfInput
        /// Whoever asked no longer wants it.
        case calledOff
    }

    /// Waits for a byte on the calling thread, and looks every 100 ms whether it is still wanted.
    package static func next(from descriptor: Int32 = STDIN_FILENO, isWanted: () -> Bool = { true }) -> Key {
        while isWanted() {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, 100)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            guard ready > 0 else { return .endOfInput }
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            defer { byte = 0 }
            if count == 1 { return .byte(byte) }
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            return .endOfInput
        }
        return .calledOff
    }

    /// A line without its end, or nil at the end of the input or at a Ctrl-C that came as a byte. For answers, never for PINs.
    package static func line(isWanted: () -> Bool = { true }) -> String? {
        var bytes: [UInt8] = []
        while true {
            switch next(isWanted: isWanted) {
            case .byte(ControlKey.newline): return text(bytes)
            case .byte(ControlKey.interrupt): return nil
            case .byte(let byte): bytes.append(byte)
            case .endOfInput: return bytes.isEmpty ? nil : text(bytes)
            case .calledOff: return nil
            }
        }
    }

    /// All that is left of standard input, up to `limit` bytes; nil when there is more.
    package static func everything(limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { return nil }
        }
    }

    /// Runs blocking input on a thread of its own, so that the rest of the program goes on meanwhile.
    package static func onOwnThread<Value: Sendable>(_ body: @Sendable @escaping () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: body()) }.start()
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// The bytes that keys send to a terminal without line editing.
package enum ControlKey {
    package static let interrupt: UInt8 = 0x03
    package static let endOfTransmission: UInt8 = 0x04
    package static let backspace: UInt8 = 0x08
    package static let newline: UInt8 = 0x0A
    package static let carriageReturn: UInt8 = 0x0D
    package static let eraseLine: UInt8 = 0x15
    package static let suspend: UInt8 = 0x1A
    package static let escape: UInt8 = 0x1B
    package static let delete: UInt8 = 0x7F
}
