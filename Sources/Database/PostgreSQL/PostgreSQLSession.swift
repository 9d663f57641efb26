import CLibPQ

/// One link and what is prepared on it; another link when that one is lost. It runs bodies, each in a transaction, and says how that ended.
///
/// Used by one thread: ``ConnectionThreads`` sees to that.
final class PostgreSQLSession {
    private let connector: PostgreSQLConnector
    private var link: PostgreSQLLink?
    private var statements: [String: PreparedText] = [:]
    private var lastName = 0
    /// A second from when the link was made. It is not made anew before that because a table is missing, so that many who ask make no more than one a second.
    private var isNewUntil = Deadline.never
    /// Of which round the link is (``ConnectionThreads``).
    private var round = 0
    /// Whether the last run of a body, or its end, lost the link since nothing was heard.
    private(set) var silence = Silence.none

    enum Silence {
        case none, beforeCommit
        /// What was to be committed is kept, or not, or will be.
        case atCommit
    }

    /// Whether the last run of a body has shown that no connection of before may be used: what was asked of one speaks against all.
    private(set) var isRefuted = false

    /// More texts than this means that statements are built at run time; then they are forgotten rather than kept for ever.
    private static let mostStatements = 512

    init(_ connector: PostgreSQLConnector) { self.connector = connector }

    var isOpen: Bool { link != nil }

    /// Makes a link where there is none of this round.
    /// - Parameter deadline: of whoever needs it.
    /// - Returns: whether it is a new one.
    /// - Throws: ``PostgreSQLLink/Loss``.
    func open(in round: Int, by deadline: Deadline) throws(PostgreSQLLink.Loss) -> Bool {
        if self.round != round { drop() }
        guard link == nil else { return false }
        link = try connector.connect(by: deadline)
        (self.round, isNewUntil) = (round, Deadline(milliseconds: 1000))
        return true
    }

    func close() { drop() }

    /// Which database it is, for an operator.
    var place: String { connector.place }

    var timelines: SeenTimelines { connector.timelines }

    /// Runs a body in a transaction of its own; once more where it misses a table.
    /// - Parameters:
    ///   - isCareful: whether a statement that fails is taken back alone, so that a body which catches its error goes on with the rest.
    ///   - isPatient: whether statements may take as long as they take.
    ///   - deadline: when the caller waits no longer.
    func attempt<Value: Sendable>(
        _ kind: TransactionKind, isCareful: Bool, isPatient: Bool, by deadline: Deadline, _ body: (any SQLConnection) throws -> Value
    ) -> Attempt<Value> {
        let first = run(kind, isCareful: isCareful, isPatient: isPatient, by: deadline, body)
        guard case .done(.failure(SQLError.tableMissing)) = first, looksAnew(by: deadline) else { return first }
        let second = run(kind, isCareful: isCareful, isPatient: isPatient, by: deadline, body)
        guard case .done(.failure(SQLError.tableMissing)) = second else { return second }
        return .done(.failure(reasonForMissing(by: deadline) ?? SQLError.tableMissing(path: place)))
    }

    /// Has the server find anew where the tables of this connection are. It keeps that, and may go on without a schema that the role was let into again
    /// (PostgreSQL 15 by another membership): no table is told as gone by such a connection.
    /// - Returns: whether a body may be run again.
    private func looksAnew(by deadline: Deadline) -> Bool {
        endTransaction()
        guard let link else { return false }
        link.deadline = deadline
        return (try? link.exchange([.once("RESET search_path")]))?.first?.fault == nil
    }

    /// A table that is not found may be in a schema that the role may not use any more: whoever was told that it is gone would restore a backup. Otherwise the
    /// connection goes, unless it is new: which schemas are looked through is said when one is made, and was perhaps changed since.
    private func reasonForMissing(by deadline: Deadline) -> SQLError? {
        endTransaction()
        let (catalogue, place) = (SQLDialect.postgresql.catalogue, place)
        let lack = run(.read, isCareful: false, isPatient: false, by: deadline) { try catalogue.lackOfSchema(on: $0, at: place) }
        if case .done(.success(let lack?)) = lack { return lack }
        if isNewUntil.isOver { drop() }
        return nil
    }

