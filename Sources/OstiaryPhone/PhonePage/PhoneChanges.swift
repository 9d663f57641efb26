import HTTPService

/// Counts what changes on the phones of a page, and lets a request wait for the next change.
final class PhoneChanges: Sendable {
    private let count = AwaitedValue(1)

    init() {}

    /// Goes up with every change.
    var version: Int { count.value }

    /// Something is other than it was.
    func note() { count.change { $0 += 1 } }

    /// Returns when something has changed since the version that the caller knows, or when the task is cancelled. A version that never was is one that
    /// was changed.
    func wait(since known: Int) async { await count.wait { $0 != known } }
}
