import Logging
import Synchronization

/// The memory that the unfinished bodies of all requests may hold together; what is beyond is told to come again.
///
/// The first bytes of a body are not counted: each connection may hold as much anyhow, and the messages of phones are hardly longer, so that nobody
/// who fills the budget keeps people from logging in.
package final class BodyBudget: Sendable {
    /// Of listeners that nobody shared out.
    package static let standard = BodyBudget(bytes: 64 << 20)
    /// Of the listener that the request at hand came in by.
    @TaskLocal package static var current = BodyBudget.standard

    private struct State {
        var held = 0
        /// Whether more than half was held since memory was last given back.
        var wasHigh = false
    }

    private let limit: Int
    private let free: Int
    private let told: LimitLog?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - bytes: for all bodies together.
    ///   - free: of each body that are not counted.
    package init(bytes: Int, free: Int = 4096, told: LimitLog? = nil) {
        limit = bytes
        self.free = free
        self.told = told
    }

    /// Bytes that are held at this moment.
    package var held: Int { state.withLock(\.held) }

    /// A part for one body.
    func part() -> Part { Part(of: self) }

    private func take(_ count: Int) -> Bool {
        let isThere = state.withLock { state in
            guard state.held + count <= limit else { return false }
            state.held += count
            if state.held > limit / 2 { state.wasHigh = true }
            return true
        }
        if !isThere { told?.met(.bodies, ["bytes": "\(limit)"]) }
        return isThere
    }

    private func give(_ count: Int) {
        let (isOver, wasHigh) = state.withLock { state in
            state.held -= count
            let isLow = state.held <= limit / 8
            defer { if isLow { state.wasHigh = false } }
            return (state.held <= limit / 2, isLow && state.wasHigh)
        }
        if isOver { told?.over(.bodies) }
        if wasHigh { FreeMemory.giveBack() }
    }

    /// What one body holds; given back when the value goes.
    struct Part: ~Copyable {
        private let budget: BodyBudget
        private var length = 0
        private var counted = 0

        fileprivate init(of budget: BodyBudget) { self.budget = budget }

        /// - Throws: ``ErrorResponse/overloaded`` when all of the budget is held.
        mutating func grow(by count: Int) throws(ErrorResponse) {
            length += count
            let wanted = max(0, length - budget.free) - counted
            guard wanted > 0 else { return }
            guard budget.take(wanted) else { throw .overloaded }
            counted += wanted
        }

        deinit { if counted > 0 { budget.give(counted) } }
    }
}
