/// Something without which a server cannot do its work: its database, the other server.
package protocol ReadinessCheck: Sendable {
    /// A word for the report, `database` for example.
    var name: String { get }
    /// The check without which this one can't pass: while that fails, what fails here is told there, once. Nil for none.
    var behind: String? { get }
    /// Throws, with a one-line description, if the thing does not answer. Called for every question, so it is cheap.
    func check() async throws
    /// The same for the server's own look: no answer of before counts, which would make the time between two looks longer.
    func look() async throws
}

extension ReadinessCheck {
    package var behind: String? { nil }
    package func look() async throws { try await check() }
}

/// A check from a closure.
package struct NamedCheck: ReadinessCheck {
    package let name: String
    package let behind: String?
    private let body: @Sendable () async throws -> Void

    package init(_ name: String, behind: String? = nil, _ body: @Sendable @escaping () async throws -> Void) {
        self.name = name
        self.behind = behind
        self.body = body
    }

    package func check() async throws {
        try await body()
    }
}

/// Why a check failed, where its words have more than the reason: since when it is so, for example. The report has all of them. The log has the reason, which
/// is the same as long as its cause is, and is told as often as one reason is.
package protocol ReasonedFailure: Error, CustomStringConvertible {
    var reason: String { get }
}

/// Something to know that is as an operator wants it: thrown by a check that is only told, it stands in the full report and not in the log.
package struct ReadinessNote: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ finding: some CustomStringConvertible) { description = finding.description }
}

/// Why a check failed without an error of its own.
enum ReadinessError: Error, CustomStringConvertible {
    case noAnswer(Duration)

    var description: String {
        switch self {
        case .noAnswer(let time): "no answer within \(time.components.seconds) s"
        }
    }
}
