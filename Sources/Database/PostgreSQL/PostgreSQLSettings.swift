/// How patient a database is, and how it tries again. Time and randomness come from here, so that a test has none of either.
package struct PostgreSQLSettings: Sendable {
    /// Connections at a time. Opened when they are needed, and kept.
    package var connections = 16
    /// Callers that wait for a connection; whoever comes then is refused.
    package var mostWaiting = 4096
    /// How long the server may work at one statement, in milliseconds: less than anybody waits for an answer.
    package var statementTimeout = 3_000
    /// How long a statement waits for a row or table that somebody else holds, in milliseconds.
    package var lockTimeout = 2_000
    /// How long the server may say nothing, in milliseconds. Then the connection is given up; longer than a statement may take.
    package var silence = 3_500
    /// How long a call may take in all, in milliseconds: waiting for a connection, making one, and each run of its body. Only a COMMIT that was sent is
    /// waited for beyond it, for `silence`: whether it was kept is worth that.
    package var callTime = 5_000
    /// How long a patient transaction waits for the answer to its COMMIT, in milliseconds.
    package var patientCommit = 60_000
    /// How long a transaction may do nothing, in milliseconds, after which the server ends it.
    package var idleTimeout = 7_000
    /// How long making a connection may take, in milliseconds, with all the hosts that are asked for it: less than readiness waits, so that it can say so.
    package var connectTimeout = 2_500
    package var retry = RetryPlan()
    package var announcing = AnnouncementPlan()
    /// How the server names this program's connections, at most 63 bytes and beginning with “ostiary”: who makes a step of the schema looks for those of others.
    package var program = Self.ownProgram

    private static let ownProgram = "ostiary \(String(UInt64.random(in: 0...UInt64.max), radix: 16))"

    package init() {}
}

/// How often a body is begun again after a conflict, and how long is waited before.
///
/// At once the first time: the server promises that the one whom it sent away does not lose to the same rival again. Then longer each time, and by a
/// draw, so that many who meet at one row come apart.
package struct RetryPlan: Sendable {
    /// Runs of a body in all.
    package var mostRuns = 40
    /// The longest pause before the third run, in milliseconds; twice as long before each that follows.
    package var firstPause: UInt64 = 2
    /// No pause is longer, in milliseconds.
    package var longestPause: UInt64 = 100
    /// Draws a number below the bound, which is at least 1.
    package var draw: @Sendable (_ bound: UInt64) -> UInt64 = { .random(in: 0..<$0) }
    /// Waits for so many milliseconds, or shorter in a task that was cancelled.
    package var wait: @Sendable (_ milliseconds: UInt64) async -> Void = { try? await Task.sleep(for: .milliseconds($0)) }

    package init() {}

    /// Milliseconds before the next run; nil when there is to be none.
    /// - Parameter runs: how often the body has run.
    package func pause(after runs: Int) -> UInt64? {
        guard runs < mostRuns else { return nil }
        guard runs > 1 else { return 0 }
        let longest = min(longestPause, firstPause << UInt64(min(runs - 2, 16)))
        return draw(longest + 1)
    }
}
