/// The connection of one run of a body. Its transaction begins with the first statement, in the same message to the server.
final class PostgreSQLTransaction: SQLConnection {
    private enum End {
        case again(AgainCause)
        /// A statement failed, and the server takes no more.
        case failed
    }

    private unowned let session: PostgreSQLSession
    private let link: PostgreSQLLink
    private let kind: TransactionKind
    private let isCareful: Bool
    /// What begins it.
    private var beginning: [PostgreSQLLink.Message]
    /// Why no statement is run any more, and what the body is told.
    private var end: (End, error: SQLError)?
    /// Whether the body went on after that.
    private var hasGoneOn = false
    /// Whether the server was told to keep it.
    private(set) var hasSaidCommit = false

    init(_ session: PostgreSQLSession, _ link: PostgreSQLLink, _ kind: TransactionKind, isCareful: Bool, isPatient: Bool) {
        (self.session, self.link, self.kind, self.isCareful) = (session, link, kind, isCareful)
        let limits = isPatient ? ["SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = 0"] : []
        beginning = ([kind.beginning] + limits).map(PostgreSQLLink.Message.once)
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int { try run(sql, arguments).answer.changes }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let (answer, columns) = try run(sql, arguments)
        return try answer.rows(columns)
    }

    private func run(_ sql: String, _ arguments: [SQLValue]) throws(SQLError) -> (answer: PostgreSQLAnswer, columns: SQLColumns) {
        if let end {
            hasGoneOn = true
            throw end.error
        }
        let plan = try session.plan(sql, arguments)
        let isGuarded = isCareful && !plan.isControl
        let before = beginning + (isGuarded ? [.once("SAVEPOINT careful")] : [])
        let messages = before + plan.messages + (isGuarded ? [.once("RELEASE careful")] : [])
        guard let answers = try? link.exchange(messages) else { throw stop(.again(.loss), .unavailable) }
        let begun = beginning.count
        beginning = []
        if let place = answers.firstIndex(where: { $0.fault != nil }), let fault = answers[place].fault {
            // A server that begins no transaction is a standby by now.
            throw place < begun ? stop(.again(.loss), .unavailable) : refused(fault, plan, isGuarded: isGuarded && place >= before.count)
        }
        guard answers.count == messages.count else { throw stop(.again(.loss), .unavailable) }
        let last = before.count + plan.messages.count - 1
        return (answers[last], session.keep(plan, sql, answers[plan.messages.count > 1 ? last - 1 : last]))
    }

    /// What the body is told of a fault; unless the statement can be taken back alone, nothing is run after it.
    private func refused(_ fault: PostgreSQLFault, _ plan: PostgreSQLSession.Plan, isGuarded: Bool) -> SQLError {
        let error = SQLError(fault, reads: kind == .read, place: session.place)
        if fault.isConflict { return stop(.again(.conflict), .busy) }
        if plan.isKnown, fault.isStaleStatement { return stop(.again(.staleStatements), .busy) }
        // The server takes no writes any more: another one does.
        if error == .unavailable { return stop(.again(.loss), error) }
        guard isGuarded else { return stop(.failed, error) }
        let answers = try? link.exchange([.once("ROLLBACK TO careful"), .once("RELEASE careful")])
        return answers?.count == 2 ? error : stop(.again(.loss), .unavailable)
    }

    private func stop(_ end: End, _ error: SQLError) -> SQLError {
        self.end = (end, error)
        return error
    }
}

extension PostgreSQLTransaction {
    /// Makes what the body changed stay, if it is to stay, and says how that ended.
    /// - Parameters:
    ///   - result: what the body returned or threw.
    ///   - commitSilence: milliseconds that the answer to a COMMIT is waited for.
    func finish<Value: Sendable>(_ result: Result<Value, any Error>, commitSilence: Int) -> Attempt<Value> {
        if let end { return attempt(after: end.0, result) }
        guard beginning.isEmpty else { return .done(result) }
        // A body that ended the transaction itself.
        guard link.isInTransaction else { return .done(result.flatMap { _ in .failure(SQLError.transactionLost) }) }
        guard case .success = result, kind == .write else { return .done(result) }
        (link.silence, link.deadline, hasSaidCommit) = (commitSilence, .never, true)
        return commit(result)
    }

    private func attempt<Value: Sendable>(after end: End, _ result: Result<Value, any Error>) -> Attempt<Value> {
        switch end {
        case .again(let cause): return .again(cause)
        case .failed:
            if case .failure = result, !hasGoneOn { return .done(result) }
            return .again(.caughtError)
        }
    }

    private func commit<Value: Sendable>(_ result: Result<Value, any Error>) -> Attempt<Value> {
        _ = link.takeWarning()
        guard let answer = try? link.exchange([.once("COMMIT")]).first else { return .done(.failure(SQLError.outcomeUnknown)) }
        if let fault = answer.fault {
            if fault.isConflict { return .again(.conflict) }
            let error = SQLError(fault, reads: false, place: session.place)
            return .done(.failure(error == .unavailable ? SQLError.outcomeUnknown : error))
        }
        guard answer.word == "COMMIT" else { return .done(.failure(SQLError.transactionLost)) }
        // It was kept there, and somebody had the server wait no longer for those who keep it as well.
        return .done(link.takeWarning() ? .failure(SQLError.outcomeUnknown) : result)
    }
}
