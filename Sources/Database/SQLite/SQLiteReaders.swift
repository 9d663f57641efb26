import Synchronization

/// The reading connections. A body runs at once on the thread of its caller, because reading what is in the page cache takes less time than handing it
/// to another thread; when every connection is at work, or another process keeps readers out, callers wait their turn without a thread.
final class SQLiteReaders: Sendable {
    private struct State {
        var free: [SQLiteHandle]
        /// Connections that are open, free or at work.
        var open: Int
        var waiting: [CheckedContinuation<SQLiteHandle?, Never>] = []
        var isClosed = false
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let mostLooks: Int

    /// From one look to the next while another process keeps readers out.
    private static let pause = Duration.milliseconds(20)

    /// - Parameters:
    ///   - handles: connections that wait for nobody.
    ///   - mostLooks: how often a read is tried while another process keeps readers out: for two seconds, less than anybody waits for an answer.
    init(_ handles: [SQLiteHandle], mostLooks: Int = 100) {
        state = Mutex(State(free: handles, open: handles.count))
        self.mostLooks = mostLooks
    }

    /// - Throws: what `body` throws, ``SQLError/closed``, ``SQLError/busy`` where readers were kept out all the time, or the task was cancelled meanwhile.
    func read<Value: Sendable>(_ body: @Sendable (any SQLConnection) throws -> Value) async throws -> Value {
        for _ in 1..<mostLooks {
            do { return try await look(body) } catch SQLError.busy {
                guard (try? await Task.sleep(for: Self.pause)) != nil else { throw SQLError.busy }
            }
        }
        return try await look(body)
    }

    /// The rows of one statement, if a connection is free now and nobody keeps readers out.
    func rowsAtOnce(_ sql: String, _ arguments: [SQLValue]) -> [SQLRow]? {
        guard let handle = state.withLock({ $0.free.popLast() }) else { return nil }
        defer { giveBack(handle) }
        return try? handle.rows(sql, arguments)
    }

    private func look<Value: Sendable>(_ body: @Sendable (any SQLConnection) throws -> Value) async throws -> Value {
        guard let handle = await take() else { throw SQLError.closed }
        defer { giveBack(handle) }
        return try handle.read(body)
    }

    /// Closes every connection as soon as its reader is done, and returns after the last. Callers that still wait are told ``SQLError/closed``.
    func close() async {
        let (idle, dismissed) = state.withLock { state in
            state.isClosed = true
            defer { (state.free, state.waiting) = ([], []) }
            return (state.free, state.waiting)
        }
        for caller in dismissed { caller.resume(returning: nil) }
        for handle in idle { retire(handle) }
        await withCheckedContinuation { continuation in
            let done = state.withLock { state in
                if state.open > 0 { state.closing.append(continuation) }
                return state.open == 0
            }
            if done { continuation.resume() }
        }
    }

    private func take() async -> SQLiteHandle? {
        if let handle = state.withLock({ $0.free.popLast() }) { return handle }
        return await withCheckedContinuation { continuation in
            let (handle, mustWait) = state.withLock { state -> (SQLiteHandle?, Bool) in
                if let handle = state.free.popLast() { return (handle, false) }
                if !state.isClosed { state.waiting.append(continuation) }
                return (nil, !state.isClosed)
            }
            if !mustWait { continuation.resume(returning: handle) }
        }
    }

    private func giveBack(_ handle: SQLiteHandle) {
        let (next, isClosed) = state.withLock { state in
            let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            if next == nil, !state.isClosed { state.free.append(handle) }
            return (next, state.isClosed)
        }
        if let next {
            next.resume(returning: handle)
        } else if isClosed {
            retire(handle)
        }
    }

    private func retire(_ handle: SQLiteHandle) {
        handle.close()
        let closers = state.withLock { state in
            state.open -= 1
            guard state.open == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closing = [] }
            return state.closing
        }
        for closer in closers { closer.resume() }
    }
}
