import OstiaryProtocol

/// What an open page remembers so that what it shows makes sense to the person: the store does not know of everything that was on a screen.
struct PageMemory: Sendable {
    /// Whether a phone has read the code that is shown. A hint and no more: anybody may read it, so it takes nothing off the page (protocol §4).
    private(set) var isRead = false
    private var last: PageSnapshot.State?

    init() {}

    /// A phone has read the code of a login.
    mutating func noteScan() { isRead = true }

    /// What to show when the store says `next`.
    mutating func state(_ next: PageSnapshot.State, of kind: PageKind) -> PageSnapshot.State {
        let shown = adjusted(next, of: kind)
        if shown != .waiting { isRead = false }
        last = shown
        return shown
    }

    private func adjusted(_ next: PageSnapshot.State, of kind: PageKind) -> PageSnapshot.State {
        guard next == .waiting else { return next }
        switch kind {
        case .login: return .waiting
        // The phone had the enrolment and gave it back: its person said no.
        case .enrol: return last == .scanned || last == .declined ? .declined : .waiting
        }
    }
}
