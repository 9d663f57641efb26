import Foundation
import OstiaryMobile

/// A terminal as a screen. One question at a time; each waits on a thread of its own.
enum Screen {
    static func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    static func complain(_ error: OstiaryError) {
        switch error.advice {
        case .retry: show("That did not work now (\(error)). Try again.")
        case .askUser: show("That did not work: \(error).")
        case .giveUp: show("That will not work: \(error)\(error.code.map { " (\($0))" } ?? "").")
        }
    }

    /// Runs what may fail, and tells the person if it does.
    static func telling(_ work: () async throws(OstiaryError) -> Void) async {
        do throws(OstiaryError) { try await work() } catch { complain(error) }
    }

    /// A line; nil when the input is over.
    static func ask(_ question: String) async -> String? {
        await alone {
            show(question)
            return line()
        }
    }

    /// Shows a line over the last one of its kind and waits a second: whether the person pressed Enter. Other questions get their turn in between.
    static func isInterrupted(_ text: String) async -> Bool {
        await alone {
            FileHandle.standardOutput.write(Data("\r\(text) ".utf8))
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&input, 1, 1_000) > 0 else { return false }
            return line() != nil
        }
    }

    static func agrees(_ question: String) async -> Bool { await ask("\(question) [y/n]") == "y" }

    /// Byte by byte: what follows the line may be a PIN, which belongs in no buffer.
    private static func line() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while Foundation.read(STDIN_FILENO, &byte, 1) == 1 {
            if byte == 0x0A { return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces) }
            bytes.append(byte)
        }
        return nil
    }

    private static let turns = DispatchQueue(label: "screen")

    /// Runs a question when those before it were answered.
    static func alone<Value: Sendable>(_ question: @Sendable @escaping () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            turns.async { continuation.resume(returning: question()) }
        }
    }
}
