import OstiaryProtocol

/// How long things stay that are over.
package enum Retention {
    /// Seconds for which a finished session and its nonce are kept, so that late phones and pages are told what became of it.
    package static let finishedSession: UInt64 = 86_400
    /// The same of a session that ran out before anybody decided: no phone signed anything that could be asked about, nor a wrong number, which counts for
    /// a day (`NumberBudget`).
    package static let unusedSession: UInt64 = 120
    /// Seconds for which an enrolment is kept after its time, so that a repeat is answered alike.
    package static let enrolment: UInt64 = 3_600
}

extension Session {
    /// Whether the session, as it is stored, has been over for so long that it may go.
    package func isForgotten(at now: Instant) -> Bool {
        let retention: UInt64 =
            switch state {
            case .open, .expired: push.map(\.wrongNumbers) ?? 0 > 0 ? Retention.finishedSession : Retention.unusedSession
            case .claimed, .returning, .denied, .loggedIn, .stopped: Retention.finishedSession
            }
        return lastMoment.map { $0 < now - retention } ?? false
    }
}
