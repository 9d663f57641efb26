import Authentication
import Database
import OstiaryProtocol
import Synchronization

/// Logins in memory, as getSession reads them: for a database that nobody else writes to (docs/decisions/0061).
///
/// It says what the rows say at that moment, never what they said. What a transaction writes is dropped when it is written and kept out until the transaction
/// has ended, before anybody is told; and a reader keeps what it read only if nothing ended meanwhile. So it needs to know of every change of a row that a
/// view is made of (``watched``): the database tells it, whatever statement makes the change.
///
/// What is kept is the row, and in its place what the domain said of it; what that means at a moment is asked of the domain each time. Nothing is kept but logins:
/// whatever else there is, and that there is nothing, is read. The lock is held for look-ups only, never while anybody reads.
final class SessionViews: RowWatcher {
    /// What a view is made of: ``SQLRows/view(nonceHash:of:)`` reads these tables and no other.
    static let watched = [WatchedRows("nonce", named: "hash"), WatchedRows("session", named: "id"), WatchedRows("account", named: "id")]

    /// What is found of a nonce.
    enum Look {
        case known(SeenView)
        /// It has to be read, and may be kept by this generation.
        case unknown(UInt64)
    }

    private struct State {
        var kept: KeptViews
        /// How many transactions that wrote something have ended.
        var generation: UInt64 = 0
        /// What transactions that have not ended have written; nil for more than is noted.
        var unsettled: Set<SessionPart>? = []
        /// Changes are not heard of any more.
        var isOver = false
    }

    private let state: Mutex<State>

    /// More rows than this of one transaction are all rows.
    private static let mostUnsettled = 10_000

    init(most: KeptViews.Bounds = .ofServer) { state = Mutex(State(kept: KeptViews(most: most))) }

    /// Those of a database; nil where it is others' too, or does not tell.
    /// - Throws: `SQLError`.
    static func of(_ database: any Database) async throws -> SessionViews? {
        let views = SessionViews()
        return try await database.watch(watched, by: views) ? views : nil
    }

    /// The view of a nonce, read where it is not known.
    func view(nonceHash: [UInt8], of server: ServerID, orRead read: () -> SessionView?) -> SeenView? {
        switch look(nonceHash: nonceHash, of: server) {
        case .known(let seen): seen
        case .unknown(let generation): read().map { keep($0, nonceHash: nonceHash, of: server, since: generation) }
        }
    }

    func look(nonceHash: [UInt8], of server: ServerID) -> Look {
        state.withLock { state in state.kept.view(nonceHash: nonceHash, of: server).map(Look.known) ?? .unknown(state.generation) }
    }

    /// Keeps what was read, unless it may have changed since.
    /// - Parameter generation: of before it was read.
    /// - Returns: it, kept or not.
    @discardableResult
    func keep(_ view: SessionView, nonceHash: [UInt8], of server: ServerID, since generation: UInt64) -> SeenView {
        guard let entry = KeptView(view, nonceHash: nonceHash, of: server) else { return SeenView(view) }
        state.withLock { state in
            guard state.generation == generation, !state.isOver, state.unsettled?.isDisjoint(with: entry.parts) == true else { return }
            state.kept.keep(entry)
        }
        return entry.seen
    }

    func rowChanges(_ name: [UInt8], in table: String) {
        let part = SessionPart(name, in: table)
        let isNoted = state.withLock { state in
            guard let part, let count = state.unsettled?.count, count < Self.mostUnsettled else { return false }
            if state.unsettled?.insert(part).inserted == true { state.kept.drop(part) }
            return true
        }
        if !isNoted { dropAll { $0.unsettled = nil } }
    }

    func changesEnded() {
        state.withLock { state in
            state.generation += 1
            state.unsettled = []
        }
    }

    func watchEnded() { dropAll { $0.isOver = true } }

    /// What is dropped is taken apart without the lock: of many that takes a while.
    private func dropAll(_ change: @Sendable (inout State) -> Void) {
        _ = state.withLock { state in
            change(&state)
            defer { state.kept = KeptViews(most: state.kept.most) }
            return state.kept
        }
    }

    /// How many are kept, and their bytes, about.
    var size: (count: Int, bytes: Int) { state.withLock { ($0.kept.count, $0.kept.bytes) } }
}
