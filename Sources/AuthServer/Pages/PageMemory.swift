import OstiaryProtocol

/// What an open page remembers because the store does not know it.
struct PageMemory: Sendable {
    /// Whether a phone has read the code that is shown. A hint and no more: anybody may read it, so it takes nothing off the page (protocol §4).
    private(set) var isRead = false

    init() {}

    /// A phone has read the code of a login.
    mutating func noteScan() { isRead = true }

    /// The page shows this now.
    mutating func note(_ shown: PageSnapshot.State) {
        if shown != .waiting { isRead = false }
    }
}
