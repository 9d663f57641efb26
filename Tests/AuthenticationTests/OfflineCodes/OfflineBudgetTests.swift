import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("How many offline codes may be tried")
struct OfflineBudgetTests {
    /// Begins another session, and tries a wrong code of the phone's account, or of another reference.
    private func fail(_ world: DomainFixture, _ phone: TestPhone, ofNobody: Bool = false) async throws -> OfflineCodeRefusal {
        try await world.logOut()
        try await world.link()
        let code = try await world.shownCode(phone).wrong
        return try await world.refusal(ofTyping: ofNobody ? code.ofNobody : code)
    }

    @Test("Three of a session: then not even the right one is looked at, and it counts for nobody; another session has tries of its own")
    func ofSession() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let code = try await world.shownCode(phone)
        for left in [2, 1, 0] { #expect(try await world.refusal(ofTyping: code.wrong) == .wrong(left: left)) }
        let before = try await world.snapshot()
        #expect(try await world.refusal(ofTyping: code) == .sessionSpent)
        #expect(try await world.snapshot() == before)
        try await world.link("other")
        #expect(try await world.type(try await world.shownCode(phone, for: "other"), in: "other").loggedIn)
    }

    @Test(
        "Five of an account within four minutes and ten within a day, whatever sessions they come in; the right one counts, and waits like the others"
    )
    func ofAccount() async throws {
        let (world, phone) = try await DomainFixture.offline()
        for second in 0..<5 {
            #expect(try await fail(world, phone) == .wrong(left: 2), "\(second)")
            world.pass(1)
        }
        #expect(try await fail(world, phone) == .tooMany(seconds: 235))
        #expect(try await world.session()?.codesTried == 0)
        #expect(try await world.refusal(ofTyping: try await world.shownCode(phone)) == .tooMany(seconds: 235))
        world.pass(234)
        #expect(try await fail(world, phone) == .tooMany(seconds: 1))
        world.pass(1)
        for _ in 0..<4 {
            #expect(try await fail(world, phone) == .wrong(left: 2))
            world.pass(100)
        }
        // The tenth is right.
        try await world.link("tenth")
        #expect(try await world.type(try await world.shownCode(phone, for: "tenth"), in: "tenth").loggedIn)
        world.pass(1_000)
        guard case .tooMany(let seconds) = try await fail(world, phone) else { throw MissingValue() }
        world.pass(seconds - 1)
        #expect(try await fail(world, phone) == .tooMany(seconds: 1))
        world.pass(1)
        #expect(try await fail(world, phone) == .wrong(left: 2))
    }

    @Test("A reference that names nobody has the same tries, and is told the same at each of them")
    func ofNobody() async throws {
        var told: [[OfflineCodeRefusal]] = []
        for ofNobody in [false, true] {
            let (world, phone) = try await DomainFixture.offline()
            var refusals: [OfflineCodeRefusal] = []
            for _ in 0..<12 {
                refusals.append(try await fail(world, phone, ofNobody: ofNobody))
                world.pass(30)
            }
            #expect(try await world.failures() == UInt32(refusals.count { $0 == .wrong(left: 2) }))
            told.append(refusals)
        }
        #expect(told[0] == told[1])
    }

    @Test("One account's tries are not another's, and one virtual server's not its neighbour's")
    func apart() throws {
        let (now, server) = (DomainFixture.start, ServerID([UInt8](repeating: 1, count: 16))!)
        var tries = OfflineTries(server: server, reference: 7)
        for _ in 0..<5 { tries = tries.counted(at: now) }
        #expect(tries.wait(at: now) == 240)
        #expect(OfflineTries(server: server, reference: 8).wait(at: now) == nil)
    }

