import Synchronization

/// PostgreSQL: serializable transactions on connections with threads of their own, begun again where that is right.
package final class PostgreSQLDatabase: Database {
    package let dialect = SQLDialect.postgresql
    package let isShared = true
    private let threads: ConnectionThreads
    let connector: PostgreSQLConnector
    private let announcer: PostgreSQLAnnouncements
    /// Whether statements may take as long as they take.
    private let isPatient: Bool
    /// Whether the server has refused a write for want of room, and nobody has seen room since.
    private let wantsRoom = Mutex(false)
    let commits: UnansweredCommits

    init(_ connector: PostgreSQLConnector) {
        self.connector = connector
        threads = ConnectionThreads(connector)
        announcer = PostgreSQLAnnouncements(connector)
        commits = UnansweredCommits()
        isPatient = false
    }

    private init(patient base: PostgreSQLDatabase) {
        (connector, threads, announcer, commits) = (base.connector, base.threads, base.announcer, base.commits)
        isPatient = true
    }

    package var place: String { connector.place }

    package var refusal: String? { connector.refusal.reason }

    package var patient: any Database { PostgreSQLDatabase(patient: self) }

    /// By LISTEN and NOTIFY, on one connection more, which is there as soon as somebody listens or has something to say.
    package var announcements: (any Announcements)? { announcer }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await run(.read, body)
    }

    package func rows(_ sql: String, _ arguments: [SQLValue]) async throws -> [SQLRow] {
        // Outside of a transaction nothing keeps a statement from writing. One that begins so changes nothing, but by a function.
        guard sql.utf8.starts(with: "SELECT ".utf8) else { throw SQLError.readOnly }
        return try await run(isPatient ? .read : .oneStatement) { try $0.query(sql, arguments) }
    }

    @discardableResult
    package func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        let deadline = newDeadline
        // One more would wait there with the others, and hold one more of the server's connections.
        if commits.areSuspected { try await checkCommits(by: deadline) }
        return try await run(.write, by: deadline, body)
    }

    /// When a call that begins now is over.
    private var newDeadline: Deadline { Deadline(milliseconds: isPatient ? nil : connector.settings.callTime) }

    /// Runs a body until a run of it counts.
    /// - Parameter limit: when the caller waits no longer; nil for the usual.
    private func run<Value: Sendable>(
        _ kind: TransactionKind, by limit: Deadline? = nil, _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let retry = connector.settings.retry
        let deadline = limit ?? newDeadline
        var runs = 0
        var (isCareful, hasCollided) = (false, false)
        while true {
            let cause: AgainCause
            switch try await attempt(kind, isCareful: isCareful, by: deadline, body) {
            case .done(let result):
                guard case .failure(let error) = result else { return try result.get() }
                note(error)
                let reason = await reason(for: error, of: kind, by: deadline)
                // It waited for those who had sent it away before.
                throw hasCollided && reason as? SQLError == .busy ? SQLError.collided : reason
            case .again(let found): cause = found
            }
            runs += 1
            isCareful = isCareful || cause == .unheededError
            hasCollided = hasCollided || cause == .conflict
            guard !deadline.isOver, let pause = retry.pause(after: runs) else {
                throw Self.refusal(after: cause, hasCollided: hasCollided, isLate: deadline.isOver)
            }
            if pause > 0, cause != .unheededError { await retry.wait(pause) }
        }
    }

    /// Why a body is not begun again. One that was sent away by others, and whose time was over while it waited for them, has lost no server.
    private static func refusal(after cause: AgainCause, hasCollided: Bool, isLate: Bool) -> SQLError {
        if cause == .conflict || hasCollided && isLate { return .collided }
        return cause == .loss ? .unavailable : .busy
    }

    private func attempt<Value: Sendable>(
        _ kind: TransactionKind, isCareful: Bool, by deadline: Deadline,
        _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Attempt<Value> {
        let (isPatient, commits) = (isPatient, commits)
        return try await withCheckedThrowingContinuation { continuation in
            let job = ConnectionJob(
                by: deadline,
                run: { session in
                    let attempt = session.attempt(kind, isCareful: isCareful, isPatient: isPatient, by: deadline, body)
                    if session.silence == .atCommit { commits.note() }
                    return { continuation.resume(returning: attempt) }
                },
                refuse: { continuation.resume(throwing: $0) })
            threads.submit(job)
        }
    }

    /// Whether commits are answered, as far as the server's own list of what it does shows it. Nothing is committed for it.
    /// - Parameter deadline: of whoever asks; nil for the usual.
    /// - Throws: ``SQLError/commitsUnanswered(standbys:)``, ``SQLError``.
    func checkCommits(by deadline: Deadline? = nil) async throws {
        let silence = connector.settings.silence
        try await run(.read, by: deadline) { try UnansweredCommits.check(on: $0, silence: silence) }
        commits.forget()
    }

    /// What is behind an error, where that looks like something else.
    private func reason(for error: any Error, of kind: TransactionKind, by deadline: Deadline) async -> any Error {
        // Whoever has no time left asks nothing more.
        guard !deadline.isOver else { return error }
        switch error {
        case SQLError.busy where kind == .write: return await reasonForWaiting(by: deadline) ?? error
        default: return error
        }
    }

    /// A write that waited too long for a lock may have waited for a commit of ours that waits for a standby itself, one of an earlier start perhaps: then
    /// nobody else holds anything, and that is what is told.
    private func reasonForWaiting(by deadline: Deadline) async -> SQLError? {
        let age = connector.settings.lockTimeout
        let found = try? await run(.read, by: deadline) { try UnansweredCommits.awaited(on: $0, silence: age) }
        return found.flatMap { $0 }.map { SQLError.commitsUnanswered(standbys: $0) }
    }

    private func note(_ error: any Error) {
        switch error {
        case SQLError.diskFull, SQLError.diskFails: wantsRoom.withLock { $0 = true }
        default: break
        }
    }

    var hasRefusedForRoom: Bool { wantsRoom.withLock { $0 } }
    func noteRoom() { wantsRoom.withLock { $0 = false } }

    /// What was deleted stays in pages and log until the server writes over them: its files are its operator's.
    package func purge() {}

    /// Its files are not ours to look at. That a connection is its session's own still, and its server keeps what it says that it has kept, by one statement on
    /// whichever has nothing to do. Of several hosts it is left where another was promoted, for which its commits wait.
    /// - Throws: ``Unreachable``, ``SQLError``.
    package func checkInPlace() async throws {
        try await tellingWhy {
            if connector.address.hosts.count > 1 { try await lookForSuccessor() }
            try await run(.oneStatement) { connection -> Void in try (connection as? PostgreSQLTransaction)?.checkStanding() }
        }
    }

    /// A server whose commits wait for a standby acknowledges nothing. Where that standby was promoted, what it is told is seen here by nobody: its timeline is
    /// noted, by which connections to this one are given up. Where no commit waits another that takes writes says nothing of which is the right one.
    private func lookForSuccessor() async throws {
        let connector = connector
        try await run(.oneStatement) { connection -> Void in
            guard try UnansweredCommits.awaited(on: connection, silence: connector.settings.silence) != nil else { return }
            if let transaction = connection as? PostgreSQLTransaction { connector.noteWriters(beside: transaction.link.host) }
        }
    }

    package func close() async {
        await announcer.close()
        await threads.close()
    }
}
