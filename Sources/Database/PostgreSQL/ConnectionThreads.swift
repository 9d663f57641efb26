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
/// holds no thread.
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
        /// Threads in all, and those that wait for work.
        var threads = 0
        var idle = 0
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

    private let connector: PostgreSQLConnector
    private let state = Mutex(State())
    /// Signalled once for each job, and for each thread at the end.
    private let work = DispatchSemaphore(value: 0)

    init(_ connector: PostgreSQLConnector) { self.connector = connector }

    func submit(_ job: ConnectionJob) {
        let settings = connector.settings
        let (refusal, needsThread) = state.withLock { state -> (SQLError?, Bool) in
            guard !state.isClosed else { return (.closed, false) }
            guard state.waiting.count < settings.mostWaiting else { return (.busy, false) }
            guard state.standing != .asked else { return (.unavailable, false) }
            state.waiting.append(state.taking(job))
            state.restraint = max(0, state.restraint - 1)
            guard state.idle < state.waiting.count, state.threads < settings.connections, state.restraint == 0 else { return (nil, false) }
            state.threads += 1
            return (nil, true)
        }
        if let refusal { return job.refuse(refusal) }
        if needsThread { startThread() }
        work.signal()
    }

    /// Takes no more work, finishes what it has, closes the connections.
    func close() async {
        let count = state.withLock { state in
            state.isClosed = true
            return state.threads
        }
        for _ in 0..<count { work.signal() }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.threads > 0 { state.closing.append(continuation) }
                return state.threads == 0
            }
            if isDone { continuation.resume() }
        }
    }

    private func startThread() {
        let thread = Thread { self.serve() }
        thread.name = "postgresql"
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func serve() {
        let session = PostgreSQLSession(connector)
        var isServing = true
        while isServing, let job = next() { isServing = serve(job, by: session) }
        session.close()
        let closers = state.withLock { state in
            state.connections[ObjectIdentifier(session)] = nil
            state.threads -= 1
            guard state.threads == 0, state.isClosed else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closing = [] }
            return state.closing
        }
        for closer in closers { closer.resume() }
    }

    private func next() -> ConnectionJob? {
        state.withLock { $0.idle += 1 }
        defer { state.withLock { $0.idle -= 1 } }
        while true {
            work.wait()
            let (job, isOver) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isClosed)
            }
            if job != nil || isOver { return job }
        }
    }

    /// - Returns: whether this thread goes on.
    private func serve(_ job: ConnectionJob, by session: PostgreSQLSession) -> Bool {
        guard !job.deadline.isOver else { return refuseLate(job) }
        do throws(PostgreSQLLink.Loss) {
            let round = state.withLock(\.round)
            let isNew = try session.open(in: round, by: job.deadline)
            state.withLock { $0.note(session, of: round, answers: isNew || job.isProbe) }
        } catch {
            state.withLock { $0.connections[ObjectIdentifier(session)] = nil }
            return putBack(job, isSilence: error.isSilence)
        }
        let tell = job.run(session)
        state.withLock { $0.note(session) }
        tell()
        session.endTransaction()
        state.withLock { $0.note(session) }
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
        let refused = state.withLock { state -> [ConnectionJob]? in
            if state.connected > 0, state.threads > 1, !job.wasPutBack, !state.isClosed {
                var again = job
                again.wasPutBack = true
                state.waiting.insert(again, at: 0)
                state.restraint = 64
                return nil
            }
            guard state.connected == 0 else { return [job] }
            let refused = [job] + state.waiting
            state.waiting = []
            state.endProbe(of: refused, isSilence: isSilence)
            return refused
        }
        guard let refused else {
            work.signal()
            return false
        }
        for job in refused { job.refuse(.unavailable) }
        return true
    }
}

extension ConnectionThreads.State {
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
    fileprivate mutating func note(_ session: PostgreSQLSession, of round: Int, answers: Bool) {
        connections[ObjectIdentifier(session)] = round
        if answers { standing = .answers }
    }

    /// After a run of a body, and after its end. Silence on a connection of before says nothing new.
    fileprivate mutating func note(_ session: PostgreSQLSession) {
        if session.silence != .none, connections[ObjectIdentifier(session)] == round { round += 1 }
        if !session.isOpen { connections[ObjectIdentifier(session)] = nil }
    }
}
