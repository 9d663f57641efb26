import Logging
import Synchronization

/// Tells the operator that a check fails: once for each reason in one failing, and when it passes again, whoever asked and however often.
///
/// A check that fails now for this reason and now for that says each of them once. What several checks meet at once, a database that is away, is told with
/// the first of them; one that still fails for it when that one has passed is told then.
final class CheckLog: Sendable {
    /// What became of one check.
    struct Finding {
        let check: String
        /// Nil when it passed.
        let reason: String?
    }

    private let failures = Mutex<[String: Failing]>([:])

    /// - Parameter findings: of checks that were asked together; what is behind others comes first.
    func note(_ findings: [Finding], logger: Logger) {
        let news = failures.withLock { failures in findings.indices.map { failures.note(findings[$0], behind: findings[..<$0]) } }
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

extension [String: Failing] {
    fileprivate mutating func note(_ finding: CheckLog.Finding, behind others: ArraySlice<CheckLog.Finding>) -> News {
        guard let reason = finding.reason else { return end(finding.check) }
        let isToldThere = others.contains { $0.reason == reason && self[$0.check]?.isTold == true }
        return self[finding.check, default: Failing()].note(reason, isToldThere: isToldThere)
    }

    private mutating func end(_ check: String) -> News {
        guard removeValue(forKey: check)?.isTold == true else { return .none }
        for other in keys where self[other]?.isTold == false { self[other]?.patience = Failing.looks }
        return .passes
    }
}

/// One check, from when it failed until it passes.
private struct Failing {
    /// Reasons that were told of it, or of another check when this one came to them.
    private var known: Set<String> = []
    /// Whether a line had its name.
    private(set) var isTold = false
    /// How often it may still fail for what was told of a check that has passed since.
    var patience: Int?

    /// An answer of before holds for some seconds (``CachedCheck``), in which somebody may ask each second.
    static let looks = 3

    /// With so many reasons they are no news any more.
    private static let mostReasons = 16

    mutating func note(_ reason: String, isToldThere: Bool) -> News {
        let isNew = known.count < Self.mostReasons && known.insert(reason).inserted
        if isToldThere { return .none }
        if isNew { return tell(reason) }
        guard let left = patience else { return .none }
        patience = left - 1
        return left > 0 ? .none : tell(reason)
    }

    private mutating func tell(_ reason: String) -> News {
        (isTold, patience) = (true, nil)
        return .fails(reason)
    }
}
