import Database
import Testing

@Suite("A database that cannot be written")
struct OutageTests {
    @Test(
        "Is an outage, which passes",
        arguments: [
            SQLError.busy, .diskFull(path: "/a/place"), .cannotWrite(path: "/a/place", reason: "read-only"), .unavailable, .outcomeUnknown,
            .damaged(path: "/a/place", reason: "torn"), .diskFails(path: "/a/place", reason: "disk I/O error, 778"),
            .noMemory(path: "a place", reason: "out of memory"), .notAllowed(path: "a place", reason: "permission denied"),
            .tableMissing(path: "a place"), .tableMissing(path: "a place", name: "a table"),
        ])
    func passes(error: SQLError) { #expect(SQLError.isOutage(error)) }

    @Test("Any other fault is none", arguments: [SQLError.closed, .transactionLost, .fault(code: 1, message: "x")])
    func others(error: SQLError) { #expect(!SQLError.isOutage(error)) }
}
