/// A transaction that waits for its turn.
protocol PendingTransaction: AnyObject, Sendable {
    /// Runs the body and keeps what it returned or threw.
    /// - Returns: whether its changes are to be kept.
    func run(on connection: any SQLConnection) -> Bool
    /// What the body threw, if it did.
    var failure: (any Error)? { get }
    /// Tells the caller what the body did; called after the commit.
    func deliver()
    /// Replaces what the body returned by an error that it could not see.
    func refuse(_ error: any Error)
}

extension PendingTransaction {
    /// Tells the caller that nothing was kept; the body's own error comes first.
    func fail(_ error: any Error) {
        refuse(error)
        deliver()
    }
}

/// A caller's body and the caller.
///
/// `@unchecked`: after it was queued, only the writer's queue touches it.
final class BodyTransaction<Value: Sendable>: PendingTransaction, @unchecked Sendable {
    private let body: @Sendable (any SQLConnection) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private var result: Result<Value, any Error>?

    init(body: @Sendable @escaping (any SQLConnection) throws -> Value, continuation: CheckedContinuation<Value, any Error>) {
        self.body = body
        self.continuation = continuation
    }

    func run(on connection: any SQLConnection) -> Bool {
        do {
            result = .success(try body(connection))
            return true
        } catch {
            result = .failure(error)
            return false
        }
    }

    var failure: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }

    func deliver() {
        continuation.resume(with: result ?? .failure(SQLError.transactionLost))
    }

    func refuse(_ error: any Error) {
        if case .failure = result { return }
        result = .failure(error)
    }
}

/// The transactions of one commit.
struct CommitGroup {
    private let members: [any PendingTransaction]

    init(_ members: [any PendingTransaction]) {
        self.members = members
    }

    /// Runs every member, commits, and tells every caller.
    func run(on connection: SQLiteConnection) {
        do {
            try connection.execute("BEGIN IMMEDIATE")
            for member in members {
                try run(member, on: connection)
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
            for member in members { member.fail(error) }
            return
        }
        for member in members { member.deliver() }
    }

    /// Runs one member inside a savepoint. An error out of here ends the group; the member's own error does not.
    private func run(_ member: any PendingTransaction, on connection: SQLiteConnection) throws {
        try connection.execute("SAVEPOINT member")
        var keeps = member.run(on: connection)
        // A body that ended the transaction, or a full disk, took the work of the others with it.
        guard connection.isInTransaction else { throw member.failure as? SQLError ?? SQLError.transactionLost }
        if keeps, connection.hasBrokenReference {
            member.refuse(SQLError.foreignKeyViolation)
            keeps = false
        }
        if !keeps { try connection.execute("ROLLBACK TO member") }
        try connection.execute("RELEASE member")
    }
}
