import Testing

@testable import Database

@Suite("A database that cannot be written")
struct OutageTests {
    @Test(
        "Is an outage, which passes",
        arguments: [
            SQLError.busy, .collided, .diskFull(path: "/a/place"), .cannotWrite(path: "/a/place", reason: "read-only"), .unavailable, .outcomeUnknown,
            .damaged(path: "/a/place", reason: "torn"), .diskFails(path: "/a/place", reason: "disk I/O error, 778"),
            .noMemory(path: "a place", reason: "out of memory"), .notAllowed(path: "a place", reason: "permission denied"),
            .tableMissing(path: "a place"), .tableMissing(path: "a place", name: "a table"), .indexMissing(path: "a place"),
            .indexMissing(path: "a place", lacking: ["an index"]),
        ])
    func passes(error: SQLError) { #expect(SQLError.isOutage(error)) }

    private static let advised: [any OperatorFault] = [
        SQLError.busy, SQLError.collided, SQLError.commitsUnanswered(standbys: "far"), SQLError.commitsUnanswered(standbys: nil),
        SQLError.unavailable,
        SQLError.diskFull(path: "/a/place"), SQLError.diskFails(path: "/a/place", reason: "ulimit -f"),
        SQLError.noMemory(path: "a place", reason: "out of memory"), SQLError.notAllowed(path: "a place", reason: "permission denied"),
        SQLError.damaged(path: "/a/place", reason: "torn"), SQLError.tableMissing(path: "a place", name: "a table"),
        SQLError.indexMissing(path: "a place"), SQLError.replaced(path: "/a/place"), Unreachable(reason: "refused"),
    ]

    @Test(
        "At a start, and where a command has failed, none speaks of a server that runs: it says to begin again, with all else that it says",
        arguments: [(FaultReader.start, "start again"), (FaultReader.command, "run this again")])
    func ended(reader: FaultReader, again: String) async throws {
        for fault in Self.advised {
            #expect(fault.description.contains("a server that runs goes on by itself") || fault.description.hasSuffix(", start it again"))
            let ended = await #expect(throws: ToldFault.self) { try await ToldFault.telling(reader) { throw fault } }
            let told = try #require(ended).description
            #expect(told.hasPrefix("\(fault.trouble): ") && told.contains(again), "\(told)")
            #expect(!told.contains("goes on by itself") && !told.contains("start it again"), "\(told)")
            if let deed = fault.remedy?.deed { #expect(told.contains(deed), "\(told)") }
        }
    }

    @Test("It is said in a sentence for each who reads it; whoever has words of their own takes what it is and what to do")
    func sentences() {
        func words(_ fault: any OperatorFault) -> [String] { [fault.brief] + FaultReader.allCases.map { fault.words(for: $0) } }
        let (full, away) = ("the disk of /a/place is full: free some space there", "the database cannot be reached (refused)")
        #expect(
            words(SQLError.diskFull(path: "/a/place"))
                == [full, "\(full); a server that runs goes on by itself", "\(full); then start again", "\(full); then run this again"])
        #expect(
            words(Unreachable(reason: "refused"))
                == [
                    away, "\(away): a server that runs goes on by itself when it can", "\(away): start again when it can be",
                    "\(away): run this again when it can be",
                ])
        let damaged = "the database /a/place is damaged (torn)"
        #expect(
            words(SQLError.damaged(path: "/a/place", reason: "torn"))
                == [
                    "\(damaged): restore a backup", "\(damaged): stop the server, restore a backup, start it again",
                    "\(damaged): restore a backup, then start again", "\(damaged): stop every server on it, restore a backup, then run this again",
                ])
        #expect(Set(words(SQLError.closed)) == ["the database is closed"])
    }

    @Test("What advises nobody stays the error that it is", arguments: [SQLError.closed, .outcomeUnknown])
    func stays(error: SQLError) async {
        await #expect(throws: error) { try await ToldFault.telling(.start) { throw error } }
    }

    @Test("Any other fault is none", arguments: [SQLError.closed, .transactionLost, .fault(code: 1, message: "x")])
    func others(error: SQLError) { #expect(!SQLError.isOutage(error)) }
}
