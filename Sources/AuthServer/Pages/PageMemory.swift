import OstiaryProtocol

/// What an open page remembers so that what it shows makes sense to the person: the store does not know of everything that was on a screen.
struct PageMemory: Sendable {
    /// Seconds for which a page waits for the phone that has read its login code. A scan claims nothing, so then the code comes back.
    static let patience: UInt64 = 30

    private var scannedAt: Instant?
    private var last: PageSnapshot.State?

    init() {}

    /// A phone has read the code of a login.
    mutating func noteScan(at now: Instant) { scannedAt = now }

    /// What to show when the store says `next`.
    mutating func state(_ next: PageSnapshot.State, of kind: PageKind, at now: Instant) -> PageSnapshot.State {
        let shown = adjusted(next, of: kind, at: now)
        if shown != .waiting && shown != .scanned { scannedAt = nil }
        last = shown
        return shown
    }

    private func adjusted(_ next: PageSnapshot.State, of kind: PageKind, at now: Instant) -> PageSnapshot.State {
        guard next == .waiting else { return next }
        switch kind {
        case .login: return scannedAt.map { now < $0 + Self.patience } == true ? .scanned : .waiting
        // The phone had the enrolment and gave it back: its person said no.
        case .enrol: return last == .scanned || last == .declined ? .declined : .waiting
        }
    }
}
