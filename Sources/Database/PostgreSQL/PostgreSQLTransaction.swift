/// The connection of one run of a body. Its transaction begins with the first statement, in the same message to the server. A change for whose outcome the
/// body doesn't wait is said with what comes next: it fails there, if it does, and then the body is run again with each of them by itself.
final class PostgreSQLTransaction: SQLConnection {
    private enum End {
        case again(AgainCause)
        /// A statement failed, and the server takes no more.
        case failed
        /// Nothing can be written now: to run the body again would not change that.
        case outage(SQLError)
    }

    /// A change that is not said yet.
    private struct Pending {
        let message: PostgreSQLLink.Message
        /// How many rows it changes; nil for any number.
        let count: Int?
    }

    unowned let session: PostgreSQLSession
    let link: PostgreSQLLink
    private let kind: TransactionKind
    private let isCareful: Bool
    /// What begins it.
    private var beginning: [PostgreSQLLink.Message]
    private var pending: [Pending] = []
    /// Why no statement is run any more, and what the body is told.
    private var end: (End, error: SQLError)?
    /// Whether the body went on after that.
    private var hasGoneOn = false
    /// Whether the server was told to keep it.
    private(set) var hasSaidCommit = false

    init(_ session: PostgreSQLSession, _ link: PostgreSQLLink, _ kind: TransactionKind, isCareful: Bool, isPatient: Bool) {
        (self.session, self.link, self.kind, self.isCareful) = (session, link, kind, isCareful)
        let limits = isPatient ? ["SET LOCAL statement_timeout = 0", "SET LOCAL lock_timeout = 0"] : []
        beginning = kind.beginning.map { ([$0] + limits).map(PostgreSQLLink.Message.once) } ?? []
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int { try run(sql, arguments).answer.changes }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let (answer, columns) = try run(sql, arguments)
        return try answer.rows(columns)
    }

    func write(_ sql: String, _ arguments: [SQLValue], changing count: Int?, of table: String) throws {
        try goOn()
        let plan = try session.plan(sql, arguments)
        // What the server has not met is told of it first, and who is careful waits for each.
        if plan.isKnown, let message = plan.messages.first, kind == .write, !isCareful, pending.count < Self.mostPending {
            return pending.append(Pending(message: message, count: count))
        }
        let changed = try run(sql, arguments, plan).answer.changes
        guard count == nil || changed == count else { throw SQLError.rowGone(table: table) }
    }

    /// More are not kept back: a message is sent while the server works at the one before it.
    private static let mostPending = 64

    private func run(_ sql: String, _ arguments: [SQLValue]) throws(SQLError) -> (answer: PostgreSQLAnswer, columns: SQLColumns) {
        try goOn()
        return try run(sql, arguments, try session.plan(sql, arguments))
    }

    /// Whether there is something to go on with.
    private func goOn() throws(SQLError) {
        guard let end else { return }
        hasGoneOn = true
        throw end.error
    }

    private func run(
        _ sql: String, _ arguments: [SQLValue], _ plan: PostgreSQLSession.Plan
    ) throws(SQLError) -> (answer: PostgreSQLAnswer, columns: SQLColumns) {
        let isGuarded = isCareful && !plan.isControl
        let before: [PostgreSQLLink.Message] = isGuarded ? [.once("SAVEPOINT careful")] : []
        let messages = before + plan.messages + (isGuarded ? [.once("RELEASE careful")] : [])
        let answers = try say(messages)
        if let place = answers.firstIndex(where: { $0.fault != nil }), let fault = answers[place].fault {
            throw refused(fault, plan, isGuarded: isGuarded && place >= before.count)
        }
        guard answers.count == messages.count else { throw stop(.again(.loss), .unavailable) }
        let last = before.count + plan.messages.count - 1
        return (answers[last], session.keep(plan, sql, answers[plan.messages.count > 1 ? last - 1 : last]))
    }

