import Synchronization

/// The right to do work that only one node at a time may do: taken by one, renewed while that one works, lost when it is late, handed on when it stops.
///
/// No clock is compared with that of another node. The holder counts its turn up when half of the life is over; another node takes the lease when it has
/// seen the same turn for a whole life by its own clock, in which a leap counts for a quarter of a life at most. So a holder that is late, or whose clock
/// was put back, has stopped before another begins; it asks the row again and sees whose turn it is. Work that goes on for longer than half a life
/// without asking, or in a process that is halted meanwhile, may overlap with that of the next holder: it must bear that.
///
/// Where no other node can be (``Database/isShared``) it is held without a row, and costs nothing.
package final class Lease: Sendable {
    fileprivate struct Turn: Equatable, Sendable {
        let holder: [UInt8]
        let number: Int64
    }

    /// Another node's turn, and how long this one has looked at it.
    fileprivate struct Sighting {
        let turn: Turn
        var waited: UInt64 = 0
        var lookedAt: UInt64
    }

    fileprivate struct State {
        /// When the turn began that this node has; nil while it has none.
        var since: UInt64?
        var sighting: Sighting?
        var isReleased = false
    }

    private let database: any Database
    private let name: String
    private let life: UInt64
    private let holder: [UInt8]
    private let state = Mutex(State())

    init(_ name: String, of database: any Database, for life: UInt64, holder: [UInt8]) {
        self.database = database
        self.name = name
        self.life = life
        self.holder = holder
    }

    /// The table, for a step of a schema.
    package static func tables(_ dialect: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE lease (
                name TEXT NOT NULL PRIMARY KEY, holder \(dialect.blob) NOT NULL, turn \(dialect.integer) NOT NULL
            ) \(dialect.keyedTableOptions)
            """
        ]
    }

    /// What an operator is told in the place of an error of work under it: ``Database/told(_:)``.
    package func told(_ error: any Error) -> any Error { database.told(error) }

    /// Whether this node may do the work now. Takes the lease if it is free, and renews it when half of its life is over.
    /// - Parameter now: in seconds, by this node's clock.
    /// - Throws: ``SQLError``; then this node may not.
    package func isHeld(at now: UInt64) async throws -> Bool {
        guard database.isShared else { return true }
        let overdue: Turn?
        switch state.withLock({ $0.look(at: now, life: life) }) {
        case .mine: return true
        case .released: return false
        case .ask(let turn): overdue = turn
        }
        let (name, holder) = (name, holder)
        let found = try await database.transaction { connection, _ in
            try Self.turn(of: name, for: holder, insteadOf: overdue, on: connection)
        }
        return state.withLock { $0.note(found, isOwn: found.holder == holder, at: now) }
    }

    /// Hands the lease on, at an orderly stop: this node does not take it again.
    /// - Throws: ``SQLError``; then it is lost when it is late.
    package func release() async throws {
        state.withLock { state in
            state.isReleased = true
            state.since = nil
        }
        guard database.isShared else { return }
        let arguments: [SQLValue] = [.text(name), .blob(holder)]
        try await database.transaction { connection, _ -> Void in
            try connection.execute("DELETE FROM lease WHERE name = $1 AND holder = $2", arguments)
        }
    }

    /// Whose turn it is now. Run again it finds its own, and counts it up once more.
    private static func turn(of name: String, for holder: [UInt8], insteadOf overdue: Turn?, on connection: any SQLConnection) throws -> Turn {
        let row = try connection.one("SELECT holder, turn FROM lease WHERE name = $1", [.text(name)])
        guard let row else {
            // Only into a table that has its key: beneath a restore that is under way it has none yet, and a second row would keep it from getting one.
            try connection.write(
                "INSERT INTO lease (name, holder, turn) VALUES ($1, $2, 1) ON CONFLICT (name) DO NOTHING", [.text(name), .blob(holder)],
                changing: 1, of: "lease")
            return Turn(holder: holder, number: 1)
        }
        let present = Turn(holder: try row.blob("holder"), number: try row.integer("turn"))
        guard present.holder == holder || present == overdue else { return present }
        let next = Turn(holder: holder, number: present.number + 1)
        try connection.execute("UPDATE lease SET holder = $2, turn = $3 WHERE name = $1", [.text(name), .blob(holder), .integer(next.number)])
        return next
    }
}

extension Lease.State {
    fileprivate enum Look {
        case mine, released
        /// The row must tell; the turn is that of another node which is late.
        case ask(Lease.Turn?)
    }

    fileprivate mutating func look(at now: UInt64, life: UInt64) -> Look {
        guard !isReleased else { return .released }
        if let since, since <= now, now - since < life / 2 { return .mine }
        // A turn that is late, or ahead of the clock, is over, also when the row can't be asked now: a clock put back does not bring it again.
        since = nil
        guard var seen = sighting else { return .ask(nil) }
        if now > seen.lookedAt { seen.waited += min(now - seen.lookedAt, life / 4) }
        seen.lookedAt = now
        sighting = seen
        return .ask(seen.waited < life ? nil : seen.turn)
    }

    fileprivate mutating func note(_ turn: Lease.Turn, isOwn: Bool, at now: UInt64) -> Bool {
        guard isOwn else {
            since = nil
            if sighting?.turn != turn { sighting = Lease.Sighting(turn: turn, lookedAt: now) }
            return false
        }
        sighting = nil
        since = isReleased ? nil : now
        return !isReleased
    }
}

extension Database {
    /// The right to do some work that only one node at a time may do.
    /// - Parameters:
    ///   - life: seconds after which a holder that does not renew it has lost it.
    ///   - holder: 16 random bytes that are this node's.
    package func lease(_ name: String, for life: UInt64, holder: [UInt8]) -> Lease { Lease(name, of: self, for: life, holder: holder) }
}
