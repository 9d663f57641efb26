/// A transaction that waits for its turn.
protocol PendingTransaction: AnyObject, Sendable {
    var durability: Durability { get }
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
    let durability: Durability
    private let body: @Sendable (any SQLConnection) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private var result: Result<Value, any Error>?

    init(
        _ durability: Durability, body: @Sendable @escaping (any SQLConnection) throws -> Value, continuation: CheckedContinuation<Value, any Error>
    ) {
        self.durability = durability
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
    let durability: Durability
    let members: [any PendingTransaction]

    /// What was collected, in the order in which it is committed: nobody has heard of any of them, so those that wait for no disk may come first.
    static func groups(of collected: [any PendingTransaction]) -> [CommitGroup] {
        [Durability.soft, .hard].compactMap { durability in
            let members = collected.filter { $0.durability == durability }
            return members.isEmpty ? nil : CommitGroup(durability: durability, members: members)
        }
    }

    /// Runs every member, commits, and tells every caller.
    func run(on connection: SQLiteConnection) {
        do {
            try connection.begin(durability)
            for member in members {
                try run(member, on: connection)
            }
            try connection.commit(of: members.count)
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
