/// Whose time is over while nobody is at what they wait for.
extension ConnectionThreads.State {
    /// Milliseconds between two looks.
    private static let pause = 20

    /// What is told to whoever has waited too long: with a connection there, others had it.
    var lateness: SQLError { connected > 0 ? .busy : .unavailable }

    /// Somebody waits until then at the longest.
    /// - Returns: when to look, unless it is looked early enough.
    mutating func newLook(by deadline: Deadline) -> Deadline? {
        let first = notTooEarly(deadline)
        guard first.isBefore(look) else { return nil }
        look = first
        return first
    }

    /// A look for which `time` was set; none where another was called for since, which sees the same.
    mutating func takeLook(at time: Deadline) -> (late: [ConnectionJob], next: Deadline?) {
        guard time == look else { return ([], nil) }
        let late = takeOverdue()
        return (late, nextLook(after: time))
    }

    /// Jobs that nobody will begin any more. One that was to find out whether a silent server answers has not; unless a thread is still at it, the next
    /// one does. The connections that are there are too few, so another is tried with the next job.
    mutating func takeOverdue() -> [ConnectionJob] {
        let now = ContinuousClock.now
        var late: [ConnectionJob] = []
        // Nothing is copied for those who can go on waiting.
        if waiting.contains(where: { $0.deadline.isOver(at: now) }) {
            late = waiting.filter { $0.deadline.isOver(at: now) }
            waiting.removeAll { $0.deadline.isOver(at: now) }
        }
        let hanging = connecting.filter { $0.value.deadline.isOver(at: now) }
        for thread in hanging.keys { connecting[thread] = nil }
        late += hanging.values
        if late.contains(where: { $0.isProbe && !$0.isBegun }) { leaveProbe() }
        if !late.isEmpty { restraint = 0 }
        return late
    }

    /// After the look for which `time` was set: when the next one is due. Nil where nobody waits, or where one is to come that was called for earlier.
    mutating func nextLook(after time: Deadline) -> Deadline? {
        guard time == look else { return nil }
        var first = Deadline.never
        for job in waiting { first = first.before(job.deadline) }
        for job in connecting.values { first = first.before(job.deadline) }
        earliestLook = Deadline(milliseconds: Self.pause)
        look = notTooEarly(first)
        return look == .never ? nil : look
    }

    private func notTooEarly(_ deadline: Deadline) -> Deadline { deadline.isBefore(earliestLook) ? earliestLook : deadline }
}
