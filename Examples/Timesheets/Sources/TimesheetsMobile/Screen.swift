import Foundation

/// A terminal as a screen.
enum Screen {
    private static let turns = DispatchQueue(label: "keyboard")

    /// At once, also where a program reads it.
    static func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    static func show(_ lines: [String], or none: String) { show(lines.isEmpty ? none : lines.joined(separator: "\n")) }

    /// The next line; nil when the input is over. It waits on a thread of its own, so that everything else goes on.
    static func line() async -> String? {
        await withCheckedContinuation { continuation in
            turns.async { continuation.resume(returning: readLine()) }
        }
    }
}
