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
    private let connector: PostgreSQLConnector
    private let state = Mutex(State())
    private let clock = DispatchQueue(label: "postgresql waiting")

    init(_ connector: PostgreSQLConnector) { self.connector = connector }

    func submit(_ submitted: ConnectionJob) {
        let settings = connector.settings
        let (job, taker, look) = state.withLock { $0.submit(submitted, settings) }
        if let look { self.look(at: look) }
        switch taker {
        case .refused(let error): job.refuse(error)
        case .idle(let thread): thread.wake(with: job)
        case .new(let thread): start(thread, with: job)
        case .anybody: break
        }
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

    private func start(_ connectionThread: ConnectionThread, with job: ConnectionJob) {
        let thread = Thread { self.serve(from: job, on: connectionThread) }
        thread.name = "postgresql"
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func serve(from first: ConnectionJob, on thread: ConnectionThread) {
        let session = PostgreSQLSession(connector)
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
        guard !job.deadline.isOver else { return refuseLate(job, on: thread) }
        guard let (round, connects, look) = state.withLock({ $0.begin(job, on: thread) }) else { return true }
        if let look { self.look(at: look) }
        do throws(PostgreSQLLink.Loss) {
            let isNew = try session.open(in: round, by: job.deadline)
            let isRefused = state.withLock { state in
                state.note(thread, of: round, answers: isNew || job.isProbe)
                return connects && !state.endConnecting(on: thread)
            }
            if isRefused { return true }
        } catch {
            return putBack(job, of: thread, after: error)
        }
        let tell = job.run(session)
        state.withLock { $0.note(session, of: thread) }
        tell()
        session.endTransaction()
        state.withLock { $0.note(session, of: thread) }
        return true
    }

    /// All connections were used by others until now.
    private func refuseLate(_ job: ConnectionJob, on thread: ConnectionThread) -> Bool {
        if let error = state.withLock({ $0.endLate(job, on: thread) }) { job.refuse(error) }
        return true
    }

    /// No connection is to be had.
    private func putBack(_ job: ConnectionJob, of thread: ConnectionThread, after loss: PostgreSQLLink.Loss) -> Bool {
        let failure = state.withLock { $0.putBack(job, of: thread, after: loss) }
        if let handed = failure.handed { handed.taker.wake(with: handed.job) }
        for job in failure.refused { job.refuse(failure.error) }
        return failure.goesOn
    }

    /// Has it seen at this time who waits too long.
    private func look(at time: Deadline) {
        clock.asyncAfter(deadline: .now() + .milliseconds(Int(time.left))) { [weak self] in self?.refuseOverdue(at: time) }
    }

    /// Whatever the threads do, whoever waits is told when its time is over.
    private func refuseOverdue(at time: Deadline) {
        let (overdue, error, next) = state.withLock { state -> ([ConnectionJob], SQLError, Deadline?) in
            let (overdue, next) = state.takeLook(at: time)
            return (overdue, state.lateness, next)
        }
        for job in overdue { job.refuse(error) }
        if let next { look(at: next) }
    }
}
