import Database
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

/// What each call asks of the database: a statement is a round trip where that is another machine, a commit is a wait for its disk unless it is soft, a page is
/// written to the log, waited for, and copied to the file later. Who adds one says so here. Over a file of its own, in which each table and index is one page.
@Suite("What a try and a new PIN cost the second-factor server")
struct CallCostTests {
    private struct Cost: Equatable {
        /// Transactions that only read; those that changed rows; statements of both; pages that were written.
        let reads, commits, statements, pages: Int
        /// Commits that wait for no disk.
        var soft = 0
    }

    /// What is asked for today. Each ticket and each proof looks first, verifies what it found, and looks again where it decides: instance, attempt and
    /// pending key are three statements each time, and the attempt that vouches for a new PIN is a fourth.
    private enum Today {
        /// Counted: the instance, and the attempt in its table and three indexes. Evaluated: nothing of it is kept (decision 0062).
        static let ticket = Cost(reads: 1, commits: 1, statements: 8, pages: 5)
        /// The instance and the attempt, on which nobody relies beyond the receipt (decision 0067).
        static let proof = Cost(reads: 1, commits: 1, statements: 8, pages: 2, soft: 1)
        /// The same of a try that vouches for a new PIN.
        static let voucherProved = Cost(reads: 1, commits: 1, statements: 8, pages: 2)
        /// A key that waits, in its table and index, and the attempt.
        static let newPIN = Cost(reads: 1, commits: 1, statements: 10, pages: 6)
        /// The instance, the attempt, and the key that waits no more.
        static let newPINProved = Cost(reads: 1, commits: 1, statements: 9, pages: 4)
        /// A first PIN, asked for and proved: the same two, but that nothing vouches for it and that the instance is new in its table and its index.
        static let enrolment = Cost(reads: 2, commits: 2, statements: 17, pages: 11)
    }

    private struct Meter: Sendable {
        let database: CountingDatabase
        let log: PageLog

        func forget() async throws {
            _ = database.take()
            _ = try await log.take()
        }

        /// Compares what was asked since the last look.
        func expect(_ expected: Cost, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let count = database.take()
            let found = Cost(
                reads: count.reads, commits: count.commits, statements: count.statements.count, pages: try await log.take(), soft: count.softCommits)
            #expect(found == expected, "\(count.statements.joined(separator: "\n"))", sourceLocation: sourceLocation)
        }
    }

    private func run(_ body: @escaping @Sendable (ServerFixture, Meter) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("sf.sqlite")
        let file = try SQLiteDatabase.open(path: path)
        let meter = Meter(database: CountingDatabase(file), log: PageLog(of: file, at: path))
        try await ServerFixture.run(on: meter.database, ServerFixture.Setting()) { server in try await body(server, meter) }
        try await file.close()
    }

    @Test("A try by PIN: counted, evaluated, proved, of which the first and the last are commits and the first waits; a wrong one is the first two")
    func login() async throws {
        try await run { server, meter in
            let phone = try RawPhone("login")
            try await server.enrol(phone)
            try await server.succeed(phone, sequence: 1)
            try await meter.forget()
            let question = try phone.question()
            #expect(try await server.ask(phone, question, sequence: 2).answer.status == .ok)
            try await meter.expect(Today.ticket)
            #expect(try await server.prove(phone, question).status == .ok)
            try await meter.expect(Today.proof)
            #expect(try await server.guess(phone, sequence: 3).status == .ok)
            try await meter.expect(Today.ticket)
        }
    }

    @Test("A change of the PIN: the old one is a try like any other, the new one is asked for and proved")
    func change() async throws {
        try await run { server, meter in
            let phone = try RawPhone("change")
            try await server.enrol(phone)
            try await meter.forget()
            let voucher = try phone.question(.pinChangeVerify)
            #expect(try await server.ask(phone, voucher, sequence: 1).answer.status == .ok)
            try await meter.expect(Today.ticket)
            #expect(try await server.prove(phone, voucher).status == .ok)
            try await meter.expect(Today.voucherProved)
            let reply = try await server.askForNewPIN(phone, voucher: voucher)
            try await meter.expect(Today.newPIN)
            try await server.setPIN(phone, reply)
            try await meter.expect(Today.newPINProved)
        }
    }

    @Test("An enrolment: the first PIN is asked for and proved")
    func enrolment() async throws {
        try await run { server, meter in
            try await server.enrol(try RawPhone("first"))
            try await meter.forget()
            try await server.enrol(try RawPhone("second"))
            try await meter.expect(Today.enrolment)
        }
    }

    @Test("Asked again, a ticket and a proof cost one look and no page")
    func again() async throws {
        try await run { server, meter in
            let phone = try RawPhone("again")
            try await server.enrol(phone)
            let question = try phone.question()
            let reply = try await server.ask(phone, question, sequence: 1)
            try await meter.forget()
            #expect(try await server.answer(server.server.ticketCall(reply.asked, sequence: 1, at: server.now)).status == .ok)
            try await meter.expect(Cost(reads: 1, commits: 0, statements: 6, pages: 0))
            #expect(try await server.prove(phone, question).status == .ok)
            try await meter.forget()
            #expect(try await server.prove(phone, question).status == .ok)
            try await meter.expect(Cost(reads: 1, commits: 0, statements: 3, pages: 0))
        }
    }
}