    @Test("A thousand failures of all accounts within a day of the first pause the server's codes, with one line of alarm; right ones cost nothing")
    func ofServer() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let since = world.now
        try await world.store.write { rows in try rows.save(OfflineFailures(server: world.server, since: since, count: 998)) }
        #expect(try await world.type(try await world.shownCode(phone)).loggedIn)
        #expect(try await world.failures() == 998)
        #expect(try await fail(world, phone) == .wrong(left: 2))
        #expect(try await world.trail().contains { $0.kind == .offlineCodesPaused } == false)
        #expect(try await fail(world, phone) == .wrong(left: 2))
        let alarm = AuditEntry(.offlineCodesPaused, server: world.server, by: .server, at: world.now)
        #expect(try await world.trail().filter { $0.kind == .offlineCodesPaused } == [alarm])
        // Somebody who has had no try at all.
        let bob = try await world.enrolledPhone("bob", name: "bob")
        try await world.link("bob's")
        let code = try await world.shownCode(bob, for: "bob's")
        #expect(try await world.refusal(ofTyping: code, in: "bob's") == .tooMany(seconds: OfflineFailures.span - world.now.seconds(since: since)))
        #expect(try await world.failures() == 1_000)
        world.pass(OfflineFailures.span - world.now.seconds(since: since))
        try await world.link("bob's")
        #expect(try await world.type(try await world.shownCode(bob, for: "bob's"), in: "bob's").loggedIn)
        #expect(try await world.trail().filter { $0.kind == .offlineCodesPaused }.count == 1)
    }

    @Test("A clock that runs ahead and is put back gives nobody tries that were used")
    func clock() throws {
        let (now, server) = (DomainFixture.start, ServerID([UInt8](repeating: 1, count: 16))!)
        var tries = OfflineTries(server: server, reference: 7)
        for _ in 0..<5 { tries = tries.counted(at: now + 100) }
        #expect(tries.wait(at: now) == 140)
        var failures = OfflineFailures(server: server, since: now + 100, count: 999)
        failures = failures.counted(at: now)
        #expect(failures.count == 1_000 && failures.wait(at: now) == OfflineFailures.span - 100)
    }

    @Test("The reference of an account that is gone names nobody else for a year, and is free then")
    func reserved() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let id = try present(phone.account)
        let reference = try present(try await world.account(id)).otpReference
        try await world.accounts.delete(id, at: world.server, by: .backend, now: world.now)
        func isTaken() async throws -> Bool {
            let server = world.server
            return try await world.store.read { rows in try rows.isTaken(otpReference: reference, at: server) }
        }
        #expect(try await isTaken())
        world.pass(OfflineTries.reservedFor)
        try await world.housekeeping.run(at: world.now)
        #expect(try await isTaken())
        world.pass(1)
        try await world.housekeeping.run(at: world.now)
        #expect(try await !isTaken())
    }

    @Test("Tries of a day ago are forgotten, so that nothing piles up")
    func forgotten() async throws {
        let (world, phone) = try await DomainFixture.offline()
        _ = try await fail(world, phone)
        _ = try await fail(world, phone, ofNobody: true)
        #expect(try await world.snapshot().offlineTries.count == 2)
        world.pass(OfflineTries.span + 1)
        try await world.housekeeping.run(at: world.now)
        #expect(try await world.snapshot().offlineTries.isEmpty)
    }

    @Test("64 at once with one right code: one is logged in, and no more are counted than a session has; 64 wrong ones count three")
    func atOnce() async throws {
        for round in 0..<8 {
            let (world, phone) = try await DomainFixture.offline()
            let right = try await world.shownCode(phone)
            let gate = Gate()
            let logins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        await gate.wait(for: 64)
                        do { return try await world.type(round % 2 == 0 ? right : right.wrong).loggedIn } catch is OfflineCodeRefusal { return false }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(logins == (round % 2 == 0 ? 1 : 0))
            #expect(try await world.session()?.codesTried == (round % 2 == 0 ? 1 : 3))
            #expect(try await world.failures() == (round % 2 == 0 ? 0 : 3))
        }
    }
}
