import Foundation

/// A run that is longer than that of `make test`, which scripts/soak makes, waits for, and may end before its time.
enum Soak {
    private static let environment = ProcessInfo.processInfo.environment

    /// That it takes; nil in `make test`.
    static let minutes = environment["OSTIARY_SOAK_MINUTES"].flatMap { Int($0) }

    private static let end = environment["OSTIARY_SOAK_STOP"]

    /// Whether somebody wants it to end: by a file that is there then.
    static var isToEnd: Bool { end.map { FileManager.default.fileExists(atPath: $0) } ?? false }

    /// A run that is ended before that shows nothing, and fails for nothing that it has not seen.
    static let shortest: Duration = .seconds(90)

    /// Tells whoever waits, at once: a pipe would keep it.
    static func tell(_ line: String) {
        print(line)
        fflush(nil)
    }
}