    /// Says what begins the transaction if nothing has, what is pending, and then this.
    /// - Returns: the answers to this, up to the first fault in it.
    private func say(_ messages: [PostgreSQLLink.Message]) throws(SQLError) -> [PostgreSQLAnswer] {
        let (begun, written) = (beginning.count, pending)
        // The server may be at each of several for as long as at one, and answers behind the last: it is given what the call has left.
        let silence = link.silence
        defer { link.silence = silence }
        if written.count + messages.count > 1, !written.isEmpty { link.silence = nil }
        let answers = try exchange(beginning + written.map(\.message) + messages)
        (beginning, pending) = ([], [])
        // A server that begins no transaction is a standby by now.
        guard answers.prefix(begun).allSatisfy({ $0.fault == nil }) else { throw stop(.again(.loss), .unavailable) }
        for (change, answer) in zip(written, answers.dropFirst(begun)) {
            if let fault = answer.fault { throw failed(fault) }
            guard change.count == nil || answer.changes == change.count else { throw stop(.again(.unheededError), .busy) }
        }
        guard answers.count >= begun + written.count else { throw stop(.again(.loss), .unavailable) }
        return Array(answers.dropFirst(begun + written.count))
    }

    private func exchange(_ messages: [PostgreSQLLink.Message]) throws(SQLError) -> [PostgreSQLAnswer] {
        do throws(PostgreSQLLink.Loss) { return try link.exchange(messages) } catch {
            throw error.fault?.showsPooler == true ? refute(LinkMark.handedOn) : stop(.again(.loss), .unavailable)
        }
    }

    /// The connection is none that may be used, and is given up, with all that are like it: nothing is answered by it.
    /// - Parameter isAskedAgain: whether the body is run once more, by another one.
    func refute(_ reason: String, isAskedAgain: Bool = false) -> SQLError {
        session.refute(link, reason)
        return stop(isAskedAgain ? .again(.loss) : .outage(.unavailable), .unavailable)
    }

    /// A change failed whose outcome the body did not wait for.
    private func failed(_ fault: PostgreSQLFault) -> SQLError {
        if fault.showsPooler { return refute(LinkMark.handedOn) }
        let error = SQLError(fault, reads: kind != .write, place: session.place)
        if fault.isConflict { return stop(.again(.conflict), .busy) }
        if fault.isStaleStatement { return stop(.again(.staleStatements), .busy) }
        if error == .unavailable { return stop(.again(.loss), error) }
        return stop(SQLError.isOutage(error) ? .outage(error) : .again(.unheededError), error)
    }

    /// What the body is told of a fault; unless the statement can be taken back alone, nothing is run after it.
    private func refused(_ fault: PostgreSQLFault, _ plan: PostgreSQLSession.Plan, isGuarded: Bool) -> SQLError {
        if fault.showsPooler { return refute(LinkMark.handedOn) }
        let error = SQLError(fault, reads: kind != .write, place: session.place)
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
        guard beginning.isEmpty || !pending.isEmpty, kind != .oneStatement else { return .done(result) }
        let isToStay = if case .success = result { true } else { false }
        // What becomes of them is known before COMMIT is said, which is then as before the only one of which nobody may know. A body that refuses may have
        // refused because of a number of rows that it was promised.
        if kind == .write, isToStay ? !pending.isEmpty : pending.contains(where: { $0.count != nil }), (try? say([])) == nil {
            return attempt(after: result)
        }
        // A body that ended the transaction itself.
        guard link.isInTransaction else { return .done(result.flatMap { _ in .failure(SQLError.transactionLost) }) }
        guard isToStay, kind == .write else { return .done(result) }
        (link.silence, link.deadline, hasSaidCommit) = (commitSilence, .never, true)
        return commit(result)
    }

    private func attempt<Value: Sendable>(after result: Result<Value, any Error>) -> Attempt<Value> {
        end.map { attempt(after: $0.0, result) } ?? .again(.loss)
    }

    private func attempt<Value: Sendable>(after end: End, _ result: Result<Value, any Error>) -> Attempt<Value> {
        switch end {
        case .outage(let error): return .done(.failure(error))
        case .again(let cause): return .again(cause)
        case .failed:
            if case .failure = result, !hasGoneOn { return .done(result) }
            return .again(.unheededError)
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
