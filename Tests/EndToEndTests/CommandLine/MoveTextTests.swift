import Testing

@testable import Database
@testable import ostiary

@Suite("What is told of a move")
struct MoveTextTests {
    private func progress(
        _ step: MoveProgress.Step = .copying, rows: Int = 12_000, done: Int, of total: Int = 100_000, before: Int = 0
    ) -> MoveProgress {
        MoveProgress(step: step, table: "account", rows: rows, isTableDone: false, done: done, total: total, before: before)
    }

    @Test("The estimate is that of the pace of this run: what an earlier one did says nothing of it")
    func estimate() {
        #expect(MoveProgressLine(progress(done: 40_000), seconds: 60).plain == "copying account: 12000 rows, 40 %, about 2 min left")
        #expect(MoveProgressLine(progress(done: 40_000, before: 30_000), seconds: 60).plain == "copying account: 12000 rows, 40 %, about 6 min left")
        #expect(MoveProgressLine(progress(done: 90_000), seconds: 9).plain == "copying account: 12000 rows, 90 %, about 1 s left")
        #expect(MoveProgressLine(progress(done: 1_000), seconds: 60).plain == "copying account: 12000 rows, 1 %, about 1 h 39 min left")
    }

    @Test("Nothing is estimated before there is a pace, or when all is done, and 100 % is all of it")
    func noEstimate() {
        #expect(MoveProgressLine(progress(done: 40_000), seconds: 1).plain == "copying account: 12000 rows, 40 %")
        #expect(MoveProgressLine(progress(done: 40_000, before: 40_000), seconds: 60).plain == "copying account: 12000 rows, 40 %")
        #expect(MoveProgressLine(progress(.comparing, done: 99_999), seconds: 1).plain == "comparing account: 12000 rows, 99 %")
        #expect(MoveProgressLine(progress(.comparing, done: 100_000), seconds: 60).plain == "comparing account: 12000 rows, 100 %")
        #expect(MoveProgressLine(progress(rows: 0, done: 0, of: 0), seconds: 60).plain == "copying account: 0 rows, 100 %")
    }

    @Test("On a terminal it is one row with a bar, however narrow that is")
    func bar() {
        let line = MoveProgressLine(progress(done: 40_000), seconds: 60)
        #expect(line.drawn(columns: 80) == "[########------------] 40 % copying account, about 2 min left")
        #expect(line.drawn(columns: 30) == "[########------------] 40 % c")
        #expect(MoveProgressLine(progress(done: 100_000), seconds: 60).drawn(columns: 80) == "[####################] 100 % copying account")
        #expect(MoveProgressLine(progress(done: 0), seconds: 60).drawn(columns: 80) == "[--------------------] 0 % copying account")
    }

    @Test("The end names the setting, the key file and what becomes of the old database, of either server")
    func ending() {
        let tables = [
            ComparedTable(name: "server", rows: 1, hash: [0x0A, 0xFF]), ComparedTable(name: "account", rows: 41, hash: [0, 1]),
        ]
        let report = MoveReport(tables: tables, resumedAt: 0, wasMoved: false)
        let lines = MoveEnding(report, kind: .authentication, from: "sqlite:old", to: "postgresql:///o?host=/run&port=1").lines
        #expect(lines.count == 5)
        #expect(lines.prefix(2) == ["account: 41 rows, sha256 0001", "server: 1 rows, sha256 0aff"])
        #expect(lines[2].hasPrefix("all 42 rows of the authentication server, in 2 tables, are in the new database;"))
        #expect(lines[3].contains("OSTIARY_DATABASE_URL='postgresql:///o?host=/run&port=1'") && lines[3].contains("OSTIARY_KEK_FILE"))
        #expect(lines[3].hasSuffix("start ostiary serve"))
        #expect(lines[4].hasPrefix("the old database (sqlite:old) is as it was: start no server on it any more"))
        let other = MoveEnding(MoveReport(tables: tables, resumedAt: 0, wasMoved: true), kind: .secondFactor, from: "a", to: "b").lines
        #expect(other[2].contains("second-factor server"))
        #expect(other[2].hasSuffix("are in the new database already, and the same on both sides; nothing was changed"))
        #expect(other[3].contains("OSTIARY_SF_DATABASE_URL='b'") && other[3].contains("OSTIARY_SF_KEK_FILE"))
        #expect(other[3].hasSuffix("start ostiary second-factor"))
        // Where root moved, whose the new file is.
        let owned = MoveEnding(report, kind: .authentication, from: "a", to: "b", owner: "ostiary").lines
        #expect(owned.count == 6 && owned[3].hasPrefix("root moved, and the new file belongs to ostiary: a server of another user"))
        // What keeps a server from the old one, if anything does.
        #expect(lines[4].hasSuffix("it says where its rows are now, and no server starts on it"))
        let unnoted = MoveReport(tables: tables, resumedAt: 0, wasMoved: false, isNoted: false)
        #expect(MoveEnding(unnoted, kind: .secondFactor, from: "a", to: "b").lines[4].hasSuffix("and nothing keeps a server from it"))
    }

    @Test("What passes by itself is told with the advice to go on; what the same command would meet again is not")
    func interruption() throws {
        let again = "; what was copied stays: run the same command again, and it goes on"
        let said: [(any Error, String)] = [
            (SQLError.unavailable, "the database cannot be reached"),
            (Unreachable(reason: "FATAL: it is starting up"), "the database cannot be reached (FATAL: it is starting up)"),
            (SQLError.diskFull(path: "a"), "the disk of a is full: free some space there"),
        ]
        for (error, words) in said {
            let told = try #require(MoveInterruption(error)).description
            #expect(told == words + again)
        }
        for error in [MoveRefusal.circular([]), SQLError.uniqueViolation("x"), SQLError.closed] as [any Error] {
            #expect(MoveInterruption(error) == nil)
        }
    }
}
