import Logging
import Synchronization

/// Tells the operator that a check fails, and when it passes again, whoever asked and however often: of each check as ``ToldReasons`` has it.
///
/// What several checks meet at once, a database that is away, is told with the first of them; one that still fails for it when that one has passed is told
/// then.
final class CheckLog: Sendable {
    /// What became of one check.
    struct Finding {
        let check: String
        /// Nil when it passed.
        let reason: String?
    }

    private let standings = Mutex(CheckStandings())
    private let clock: @Sendable () -> ContinuousClock.Instant

    /// - Parameter clock: one that never goes back.
    init(clock: @Sendable @escaping () -> ContinuousClock.Instant) { self.clock = clock }

    /// - Parameter findings: of checks that were asked together; what is behind others comes first.
    func note(_ findings: [Finding], logger: Logger) {
        let now = clock()
        let news = standings.withLock { standings in findings.indices.map { standings.note(findings[$0], behind: findings[..<$0], at: now) } }
        for (finding, news) in zip(findings, news) {
            switch news {
            case .none: continue
            case .fails(let reason): logger.line(.warning, "a readiness check failed", [.work: finding.check, .reason: reason])
            case .passes: logger.line(.notice, "a readiness check passes again", [.work: finding.check])
            }
        }
    }
}

private enum News {
    case none, passes
    case fails(String)
}

/// All checks that have ever failed.
private struct CheckStandings {
    private var checks: [String: CheckStanding] = [:]

    mutating func note(
        _ finding: CheckLog.Finding, behind others: ArraySlice<CheckLog.Finding>, at now: ContinuousClock.Instant
    ) -> News {
        guard let reason = finding.reason else { return pass(finding.check) }
        let isToldThere = others.contains { $0.reason == reason && checks[$0.check]?.hasLine == true }
        let isNews = checks[finding.check, default: CheckStanding()].fail(for: reason, isToldThere: isToldThere, at: now)
        return isNews ? .fails(reason) : .none
    }

    private mutating func pass(_ check: String) -> News {
        let hadLine = checks[check]?.hasLine == true
        let isNews = checks[check]?.pass() == true
        if hadLine { for other in checks.keys { checks[other]?.loseFirst() } }
        return isNews ? .passes : .none
    }
}

/// One check, and what was told of it.
private struct CheckStanding {
    private var reasons = ToldReasons()
    private var isFailing = false
    /// Whether the reason that it has now was told before it passed last, a moment ago.
    private var isResting = false
    /// How often it may still fail for what was told of a check that has passed since.
    private var patience: Int?

    /// An answer of before holds for some seconds (``CachedCheck``), in which somebody may ask each second.
    private static let looks = 3

    /// Whether the log has a line of it, of now or of a moment ago.
    var hasLine: Bool { reasons.isTold || isResting }

    /// - Parameter isToldThere: whether another check, which comes first, has this reason too, and a line.
    /// - Returns: whether it is to be told now.
    mutating func fail(for reason: String, isToldThere: Bool, at now: ContinuousClock.Instant) -> Bool {
        isFailing = true
        isResting = reasons.isResting(reason, at: now)
        if isResting { return false }
        if isToldThere {
            reasons.know(reason)
            return false
        }
        if !reasons.note(reason, at: now) {
            guard let left = patience else { return false }
            patience = left - 1
            if left > 0 { return false }
            reasons.tell(reason, at: now)
        }
        patience = nil
        return true
    }

    /// - Returns: whether that is to be told.
    mutating func pass() -> Bool {
        (isFailing, isResting, patience) = (false, false, nil)
        return reasons.end()
    }

    /// A check with a line has passed, which may have spoken for this one.
    mutating func loseFirst() {
        if isFailing, !reasons.isTold { patience = Self.looks }
    }
}
