import Database
import OstiaryTesting
import Testing

@Suite("A move that is killed", .timeLimit(.minutes(10)))
struct KilledMoveTests {
    /// Moves, is killed, and moves again.
    /// - Returns: whether it was killed at all.
    private func killed(_ death: DyingDatabase.Death, _ source: any Database, _ target: any Database) async throws -> Bool {
        let dying = DyingDatabase(target, death)
        do { try await source.move(to: dying) } catch is Killed {}
        let second = DyingDatabase(target, .never)
        let report = try await source.move(to: second)
        let rows = try await source.movedRows()
        #expect(try await target.movedRows() == rows, "\(death)")
        #expect(dying.moved + second.moved == report.rows - movedSteps.count, "each row is written once: \(death)")
        #expect(try await target.nextLine() == 8, "\(death)")
        return dying.hasDied
    }

    @Test("Killed at any statement it goes on when it is given again, and writes no row twice")
    func anyStatement() async throws {
        try await Backend.memory.withEmptyDatabase { source in
            try await source.fillForMove()
            var place = 0
            repeat { place += 1 } while try await Backend.memory.withEmptyDatabase({ try await killed(.statement(place), source, $0) })
            #expect(place > 50)
        }
    }

    @Test("Killed at any commit, before or behind it, it goes on when it is given again", arguments: MoveDirection.allCases, [true, false])
    func anyCommit(_ direction: MoveDirection, isKept: Bool) async throws {
        try await direction.from.withEmptyDatabase { source in
            try await source.fillForMove()
            var place = 0
            repeat {
                place += 1
            } while try await direction.to.withEmptyDatabase { target in
                try await killed(.commit(place, isKept: isKept), source, target)
            }
            #expect(place > 15)
        }
    }

    @Test(
        "A row that was changed in the target, or is missing there, or one too many, is found, by its table", arguments: MoveDirection.allCases,
        [
            "UPDATE item SET number = number - 1 WHERE number = 1", "UPDATE item SET body = NULL WHERE name = 'a'",
            "DELETE FROM line WHERE position = 3",
            "UPDATE item SET remark = 'nul' WHERE remark = 'null'", "INSERT INTO named (key, value) VALUES ('more', 1)",
            "UPDATE owner SET name = '' WHERE name IS NULL", "UPDATE schema_version SET name = 'other' WHERE number = 2",
        ])
    func changedTarget(_ direction: MoveDirection, _ change: String) async throws {
        try await direction.run { source, target in
            try await stopBeforeEnd(source, target)
            let count = try await target.transaction { try $0.execute(change) }
            #expect(count > 0)
            let table = change.split(separator: " ").first { ["item", "line", "named", "owner", "schema_version"].contains($0) }
            let refusal = MoveRefusal.differs(tables: [String(table ?? "")], source: "the old one", target: "the new one")
            await #expect(throws: refusal) { try await source.move(to: target) }
            // It is no server's yet.
            #expect(try await target.isMarked())
        }
    }

    @Test("A source on which a server ran meanwhile is found, also where it only changed rows", arguments: MoveDirection.allCases)
    func changedSource(_ direction: MoveDirection) async throws {
        try await direction.run { source, target in
            try await stopBeforeEnd(source, target)
            try await source.transaction { try $0.execute("UPDATE named SET value = value + 1") }
            let refusal = MoveRefusal.differs(tables: ["named"], source: "the old one", target: "the new one")
            await #expect(throws: refusal) { try await source.move(to: target) }
        }
    }

    /// All is copied, and the mark is there.
    private func stopBeforeEnd(_ source: any Database, _ target: any Database) async throws {
        let whole = try SQLiteDatabase.inMemory()
        let counting = DyingDatabase(whole, .never)
        try await source.move(to: counting)
        await #expect(throws: Killed()) { try await source.move(to: DyingDatabase(target, .commit(counting.commits, isKept: false))) }
        #expect(try await target.isMarked())
    }
}

extension Database {
    /// Whether a move to it has not come to its end.
    func isMarked() async throws -> Bool {
        do { return try await read { try $0.one("SELECT source FROM unfinished_move")?.text("source") == "sqlite:old" } } catch SQLError.tableMissing,
            SQLError.fault
        { return false }
    }
}