    private func run<Value: Sendable>(
        _ kind: TransactionKind, isCareful: Bool, isPatient: Bool, by deadline: Deadline, _ body: (any SQLConnection) throws -> Value
    ) -> Attempt<Value> {
        guard let link else { return .again(.loss) }
        let settings = connector.settings
        (link.silence, link.deadline) = (isPatient ? nil : settings.silence, deadline)
        let transaction = PostgreSQLTransaction(self, link, kind, isCareful: isCareful, isPatient: isPatient)
        let attempt = transaction.finish(
            Result { try body(transaction) }, commitSilence: isPatient ? settings.patientCommit : settings.silence)
        silence = !link.wentSilent ? .none : transaction.hasSaidCommit ? .atCommit : .beforeCommit
        if link.wentSilent { connector.order.note(silent: link.host) }
        if link.isLost { connector.pooling.doubtAfterLoss() }
        switch attempt {
        case .again(.loss), .again(.staleStatements): drop()
        default: if link.isLost { drop() }
        }
        return attempt
    }

    /// Gives up the connection. Whoever wants one is told why, until one was made.
    func refute(_ link: PostgreSQLLink, _ reason: String) {
        if reason == LinkMark.handedOn { connector.pooling.doubt() }
        connector.refusal.note(reason)
        link.giveUp()
        isRefuted = true
    }

    /// Takes back what was not committed. The caller need not wait for it.
    func endTransaction() {
        (silence, isRefuted) = (.none, false)
        guard let link, !link.isIdle else { return }
        link.deadline = Deadline(milliseconds: connector.settings.connectTimeout)
        let answers = try? link.exchange([.once("ROLLBACK")])
        if link.wentSilent { silence = .beforeCommit }
        if answers == nil || !link.isIdle { drop() }
    }

    private func drop() {
        link = nil
        statements = [:]
    }
}

// MARK: Statements

extension PostgreSQLSession {
    /// A statement that is ready to be run.
    struct Plan {
        let messages: [PostgreSQLLink.Message]
        let text: PreparedText?
        /// Whether it stood there before.
        let isKnown: Bool
        /// Begins or ends a part of the transaction.
        let isControl: Bool
    }

    struct PreparedText {
        let name: String
        var types: [Oid]
        var columns: SQLColumns

        /// Whether arguments of these kinds go with it. A null goes with all.
        func takes(_ arguments: [SQLValue]) -> Bool { zip(types, arguments).allSatisfy { $1 == .null || $0 == $1.postgresqlType } }
    }

    /// - Throws: ``SQLError/argumentCount(expected:found:)``.
    func plan(_ sql: String, _ arguments: [SQLValue]) throws(SQLError) -> Plan {
        let known = statements[sql]
        let expected = known?.types.count ?? SQLText(sql).parameterCount
        guard expected == arguments.count else { throw .argumentCount(expected: expected, found: arguments.count) }
        if let known, known.takes(arguments) {
            return Plan(messages: [.run(name: known.name, arguments)], text: known, isKnown: true, isControl: false)
        }
        let word = sql.drop(while: \.isWhitespace).prefix(while: \.isLetter).uppercased()
        guard Self.prepared.contains(word) else {
            return Plan(messages: [.once(sql)], text: nil, isKnown: false, isControl: Self.controls.contains(word))
        }
        return prepare(sql, arguments, insteadOf: known)
    }

    /// Arguments say what they are; what a null is the server finds, or it was said before.
    private func prepare(_ sql: String, _ arguments: [SQLValue], insteadOf former: PreparedText?) -> Plan {
        lastName += 1
        // A connection that was handed on knows it not, and runs no other's in its place.
        let name = "s\(lastName)_\(link?.mark ?? "")"
        // Told to forget it, the server does so whatever becomes of the transaction.
        if former != nil { statements[sql] = nil }
        let types = arguments.enumerated().map { $1 == .null ? former?.types[$0] ?? 0 : $1.postgresqlType }
        var messages: [PostgreSQLLink.Message] = former.map { [.once("DEALLOCATE \($0.name)")] } ?? []
        if statements.count >= Self.mostStatements {
            messages = [.once("DEALLOCATE ALL")]
            statements = [:]
        }
        messages += [.prepare(name: name, sql, types), .describe(name: name), .run(name: name, arguments)]
        let text = PreparedText(name: name, types: types, columns: SQLColumns(names: []))
        return Plan(messages: messages, text: text, isKnown: false, isControl: false)
    }

    /// Keeps what was prepared, with what the server said of it.
    func keep(_ plan: Plan, _ sql: String, _ description: PostgreSQLAnswer) -> SQLColumns {
        guard var text = plan.text else { return description.columns }
        if plan.isKnown { return text.columns }
        (text.types, text.columns) = (description.parameterTypes, description.columns)
        statements[sql] = text
        return text.columns
    }

    private static let prepared: Set<String> = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "VALUES"]
    private static let controls: Set<String> = ["SAVEPOINT", "RELEASE", "ROLLBACK", "COMMIT", "BEGIN", "END", "ABORT", "START"]
}
