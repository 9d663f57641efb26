/// Who does what: decided from what is known, without a thread.
extension ConnectionThreads.State {
    /// Who does a job that was submitted.
    enum Taker {
        case refused(SQLError)
        case idle(ConnectionThread)
        /// One that is yet to be made.
        case new(ConnectionThread)
        /// The first of those at work who is done.
        case anybody
    }

    /// - Returns: the job as whoever does it has it, who that is, and when it is looked at.
    mutating func submit(_ submitted: ConnectionJob, _ settings: PostgreSQLSettings) -> (job: ConnectionJob, taker: Taker, look: Deadline?) {
        var job = submitted
        let taker = choose(for: &job, settings)
        let look: Deadline?
        switch taker {
        case .refused: look = nil
        case .idle(let thread), .new(let thread): look = assign(&job, to: thread)
        case .anybody:
            waiting.append(job)
            look = newLook(by: job.deadline)
        }
        return (job, taker, look)
    }

    private mutating func choose(for job: inout ConnectionJob, _ settings: PostgreSQLSettings) -> Taker {
        guard !isClosed else { return .refused(.closed) }
        guard !job.deadline.isOver else { return .refused(lateness) }
        guard waiting.count < settings.mostWaiting else { return .refused(.busy) }
        guard standing != .asked else { return .refused(.unavailable) }
        job = taking(job)
        restraint = max(0, restraint - 1)
        if let thread = takeIdle(mayConnect: restraint == 0) { return .idle(thread) }
        guard threads < settings.connections, restraint == 0 else { return .anybody }
        threads += 1
        return .new(ConnectionThread())
    }

    /// A thread that has no connection of now gets a job. The clock has it from then on, whether the thread ever begins or not.
    mutating func assign(_ job: inout ConnectionJob, to thread: ConnectionThread) -> Deadline? {
        guard connections[ObjectIdentifier(thread)] != round else { return nil }
        job.isAssigned = true
        connecting[ObjectIdentifier(thread)] = job
        return newLook(by: job.deadline)
    }

    /// A thread begins with a job.
    /// - Returns: of which round its connection has to be, whether it makes one for this, and when that is looked at; nil for one that was refused meanwhile.
    mutating func begin(_ job: ConnectionJob, on thread: ConnectionThread) -> (round: Int, connects: Bool, look: Deadline?)? {
        let place = ObjectIdentifier(thread)
        if job.isAssigned, connecting[place] == nil { return nil }
        guard connections[place] != round else { return (round, false, nil) }
        var begun = job
        begun.isBegun = true
        connecting[place] = begun
        return (round, true, newLook(by: job.deadline))
    }

    /// A job whose time was over when its thread came to it.
    /// - Returns: what it is told; nil if it was told meanwhile.
    mutating func endLate(_ job: ConnectionJob, on thread: ConnectionThread) -> SQLError? {
        if job.isAssigned, !endConnecting(on: thread) { return nil }
        if job.isProbe { leaveProbe() }
        return lateness
    }
}

// MARK: No connection was to be had

extension ConnectionThreads.State {
    /// What becomes of a job for which no connection was to be had, and of its thread.
    struct Failure {
        var refused: [ConnectionJob] = []
        var error = SQLError.unavailable
        /// What another does at once.
        var handed: (job: ConnectionJob, taker: ConnectionThread)?
        var goesOn = true
    }

    /// Where others have a connection, the server has no room for more: one of them takes the work, and this thread goes. Where nobody has one, everybody who
    /// waits is told; but only this one where its own time was over before that of making a connection.
    mutating func putBack(_ job: ConnectionJob, of thread: ConnectionThread, after loss: PostgreSQLLink.Loss) -> Failure {
        connections[ObjectIdentifier(thread)] = nil
        // Not if it was refused meanwhile.
        let own = endConnecting(on: thread) ? [job] : []
        // The server answers those who have one: nobody need find that out, whatever becomes of this.
        if job.isProbe, connected > 0 { leaveProbe() }
        if connected > 0, threads > 1, !job.wasPutBack, !isClosed {
            restraint = 64
            return handOver(own)
        }
        if loss.isLate {
            if job.isProbe { leaveProbe() }
            return Failure(refused: own, error: lateness)
        }
        guard connected == 0 else { return Failure(refused: own) }
        endProbe(of: [job] + waiting, isSilence: loss.isSilence)
        defer { waiting = [] }
        return Failure(refused: own + waiting)
    }

    /// Behind those who have less time than it.
    private mutating func handOver(_ own: [ConnectionJob]) -> Failure {
        guard var job = own.first, !job.deadline.isOver else { return Failure(refused: own, error: lateness, goesOn: false) }
        (job.wasPutBack, job.isProbe, job.isAssigned) = (true, false, false)
        if let taker = takeIdle(mayConnect: false) { return Failure(handed: (job: job, taker: taker), goesOn: false) }
        let deadline = job.deadline
        let place = waiting.firstIndex { deadline.isBefore($0.deadline) } ?? waiting.count
        waiting.insert(job, at: place)
        return Failure(goesOn: false)
    }
}
