import Dispatch
import Foundation
import Synchronization

/// Threads with a connection each. They are made as they are needed, up to a number, and take work in the order in which it came; whoever waits for them
/// holds no thread. Of those that have nothing to do the last that had takes what comes, since what it asks is prepared there and in the server's memory; one
/// that has a connection comes before one that would have to make it.
///
/// Where a server goes silent, each connection to it has to be given up, and finding that out takes seconds. So what one has found counts for all: every
/// connection of before is made anew, and when no new one is to be had since nobody answers, one call at a time finds out whether somebody does; all
/// others are refused at once.
///
/// Whoever waits has a clock that asks no thread: what nobody has begun when its time is over is refused then, whether it waits for a thread or a thread
/// waits with it for a connection.
final class ConnectionThreads: Sendable {
    /// Who does a job that was submitted.
    private enum Taker {
        case refused(SQLError)
        case idle(ConnectionThread)
        case new
        /// The first of those at work who is done.
        case anybody
    }

    private let connector: PostgreSQLConnector
    private let state = Mutex(State())
    private let clock = DispatchQueue(label: "postgresql waiting")

    init(_ connector: PostgreSQLConnector) { self.connector = connector }

    func submit(_ job: ConnectionJob) {
        let (job, taker, look) = state.withLock { state -> (ConnectionJob, Taker, Deadline?) in
            var job = job
            let taker = self.taker(of: &job, state: &state)
            guard case .anybody = taker else { return (job, taker, nil) }
            state.waiting.append(job)
            return (job, taker, state.newLook(by: job.deadline))
        }
        if let look { self.look(at: look) }
        switch taker {
        case .refused(let error): job.refuse(error)
        case .idle(let thread): thread.wake(with: job)
        case .new: start(with: job)
        case .anybody: break
        }
    }

    private func taker(of job: inout ConnectionJob, state: inout State) -> Taker {
        let settings = connector.settings
        guard !state.isClosed else { return .refused(.closed) }
        guard state.waiting.count < settings.mostWaiting else { return .refused(.busy) }
        guard state.standing != .asked else { return .refused(.unavailable) }
        job = state.taking(job)
        state.restraint = max(0, state.restraint - 1)
        if let thread = state.takeIdle(mayConnect: state.restraint == 0) { return .idle(thread) }
        guard state.threads < settings.connections, state.restraint == 0 else { return .anybody }
        state.threads += 1
        return .new
    }

    /// Takes no more work, finishes what it has, closes the connections.
    func close() async {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for thread in idle { thread.wake(with: nil) }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.threads > 0 { state.closing.append(continuation) }
                return state.threads == 0
            }
            if isDone { continuation.resume() }
        }
    }

    private func start(with job: ConnectionJob) {
        let thread = Thread { self.serve(from: job) }
        thread.name = "postgresql"
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func serve(from first: ConnectionJob) {
        let (session, thread) = (PostgreSQLSession(connector), ConnectionThread())
        var next: ConnectionJob? = first
        while let job = next { next = serve(job, by: session, on: thread) ? self.next(for: thread) : nil }
        session.close()
        let closers = state.withLock { state in
            state.connections[ObjectIdentifier(thread)] = nil
            state.threads -= 1
            guard state.threads == 0, state.isClosed else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closing = [] }
            return state.closing
        }
        for closer in closers { closer.resume() }
    }

    /// What comes next for a thread that is done; nil at the end.
    private func next(for thread: ConnectionThread) -> ConnectionJob? {
        let (job, isOver) = state.withLock { state -> (ConnectionJob?, Bool) in
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
            if !state.isClosed { state.idle.append(thread) }
            return (nil, state.isClosed)
        }
        return job != nil || isOver ? job : thread.waitForJob()
    }

    /// - Returns: whether this thread goes on.
    private func serve(_ job: ConnectionJob, by session: PostgreSQLSession, on thread: ConnectionThread) -> Bool {
        guard !job.deadline.isOver else { return refuseLate(job) }
        let (round, connects, look) = state.withLock { $0.begin(job, on: thread) }
        if let look { self.look(at: look) }
        do throws(PostgreSQLLink.Loss) {
            let isNew = try session.open(in: round, by: job.deadline)
            let isRefused = state.withLock { state in
                state.note(thread, of: round, answers: isNew || job.isProbe)
                return connects && !state.endConnecting(on: thread)
            }
            if isRefused { return true }
        } catch {
            return putBack(job, of: thread, isSilence: error.isSilence)
        }
        let tell = job.run(session)
        state.withLock { $0.note(session, of: thread) }
        tell()
        session.endTransaction()
        state.withLock { $0.note(session, of: thread) }
        return true
    }

    /// All connections were used by others until now.
    private func refuseLate(_ job: ConnectionJob) -> Bool {
        let error = state.withLock { state -> SQLError in
            if job.isProbe { state.endProbe(of: [job], isSilence: true) }
            return state.lateness
        }
        job.refuse(error)
        return true
    }

    /// No connection is to be had. Where others have one, the server has no room for more: one of them takes the work, and this thread goes. Where nobody
    /// has one, everybody who waits is told.
    private func putBack(_ job: ConnectionJob, of thread: ConnectionThread, isSilence: Bool) -> Bool {
        var again = job
        again.wasPutBack = true
        let (refused, taker) = state.withLock { [again] state -> ([ConnectionJob]?, ConnectionThread?) in
            state.connections[ObjectIdentifier(thread)] = nil
            let isRefused = !state.endConnecting(on: thread)
            if state.connected > 0, state.threads > 1, !job.wasPutBack, !state.isClosed {
                state.restraint = 64
                if isRefused { return (nil, nil) }
                let taker = state.takeIdle(mayConnect: false)
                if taker == nil { state.waiting.insert(again, at: 0) }
                return (nil, taker)
            }
            let own = isRefused ? [] : [job]
            guard state.connected == 0 else { return (own, nil) }
            let refused = own + state.waiting
            state.endProbe(of: [job] + state.waiting, isSilence: isSilence)
            state.waiting = []
            return (refused, nil)
        }
        taker?.wake(with: again)
        guard let refused else { return false }
        for job in refused { job.refuse(.unavailable) }
        return true
    }

    /// Has it seen at this time who waits too long.
    private func look(at time: Deadline) {
        clock.asyncAfter(deadline: .now() + .milliseconds(Int(time.left))) { [weak self] in self?.refuseOverdue(at: time) }
    }

    /// Whatever the threads do, whoever waits is told when its time is over.
    private func refuseOverdue(at time: Deadline) {
        let (overdue, error, next) = state.withLock { state -> ([ConnectionJob], SQLError, Deadline?) in
            let overdue = state.takeOverdue()
            return (overdue, state.lateness, state.nextLook(after: time))
        }
        for job in overdue { job.refuse(error) }
        if let next { look(at: next) }
    }
}
