import Dispatch
import Synchronization

/// Whether connections may be handed on by a pooler between. It is doubted until two connections side by side have shown that each is its own, and again from
/// when one was found that is not. One at a time looks; whoever wants a connection meanwhile waits for what it finds, before making one: a pool that has room
/// for all connections and for no second one beside each of them has room for that.
final class PoolingDoubt: Sendable {
    /// What whoever wants a connection does.
    enum Turn: Sendable {
        /// It makes one, which is good as long as the doubt was not raised anew since this generation of it.
        case free(Int)
        /// It makes one. No pooler was between until now; behind one it is no good.
        case straight
        /// It makes two, and others wait for it.
        case look(PoolingLook)
    }

    private enum Standing {
        case turn(Turn)
        /// Another looks.
        case waits(PoolingLook)
    }

    private struct State {
        var isHeld = true
        /// Rises whenever it is raised anew: what an older look has found says nothing of it.
        var generation = 0
        /// Nil until the first connection was made.
        var isPoolerBetween: Bool?
        var look: PoolingLook?

        mutating func raise() {
            isHeld = true
            generation += 1
        }
    }

    private let state = Mutex(State())

    func doubt() { state.withLock { $0.raise() } }

    /// A connection was lost: what was between may be something else by now, of a pooler what it is set to. Where none was between a connection shows by itself
    /// whether there is one.
    func doubtAfterLoss() {
        state.withLock { state in
            if state.isPoolerBetween == true, !state.isHeld { state.raise() }
        }
    }

    /// Two connections side by side were their own.
    /// - Returns: false where it was doubted anew meanwhile, and is.
    func settle(_ generation: Int) -> Bool {
        state.withLock { state in
            guard state.generation == generation else { return false }
            state.isHeld = false
            return true
        }
    }

    /// Whether it was not raised anew since.
    func isOf(_ generation: Int) -> Bool { state.withLock { $0.generation == generation } }

    /// How a connection led to its server. Of several hosts one may have a pooler before it.
    func note(isPoolerBetween: Bool) { state.withLock { $0.isPoolerBetween = isPoolerBetween || $0.isPoolerBetween == true } }

    /// Waits while another looks.
    /// - Parameter host: to which a connection is wanted.
    /// - Throws: ``PostgreSQLLink/Loss``, where the other has found a pooler before the same host that hands connections on, or the time is over.
    func turn(at host: Int, by deadline: Deadline) throws(PostgreSQLLink.Loss) -> Turn {
        while true {
            switch standing(at: host) {
            case .turn(let turn): return turn
            case .waits(let look): if let turn = try look.turn(at: host, by: deadline) { return turn }
            }
        }
    }

    private func standing(at host: Int) -> Standing {
        state.withLock { state in
            guard state.isHeld else { return .turn(.free(state.generation)) }
            if state.isPoolerBetween == false { return .turn(.straight) }
            if let look = state.look { return .waits(look) }
            let look = PoolingLook(at: host, of: state.generation)
            state.look = look
            return .turn(.look(look))
        }
    }

    /// Ends a turn, whatever it has come to. What was said of its look before stays.
    func end(_ turn: Turn) {
        if case .look(let look) = turn { end(look, .nothing) }
    }

    func end(_ look: PoolingLook, _ finding: PoolingLook.Finding) {
        state.withLock { state in
            if state.look === look { state.look = nil }
        }
        look.end(finding)
    }
}

/// One look at what a pooler does, for which others wait.
final class PoolingLook: Sendable {
    enum Finding: Sendable {
        /// Whoever has waited begins anew: nothing is in doubt any more, or no connection was had, or the doubt was raised anew.
        case nothing
        /// There was none for a second connection, which shows nothing: what readiness asks shows it.
        case noRoom
        case handedOn
    }

    let host: Int
    /// Of the doubt, as it was when this began.
    let generation: Int
    private let finding = Mutex<Finding?>(nil)
    private let over = DispatchSemaphore(value: 0)

    init(at host: Int, of generation: Int) { (self.host, self.generation) = (host, generation) }

    /// The first word counts.
    func end(_ found: Finding) {
        let isFirst = finding.withLock { finding in
            guard finding == nil else { return false }
            finding = found
            return true
        }
        if isFirst { over.signal() }
    }

    /// Waits for the end of it.
    /// - Returns: the turn that follows from it; nil for whoever has to begin anew.
    /// - Throws: ``PostgreSQLLink/Loss``.
    func turn(at host: Int, by deadline: Deadline) throws(PostgreSQLLink.Loss) -> PoolingDoubt.Turn? {
        let left = deadline.left
        guard over.wait(timeout: left < 0 ? .distantFuture : .now() + .milliseconds(Int(left))) == .success else {
            throw PostgreSQLLink.Loss(reason: "whether a pooler hands connections on was not found out in time", isSilence: host == self.host)
        }
        // For the next who waits.
        over.signal()
        guard host == self.host else { return nil }
        switch finding.withLock({ $0 }) {
        case .handedOn: throw PostgreSQLLink.Loss(reason: LinkMark.handedOn)
        case .noRoom: return .free(generation)
        case .nothing, nil: return nil
        }
    }
}
