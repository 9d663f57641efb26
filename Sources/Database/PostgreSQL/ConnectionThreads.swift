import Dispatch
import Foundation
import Synchronization

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
    fileprivate var isProbe = false
}

extension ConnectionJob {
    init(
        by deadline: Deadline, run: @Sendable @escaping (PostgreSQLSession) -> @Sendable () -> Void,
        refuse: @Sendable @escaping (SQLError) -> Void
    ) {
        (self.deadline, self.run, self.refuse) = (deadline, run, refuse)
    }
}

/// Threads with a connection each. They are made as they are needed, up to a number, and take work in the order in which it came; whoever waits for them
/// holds no thread. Of those that have nothing to do the last that had takes what comes, since what it asks is prepared there and in the server's memory; one
/// that has a connection comes before one that would have to make it.
///
/// Where a server goes silent, each connection to it has to be given up, and finding that out takes seconds. So what one has found counts for all: every
/// connection of before is made anew, and when no new one is to be had since nobody answers, one call at a time finds out whether somebody does; all
/// others are refused at once.
final class ConnectionThreads: Sendable {
    fileprivate enum Standing {
        case answers
        /// Nobody answered the last who wanted a connection.
        case silent
        /// The same, and a call is finding out whether it is still so.
        case asked
    }

    fileprivate struct State {
        var waiting: [ConnectionJob] = []
        var threads = 0
        /// Threads that wait for work, the one that waits longest first.
        var idle: [ConnectionThread] = []
        /// Of which round the connection of each thread is that has one.
        var connections: [ObjectIdentifier: Int] = [:]
        /// Counted up when a server went silent: what is of an earlier one is not used again.
        var round = 0
        var standing = Standing.answers
        /// Threads that have a connection of now.
        var connected: Int { connections.values.count { $0 == round } }
        /// How many jobs come before another thread is tried, after one that got no connection.
        var restraint = 0
        var isClosed = false
        var closing: [CheckedContinuation<Void, Never>] = []
    }

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

    init(_ connector: PostgreSQLConnector) { self.connector = connector }

    func submit(_ job: ConnectionJob) {
        let (job, taker) = state.withLock { state in
            var job = job
            let taker = self.taker(of: &job, state: &state)
            if case .anybody = taker { state.waiting.append(job) }
            return (job, taker)
        }
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
        do throws(PostgreSQLLink.Loss) {
            let round = state.withLock(\.round)
            let isNew = try session.open(in: round, by: job.deadline)
            state.withLock { $0.note(thread, of: round, answers: isNew || job.isProbe) }
        } catch {
            state.withLock { $0.connections[ObjectIdentifier(thread)] = nil }
            return putBack(job, isSilence: error.isSilence)
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
            return state.connected > 0 ? .busy : .unavailable
        }
        job.refuse(error)
        return true
    }

    /// No connection is to be had. Where others have one, the server has no room for more: one of them takes the work, and this thread goes. Where nobody
    /// has one, everybody who waits is told.
    private func putBack(_ job: ConnectionJob, isSilence: Bool) -> Bool {
        var again = job
        again.wasPutBack = true
        let (refused, taker) = state.withLock { [again] state -> ([ConnectionJob]?, ConnectionThread?) in
            if state.connected > 0, state.threads > 1, !job.wasPutBack, !state.isClosed {
                state.restraint = 64
                let taker = state.takeIdle(mayConnect: false)
                if taker == nil { state.waiting.insert(again, at: 0) }
                return (nil, taker)
            }
            guard state.connected == 0 else { return ([job], nil) }
            let refused = [job] + state.waiting
            state.waiting = []
            state.endProbe(of: refused, isSilence: isSilence)
            return (refused, nil)
        }
        taker?.wake(with: again)
        guard let refused else { return false }
        for job in refused { job.refuse(.unavailable) }
        return true
    }
}

/// One thread as those know it who have work for it.
private final class ConnectionThread: Sendable {
    private let job = Mutex<ConnectionJob?>(nil)
    private let work = DispatchSemaphore(value: 0)

    /// - Parameter job: nil at the end.
    func wake(with job: ConnectionJob?) {
        self.job.withLock { $0 = job }
        work.signal()
    }

    /// Nil at the end.
    func waitForJob() -> ConnectionJob? {
        work.wait()
        return job.withLock { job in
            defer { job = nil }
            return job
        }
    }
}

extension ConnectionThreads.State {
    /// Of those that have nothing to do the last that had, with a connection of now if possible: what is to be done is done there at once. One without is for
    /// when nobody has one, or another may be tried.
    fileprivate mutating func takeIdle(mayConnect: Bool) -> ConnectionThread? {
        if let place = idle.lastIndex(where: { connections[ObjectIdentifier($0)] == round }) { return idle.remove(at: place) }
        return mayConnect || connected == 0 ? idle.popLast() : nil
    }

    /// The first who comes after a server was found silent asks it again.
    fileprivate mutating func taking(_ job: ConnectionJob) -> ConnectionJob {
        guard standing == .silent else { return job }
        standing = .asked
        var job = job
        job.isProbe = true
        return job
    }

    /// What came of work for which no connection was to be had. While one finds out, the others say nothing new.
    fileprivate mutating func endProbe(of jobs: [ConnectionJob], isSilence: Bool) {
        guard standing != .asked || jobs.contains(where: \.isProbe) else { return }
        standing = isSilence ? .silent : .answers
    }

    /// - Parameter answers: whether the server has answered just now.
    fileprivate mutating func note(_ thread: ConnectionThread, of round: Int, answers: Bool) {
        connections[ObjectIdentifier(thread)] = round
        if answers { standing = .answers }
    }

    /// After a run of a body, and after its end. Silence on a connection of before says nothing new.
    fileprivate mutating func note(_ session: PostgreSQLSession, of thread: ConnectionThread) {
        if session.silence != .none, connections[ObjectIdentifier(thread)] == round { round += 1 }
        if !session.isOpen { connections[ObjectIdentifier(thread)] = nil }
    }
}
