import Dispatch
import Foundation
import Synchronization

/// Work for a connection, and what is told to whoever waits for it if there is none.
struct ConnectionJob: Sendable {
    let run: @Sendable (PostgreSQLSession) -> Void
    let refuse: @Sendable (SQLError) -> Void
    /// Whether another thread had it before, which got no connection.
    var wasPutBack = false
}

/// Threads with a connection each. They are made as they are needed, up to a number, and take work in the order in which it came; whoever waits for them
/// holds no thread.
final class ConnectionThreads: Sendable {
    private struct State {
        var waiting: [ConnectionJob] = []
        /// Threads in all, and those that wait for work.
        var threads = 0
        var idle = 0
        /// Threads that have a connection.
        var connected = 0
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
            state.waiting.append(job)
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
        let wasOpen = session.isOpen
        defer { count(session.isOpen, insteadOf: wasOpen) }
        guard (try? session.open()) != nil else { return putBack(job) }
        job.run(session)
        session.endTransaction()
        return true
    }

    private func count(_ isOpen: Bool, insteadOf wasOpen: Bool) {
        guard isOpen != wasOpen else { return }
        state.withLock { $0.connected += isOpen ? 1 : -1 }
    }

    /// No connection is to be had. Where others have one, the server has no room for more: one of them takes the work, and this thread goes. Where nobody
    /// has one, everybody who waits is told.
    private func putBack(_ job: ConnectionJob) -> Bool {
        let refused = state.withLock { state -> [ConnectionJob]? in
            if state.connected > 0, state.threads > 1, !job.wasPutBack, !state.isClosed {
                var again = job
                again.wasPutBack = true
                state.waiting.insert(again, at: 0)
                state.restraint = 64
                return nil
            }
            guard state.connected == 0 else { return [job] }
            defer { state.waiting = [] }
            return [job] + state.waiting
        }
        guard let refused else {
            work.signal()
            return false
        }
        for job in refused { job.refuse(.unavailable) }
        return true
    }
}
