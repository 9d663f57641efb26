import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("Closing an instance")
struct CloseQueueTests {
    private func deletedAccount() async throws -> (DomainFixture, TestPhone) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.accounts.delete(try present(phone.account), at: world.server, by: .backend, now: world.now)
        return (world, phone)
    }

    @Test("The second-factor server is told once that an instance is gone")
    func told() async throws {
        let (world, phone) = try await deletedAccount()
        #expect(try await world.closes.run(at: world.now) == 1)
        #expect(world.secondFactor.truth.closed == [phone.instance])
        #expect(world.secondFactor.truth.counter(of: phone.instance) == nil)
        #expect(try await world.closes.run(at: world.now) == 0)
    }

    @Test("While it is down the close waits, longer each time, an hour at most, and is not lost")
    func queued() async throws {
        let (world, phone) = try await deletedAccount()
        world.secondFactor.set { $0.isDown = true }
        for wait in [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600] as [UInt64] {
            #expect(try await world.closes.run(at: world.now) == 0)
            let queued = try await world.snapshot().closes[phone.instance]
            #expect(queued?.retry.dueAt == world.now + wait)
            world.pass(wait)
        }
        world.secondFactor.set { $0.isDown = false }
        #expect(try await world.closes.run(at: world.now) == 1)
    }

    @Test("Before its time it is not tried again")
    func notYet() async throws {
        let (world, _) = try await deletedAccount()
        world.secondFactor.set { $0.isDown = true }
        _ = try await world.closes.run(at: world.now)
        world.secondFactor.set { $0.isDown = false }
        world.pass(1)
        #expect(try await world.closes.run(at: world.now) == 0)
        #expect(!world.secondFactor.heard.contains(.close))
    }

    @Test("An instance that is closed already, or was never known, is done with", arguments: [Status.closed, .secondFactorUnknown])
    func done(status: Status) async throws {
        let (world, _) = try await deletedAccount()
        world.secondFactor.set { $0.lie = { $0.changed(status: status) } }
        #expect(try await world.closes.run(at: world.now) == 1)
    }

    @Test("An answer that the second-factor server did not sign closes nothing")
    func forged() async throws {
        let (world, _) = try await deletedAccount()
        world.secondFactor.set { $0.signsAsStranger = true }
        #expect(try await world.closes.run(at: world.now) == 0)
    }

    @Test("If the answer to a close got lost, the repeat finds it done")
    func lostAnswer() async throws {
        let (world, _) = try await deletedAccount()
        world.secondFactor.set { $0.losesAnswers = true }
        #expect(try await world.closes.run(at: world.now) == 0)
        world.secondFactor.set { $0.losesAnswers = false }
        world.pass(2)
        #expect(try await world.closes.run(at: world.now) == 1)
    }

    @Test("CLOSED makes a restored server apply the deletion that it forgot")
    func closedAfterRestore() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        let login = try await phone.appLogIn()
        try await world.secondFactor.truth.close(phone.instance, at: world.now)
        let shown = try await phone.look(at: try await world.link())
        let told = try await world.refusal(of: try phone.trying(shown).message)
        #expect(told == .accountDeleted(account, since: world.now))
        #expect(try await world.account(account) == nil)
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
        #expect(try await world.status() == .nobody)
    }
}

@Suite("Lifting a block")
struct ResetTests {
    private func blocked() async throws -> (DomainFixture, TestPhone) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await block(phone, world)
        return (world, phone)
    }

    private func block(_ phone: TestPhone, _ world: DomainFixture) async throws {
        for (number, wait) in ([0, 0, 0, 30, 300] as [UInt64]).enumerated() {
            world.pass(wait)
            _ = try await phone.tryPIN(try await phone.look(at: try await world.link("try \(number) \(world.now)")))
        }
        #expect(try await phone.tryPIN(try await phone.look(at: try await world.link("blocked \(world.now)"))).status == .blocked)
    }

    private func reset(_ world: DomainFixture, _ phone: TestPhone) async throws {
        try await world.accounts.resetSecondFactor(of: try present(phone.account), at: world.server, by: .backend, now: world.now)
    }

    @Test("After a reset the right PIN works again, and both the wish and its fulfilment are written down")
    func reset() async throws {
        let (world, phone) = try await blocked()
        try await reset(world, phone)
        #expect(try await phone.logIn("again").result == .loggedIn)
        let kinds = try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 3).map(\.kind) }
        #expect(kinds == [.loginAccepted, .secondFactorReset, .secondFactorResetAsked])
    }

    @Test("How often is the second-factor server's word")
    func tooMany() async throws {
        let (world, phone) = try await blocked()
        try await reset(world, phone)
        try await block(phone, world)
        await #expect(throws: AccountError.resetRefused(.tooMany)) { try await reset(world, phone) }
    }

    @Test("Without the second-factor server there is no reset, and it says so")
    func unavailable() async throws {
        let (world, phone) = try await blocked()
        world.secondFactor.set { $0.isDown = true }
        await #expect(throws: AccountError.secondFactorUnavailable) { try await reset(world, phone) }
    }

    @Test("An account that nobody has is not reset")
    func unknown() async throws {
        let world = try await DomainFixture()
        await #expect(throws: AccountError.unknown) {
            try await world.accounts.resetSecondFactor(of: SessionSample.alice, at: world.server, by: .backend, now: world.now)
        }
        #expect(world.secondFactor.heard.isEmpty)
    }
}
