import Foundation

/// The root key is kept apart and was not given at this start. No fault: until the newest operational key ends the server does all its work.
package struct RootKeyMissing: Error, Equatable, CustomStringConvertible {
    package enum Stage: Sendable {
        /// Its next operational key is not to be certified yet.
        case early
        /// It is, and the newest one still signs.
        case due
        /// The newest one has ended.
        case over
    }

    /// When the newest operational key ends, in Unix seconds; likewise from when on the next is to be certified.
    package let end: UInt64
    package let begin: UInt64
    package let stage: Stage

    /// - Parameter overlap: how many seconds before the end of a key the next is certified.
    package init(end: UInt64, overlap: UInt64, now: UInt64) {
        self.end = end
        begin = end - min(overlap, end)
        stage =
            if end < now {
                .over
            } else if begin <= now {
                .due
            } else {
                .early
            }
    }

    package var description: String {
        let then =
            switch stage {
            case .early:
                "nothing is due; start once with --root-key FILE after \(Self.text(begin)), or the server cannot sign after \(Self.text(end))"
            case .due: "start again with --root-key FILE, or the server cannot sign after \(Self.text(end))"
            case .over: "start again with --root-key FILE; the server has not been able to sign since \(Self.text(end))"
            }
        return "the root key is kept apart and was not given: \(then)"
    }

    private static func text(_ seconds: UInt64) -> String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }
}

/// Tells that the root key is withheld, and when it is wanted; from then on in the log, too. For the checks that are only told.
package struct RootKeyCheck: ReadinessCheck {
    package let name = "root-key"
    package let behind: String?
    private let missing: @Sendable () async throws -> RootKeyMissing?

    /// - Parameter missing: what is to be told now; nil where the root key is here.
    package init(behind: String? = nil, _ missing: @Sendable @escaping () async throws -> RootKeyMissing?) {
        self.behind = behind
        self.missing = missing
    }

    package func check() async throws {
        guard let missing = try await missing() else { return }
        if missing.stage == .early { throw ReadinessNote(missing) }
        throw missing
    }
}
