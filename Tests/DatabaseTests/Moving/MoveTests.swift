import Database
import OstiaryTesting
import Synchronization
import Testing

@Suite("A move between engines", .timeLimit(.minutes(10)))
struct MoveTests {
    @Test(
        "Every row arrives as it was, whatever its texts, bytes and numbers, what the steps of the schema wrote is as in the source, and the mark goes",
        arguments: MoveDirection.allCases, [1, 2, 500])
    func everyRow(_ direction: MoveDirection, batch: Int) async throws {
        try await direction.run { source, target in
            let before = try await source.movedRows()
            let report = try await source.move(to: target, batch: batch)
            #expect(try await target.movedRows() == before)
            #expect(try await source.movedRows() == before)
            #expect(Set(report.tables.map(\.name)) == Set(before.keys))
            for table in report.tables { #expect(table.rows == before[table.name]?.count && table.hash.count == 32) }
            #expect(report.rows == before.values.map(\.count).reduce(0, +) && report.resumedAt == 0 && !report.wasMoved)
            // Else the tables of the mark would be the ones that are too many.
            try await #expect(target.move(to: source).wasMoved)
        }
    }

    @Test("There and back the hashes are the same, though the engines order some texts otherwise", .enabled(if: PostgreSQLCluster.isInstalled))
    func thereAndBack() async throws {
        try await MoveDirection(from: .file, to: .postgresql).run { source, target in
            let there = try await source.move(to: target)
            try await Backend.file.withEmptyDatabase { third in
                let back = try await target.move(to: third)
                #expect(Set(back.tables.map(\.hash)) == Set(there.tables.map(\.hash)))
                #expect(try await third.movedRows() == source.movedRows())
            }
        }
    }

    @Test("The engine goes on counting: the number of a row that was deleted is not given out again", arguments: MoveDirection.allCases)
    func counted(_ direction: MoveDirection) async throws {
        try await direction.run { source, target in
            try await source.move(to: target)
            #expect(try await target.nextLine() == 8)
            #expect(try await source.nextLine() == 8)
        }
    }

    @Test("Every body may run twice, and each commit may be lost once, kept or gone", arguments: MoveDirection.allCases, LosingDatabase.Loss.allCases)
    func lostCommits(_ direction: MoveDirection, _ loss: LosingDatabase.Loss) async throws {
        try await direction.run { source, target in
            let losing = LosingDatabase(RerunningDatabase(target) { Issue.record($0) }, .each(loss))
            try await source.move(to: losing)
            #expect(losing.losses > 10)
            #expect(try await target.movedRows() == source.movedRows())
        }
    }

    @Test("Connections that are cut at a commit, before or behind it, cost nothing", .enabled(if: PostgreSQLCluster.isInstalled))
    func cut() async throws {
        try await Backend.file.withEmptyDatabase { source in
            try await source.fillForMove()
            for cut in [CuttingSocket.Cut.before("COMMIT"), .after("COMMIT"), .before("INSERT INTO \"item\""), .after("INSERT INTO \"item\"")] {
                let cluster = try await PostgreSQLCluster.shared
                let name = try await cluster.makeDatabase()
                defer { cluster.leave(name) }
                let socket = try CuttingSocket(to: cluster.folder)
                let target = try await cluster.open(name, through: socket.socketFolder)
                let isCut = Mutex(false)
                try await source.move(to: target) { progress in
                    guard progress.table == "owner", !isCut.withLock({ $0 }) else { return }
                    isCut.withLock { $0 = true }
                    socket.cut(cut)
                }
                #expect(socket.hasCut, "\(cut)")
                #expect(try await target.movedRows() == source.movedRows(), "\(cut)")
                await target.close()
            }
        }
    }

    @Test("What is told grows by each batch, up to the whole, and what an earlier run did is no pace of this one")
    func progress() async throws {
        try await MoveDirection(from: .memory, to: .memory).run { source, target in
            let told = Mutex<[MoveProgress]>([])
            let dying = DyingDatabase(target, .commit(9, isKept: true))
            await #expect(throws: Killed()) { try await source.move(to: dying) }
            let report = try await source.move(to: target) { progress in told.withLock { $0.append(progress) } }
            let all = told.withLock { $0 }
            #expect(report.resumedAt > 0)
            #expect(all.allSatisfy { $0.before == report.resumedAt && $0.total == all[0].total && $0.done <= $0.total })
            #expect(all.map(\.done) == all.map(\.done).sorted())
            #expect(all.last?.done == all.last?.total)
            #expect(all.last?.total == 2 * report.rows - movedSteps.count)
            // Each table is told to be through once: in this run's copying at most, and in comparing.
            let compared = all.filter { $0.step == .comparing && $0.isTableDone }
            #expect(compared.map(\.table).sorted() == report.tables.map(\.name).sorted())
        }
    }
}
