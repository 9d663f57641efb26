import Foundation

/// A terminal as a screen.
enum Screen {
    private static let turns = DispatchQueue(label: "keyboard")

    /// One line, at once, also where a program reads it. Parts of it were written by others, whom it does not obey.
    static func show(_ line: String) { FileHandle.standardOutput.write(Data((line.asText + "\n").utf8)) }

    static func show(_ lines: [String], or none: String) {
        for line in lines.isEmpty ? [none] : lines { show(line) }
    }

    /// The next line; nil when the input is over. It waits on a thread of its own, so that everything else goes on.
    static func line() async -> String? {
        await withCheckedContinuation { continuation in
            turns.async { continuation.resume(returning: readLine()) }
        }
    }
}

extension String {
    /// Without what a terminal obeys: a control character moves the cursor or sets the title, a break makes a line that nobody said, and a mark of direction turns
    /// around what stands beside it.
    fileprivate var asText: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isText ? $0 : "\u{FFFD}" }))
    }
}

extension Unicode.Scalar {
    fileprivate var isText: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !properties.isBidiControl
        }
    }
}
