import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("Who did what the audit trail tells")
struct AuditActorTests {
    /// Who did what of this kind, the oldest first.
    private func actors(_ kind: AuditEntry.Kind, in world: DomainFixture) async throws -> [AuditActor] {
        try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 999) }.filter { $0.kind == kind }.map(\.actor).reversed()
    }

    @Test("What a phone signed for is the phone's: an account, logins that were accepted and denied, a change, a deletion")
    func phone() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        #expect(try await actors(.enrolmentStarted, in: world) == [.backend])
        #expect(try await actors(.accountEnrolled, in: world) == [.phone])
        #expect(try await actors(.accountActivated, in: world) == [.backend])
        try await phone.logIn()
        _ = try await phone.decide(try phone.refusing(try await phone.look(at: try await world.link("second"))))
        _ = try await phone.decide(try phone.refusing(try await phone.look(at: try await world.link("third")), notMe: true))
        try await phone.addBiometrics()
        _ = try await world.deliver(try phone.deleting(try present(phone.account)))
        for kind in [AuditEntry.Kind.loginAccepted, .loginDenied, .loginDisowned, .biometricsAdded, .accountDeletedByUser] {
            #expect(try await actors(kind, in: world) == [.phone], "\(kind)")
        }
    }

    @Test("With SKIP_ENROL_CONFIRMATION it is the phone that lets itself in")
    func skipped() async throws {
        let world = try await DomainFixture { $0.flags = ["SKIP_ENROL_CONFIRMATION"] }
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        _ = try await phone.finish(claimed, try await phone.setFirstPIN(claimed))
        #expect(try await actors(.accountActivated, in: world) == [.phone])
    }

    @Test("What a caller asks is that caller's, by the name of its key: blocks, resets, deletions, settings")
    func callers() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        for (blocked, key) in [(true, "shop"), (false, "desk")] {
            _ = try await world.accounts.setBlocked(blocked, account, at: world.server, by: .api(key: key), now: world.now)
        }
        #expect(try await actors(.accountBlocked, in: world) == [.api(key: "shop")])
        #expect(try await actors(.accountUnblocked, in: world) == [.api(key: "desk")])
        try await world.accounts.resetSecondFactor(of: account, at: world.server, by: .api(key: "desk"), now: world.now)
        try await world.accounts.delete(account, at: world.server, by: .api(key: "desk"), now: world.now)
        for kind in [AuditEntry.Kind.secondFactorResetAsked, .secondFactorReset, .accountDeleted] {
            #expect(try await actors(kind, in: world) == [.api(key: "desk")], "\(kind)")
        }
        try await world.update { $0.owner = "the house" }
        _ = try await world.servers.update(world.server, with: ServerUpdate(), by: .operator, at: world.now)
        #expect(try await actors(.serverUpdated, in: world) == [.backend, .operator])
    }

    @Test("An enrolment that fails: by three wrong codes where they were typed, after its time by the server itself")
    func failures() async throws {
        let world = try await DomainFixture()
        for name in ["guessed", "late"] {
            let phone = try TestPhone(world, name)
            let invitation = try await world.invite(browser: name)
            let claimed = try await phone.claim(invitation)
            _ = try await phone.finish(claimed, try await phone.setFirstPIN(claimed))
            guard name == "guessed" else { continue }
            for _ in 0..<3 {
                _ = try await world.enrolments.confirm(invitation.nonce, code: claimed.wrongCode, at: world.server, by: .page, now: world.now)
            }
        }
        world.pass(601)
        try await world.housekeeping.run(at: world.now)
        #expect(try await actors(.enrolmentFailed, in: world) == [.page, .server])
    }

    @Test("An account that goes because the second-factor server closed its instance is that server's")
    func closed() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        try await world.secondFactor.truth.close(phone.instance, at: world.now)
        _ = try await world.refusal(of: try phone.trying(shown).message)
        #expect(try await actors(.accountClosedBySecondFactor, in: world) == [.secondFactor])
    }

    @Test("A code that another browser brings back is the caller's who hands it in")
    func otherBrowser() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        #expect(try await phone.confirmPage().isReturning)
        #expect(try await world.tryHandIn(try present(try await world.code()), by: "other") == nil)
        #expect(try await actors(.loginInOtherBrowser, in: world) == [.backend])
    }

    @Test("Each actor has a word of its own, and no word makes another of it")
    func words() {
        let actors: [AuditActor] = [.api(key: "main"), .api(key: ""), .phone, .page, .operator, .secondFactor, .client, .server, .unknown]
        for actor in actors { #expect(AuditActor(word: actor.word) == actor) }
        #expect(Set(actors.map(\.word)).count == actors.count)
        for word in ["", "api", "Phone", "phone ", "unknown"] { #expect(AuditActor(word: word) == nil) }
    }
}
