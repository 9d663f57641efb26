/// Who waits, who works, and what is known of the server: all that ``ConnectionThreads`` decides by.
extension ConnectionThreads {
    enum Standing {
        case answers
        /// Nobody answered the last who wanted a connection.
        case silent
        /// The same, and a call is finding out whether it is still so.
        case asked
    }

    struct State {
        var waiting: [ConnectionJob] = []
        /// For which a thread makes a connection. What is there no more when it has one was refused meanwhile.
        var connecting: [ObjectIdentifier: ConnectionJob] = [:]
        /// When it is seen next whose time is over; never while nobody waits.
        var look = Deadline.never
        /// No look is sooner: each goes over all who wait, while nobody else gets anything.
        var earliestLook = Deadline(milliseconds: 0)
        var threads = 0
        /// Threads that wait for work, the one that waits longest first.
        var idle: [ConnectionThread] = []
        /// Of which round the connection of each thread is that has one.
        var connections: [ObjectIdentifier: Int] = [:]
        /// Counted up when a server went silent, or a connection was refuted: what is of an earlier one is not used again.
        var round = 0
        var standing = Standing.answers
        /// Threads that have a connection of now.
        var connected: Int { connections.values.count { $0 == round } }
        /// How many jobs come before another thread is tried, after one that got no connection.
        var restraint = 0
        var isClosed = false
        var closing: [CheckedContinuation<Void, Never>] = []
    }
}

extension ConnectionThreads.State {
    /// Of those that have nothing to do the last that had, with a connection of now if possible: what is to be done is done there at once. One without is for
    /// when nobody has one, or another may be tried.
    mutating func takeIdle(mayConnect: Bool) -> ConnectionThread? {
        if let place = idle.lastIndex(where: { connections[ObjectIdentifier($0)] == round }) { return idle.remove(at: place) }
        return mayConnect || connected == 0 ? idle.popLast() : nil
    }

    /// The first who comes after a server was found silent asks it again.
    mutating func taking(_ job: ConnectionJob) -> ConnectionJob {
        guard standing == .silent else { return job }
        standing = .asked
        var job = job
        job.isProbe = true
        return job
    }

    /// - Returns: whether the job still waited.
    mutating func endConnecting(on thread: ConnectionThread) -> Bool {
        connecting.removeValue(forKey: ObjectIdentifier(thread)) != nil
    }

    /// What came of work for which no connection was to be had. While one finds out, the others say nothing new.
    mutating func endProbe(of jobs: [ConnectionJob], isSilence: Bool) {
        guard standing != .asked || jobs.contains(where: \.isProbe) else { return }
        standing = isSilence ? .silent : .answers
    }

    /// Whoever was to find out has not. Where somebody has a connection of now the server answers.
    mutating func leaveProbe() {
        guard standing == .asked else { return }
        standing = connected > 0 ? .answers : .silent
    }

    /// - Parameter answers: whether the server has answered just now.
    mutating func note(_ thread: ConnectionThread, of round: Int, answers: Bool) {
        connections[ObjectIdentifier(thread)] = round
        if answers { standing = .answers }
    }

    /// After a run of a body, and after its end. What a connection of before has shown says nothing new.
    mutating func note(_ session: PostgreSQLSession, of thread: ConnectionThread) {
        if session.silence != .none || session.isRefuted, connections[ObjectIdentifier(thread)] == round { round += 1 }
        if !session.isOpen { connections[ObjectIdentifier(thread)] = nil }
    }
}
