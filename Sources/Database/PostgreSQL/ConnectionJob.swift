/// Work for a connection, and what is told to whoever waits for it if there is none.
struct ConnectionJob: Sendable {
    /// When nobody waits for it any more.
    let deadline: Deadline
    /// Does it. What it returns is called when it is known here how it went, and tells whoever waits.
    let run: @Sendable (PostgreSQLSession) -> @Sendable () -> Void
    let refuse: @Sendable (SQLError) -> Void
    /// Whether another thread had it before, which got no connection.
    var wasPutBack = false
    /// Whether it finds out for all others if a silent server answers again.
    var isProbe = false
    /// Whether the clock had it as soon as it was given to its thread. Where it has it no more when that begins, it was refused meanwhile.
    var isAssigned = false
    /// Whether a thread is at it, as the clock has it.
    var isBegun = false
}

extension ConnectionJob {
    init(
        by deadline: Deadline, run: @Sendable @escaping (PostgreSQLSession) -> @Sendable () -> Void,
        refuse: @Sendable @escaping (SQLError) -> Void
    ) {
        (self.deadline, self.run, self.refuse) = (deadline, run, refuse)
    }
}
