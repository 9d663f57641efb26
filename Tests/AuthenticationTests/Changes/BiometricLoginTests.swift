import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("L5: a biometric, alone and beside the PIN")
struct BiometricLoginTests {
    private func prepared(mostWithoutPIN: Int = 0, _ change: (inout ServerUpdate) -> Void = { _ in }) async throws -> (DomainFixture, TestPhone) {
        let world = try await DomainFixture(mostWithoutPIN: mostWithoutPIN, change)
        let phone = try await world.enrolledPhone()
        try await phone.addBiometrics()
        return (world, phone)
    }

    @Test("A biometric that a PIN added logs in by itself: no M1, and its time is the login's, not that of the last PIN")
    func alone() async throws {
        let (world, phone) = try await prepared()
        world.pass(90)
        let evaluations = world.secondFactor.truth.evaluations
        let answer = try await phone.logInByBiometric()
        #expect(answer.result == .loggedIn)
        #expect(world.secondFactor.truth.evaluations == evaluations)
        let login = try present(try await world.session()?.login)
        #expect(login.methods == .bio && login.verifiedAt == world.now)
        let facts = try present(try await world.status().authentication)
        #expect(facts.amr == ["bio", "mfa", "pop"] && facts.acr == "mfa" && facts.time == world.now)
    }

    @Test("Its ticket names the last number and not the next, so that it uses none up")
    func number() async throws {
        let (world, phone) = try await prepared()
        let last = try present(world.secondFactor.tickets.last).sequence
        try await phone.logInByBiometric()
        #expect(try present(world.secondFactor.tickets.last).sequence == last)
        try await phone.logIn("another")
        #expect(try present(world.secondFactor.tickets.last).sequence == last + 1)
    }

    @Test("Wrong tries are forgotten after a biometric, and the PIN is counted on from there")
    func triesAreReset() async throws {
        let (world, phone) = try await prepared()
        for browser in ["one", "two"] { _ = try await phone.tryPIN(try await phone.look(at: try await world.link(browser))) }
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.failed == 2)
        try await phone.logInByBiometric()
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.failed == 0)
        try await phone.logIn("three")
        #expect(try await world.status("three").loggedIn)
    }

    @Test("A phone without biometrics is not logged in by one, and the second-factor server is not asked")
    func notAdded() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let heard = world.secondFactor.heard.count
        #expect(try await world.refusal(of: try phone.acceptingByBiometric(shown)) == .methodNotAllowed)
        #expect(world.secondFactor.heard.count == heard)
    }

    @Test("An Attempt that differs in one field from what it should say is refused before the second-factor server hears of it")
    func tampered() async throws {
        let (world, phone) = try await prepared()
        let heard = world.secondFactor.heard.count
        let (ones, now) = ([UInt8](repeating: 1, count: 32), world.now)
        let changes: [(Refusal, @Sendable (inout TestPhone.OwnAttempt) -> Void)] = [
            (.attemptMismatch, { $0.instance = InstanceID(using: SeededRandom("x")) }),
            (.attemptMismatch, { $0.id = AttemptID(using: SeededRandom("x")) }),
            (.attemptMismatch, { $0.context = .pinChangeVerify }), (.attemptMismatch, { $0.blindedHash = ones }),
            (.attemptMismatch, { $0.sealedHash = ones }), (.attemptMismatch, { $0.ephemeralHash = ones }), (.attemptMismatch, { $0.epoch = 2 }),
            (.sessionHashWrong, { $0.sessionHash = ones }), (.clockOff, { $0.madeAt = now - 121 }), (.clockOff, { $0.madeAt = now + 121 }),
        ]
        for (index, (reason, change)) in changes.enumerated() {
            let shown = try await phone.look(at: try await world.link("browser \(index)"))
            #expect(try await world.refusal(of: try phone.acceptingByBiometric(shown, change)) == reason)
            #expect(try await world.status("browser \(index)").state != .loggedIn)
        }
        #expect(world.secondFactor.heard.count == heard)
    }

    @Test("A signature of another finger, of another time or of another session logs nobody in")
    func otherSignature() async throws {
        let (world, phone) = try await prepared()
        let shown = try await phone.look(at: try await world.link())
        let hash = shown.hash(for: try present(phone.account))
        let own = phone.ownAttempt(.verify, hash, shown.ephemeral)
        let signatures = [
            try phone.biometricSignature(own.id, .verify, hash, madeAt: own.madeAt, other: true),
            try phone.biometricSignature(own.id, .verify, hash, madeAt: own.madeAt + 1),
            try phone.biometricSignature(own.id, .verify, SHA(hash), madeAt: own.madeAt),
            try phone.biometricSignature(own.id, .pinChangeVerify, hash, madeAt: own.madeAt),
            try phone.biometricSignature(AttemptID(using: phone.random), .verify, hash, madeAt: own.madeAt),
        ]
        for signature in signatures {
            var choice = TestPhone.Choice(method: .bio, attempt: own.id, ownAttempt: try phone.signed(own))
            choice.biometricSignature = signature
            #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .biometricSignatureWrong)
        }
        #expect(try await world.status().state != .loggedIn)
    }

    @Test("When the second-factor server asks for a PIN, the session stays claimed and the PIN logs in")
    func pinRequired() async throws {
        let (world, phone) = try await prepared(mostWithoutPIN: 1)
        try await phone.logInByBiometric("one")
        let shown = try await phone.look(at: try await world.link())
        let refusal = try await world.refusal(of: try phone.acceptingByBiometric(shown))
        #expect(refusal == .secondFactor(.pinRequired) && refusal.status == .pinRequired)
        #expect(try await world.status().state == .claimed)
        _ = try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown)))
        #expect(try await world.status().loggedIn)
        try await phone.logInByBiometric("three")
        #expect(try await world.status("three").loggedIn)
    }

    @Test("S4-33 PIN and biometric together: both must have signed, and it counts as the PIN")
    func together() async throws {
        let (world, phone) = try await prepared()
        try await phone.logInByBiometric("one")
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        let wrong = try phone.acceptingByBoth(shown, tried, madeAt: world.now, otherFinger: true)
        #expect(try await world.refusal(of: wrong) == .biometricSignatureWrong)
        let otherTime = try phone.acceptingByBoth(shown, tried, madeAt: world.now + 1)
        #expect(try await world.refusal(of: otherTime) == .biometricSignatureWrong)
        _ = try await phone.decide(try phone.acceptingByBoth(shown, tried, madeAt: world.now))
        let login = try present(try await world.session()?.login)
        #expect(login.methods == [.pin, .bio] && AuthenticationFacts(of: login).amr == ["bio", "mfa", "pin", "pop"])
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.withoutPIN == 0)
    }

    @Test("A finger beside a PIN that opened nothing, and one that another device hands in, are refused before anybody else is asked")
    func otherKeys() async throws {
        let (world, phone) = try await prepared()
        let thief = try await world.enrolledPhone("eve", name: "thief")
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        let heard = world.secondFactor.heard.count
        #expect(
            try await world.refusal(of: try phone.rekeyed().acceptingByBoth(shown, tried, madeAt: world.now)) == .secondFactorSignatureWrong)
        let hash = shown.hash(for: try present(phone.account))
        let own = phone.ownAttempt(.verify, hash, shown.ephemeral)
        var choice = TestPhone.Choice(method: .bio, attempt: own.id, ownAttempt: try thief.signed(own))
        choice.biometricSignature = try phone.biometricSignature(own.id, .verify, hash, madeAt: own.madeAt)
        #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .badSignature)
        #expect(world.secondFactor.heard.count == heard)
    }

    @Test("The same decision again is answered again, and the second-factor server is asked once")
    func repeated() async throws {
        let (world, phone) = try await prepared()
        let shown = try await phone.look(at: try await world.link())
        let message = try phone.acceptingByBiometric(shown)
        _ = try await phone.decide(message)
        let heard = world.secondFactor.heard.count
        world.pass(1)
        var again = message
        again.sentAt = world.now
        #expect(try await phone.decide(again).result == .loggedIn)
        #expect(world.secondFactor.heard.count == heard)
    }

    @Test("A server without biometrics offers none, takes none and adds none")
    func switchedOff() async throws {
        let (world, phone) = try await prepared()
        #expect(try await phone.look(at: try await world.link("before")).content.methods == [.pin, .bio])
        try await world.update { $0.flags = ["NO_BIOMETRICS"] }
        let shown = try await phone.look(at: try await world.link())
        #expect(shown.content.methods == .pin)
        #expect(try await world.refusal(of: try phone.acceptingByBiometric(shown)) == .methodNotAllowed)
        let adding = try phone.trying(.biometricsAdd, try phone.biometricPublicKey())
        #expect(try await world.refusal(of: adding.message) == .methodNotAllowed)
        #expect(try await world.refusal(of: try phone.changing(try phone.provingByBiometric(.pinChangeVerify))) == .methodNotAllowed)
        _ = try await phone.complete(try phone.provingByBiometric(.biometricsRemove, try phone.biometricPublicKey()))
    }

    @Test("An instance that the second-factor server closed is gone here too, and the phone is told")
    func closed() async throws {
        let (world, phone) = try await prepared()
        let shown = try await phone.look(at: try await world.link())
        try await world.secondFactor.truth.close(phone.instance, at: world.now)
        let account = try present(phone.account)
        #expect(try await world.refusal(of: try phone.acceptingByBiometric(shown)) == .accountDeleted(account, since: world.now))
        #expect(try await world.store.read { rows in try rows.account(account) } == nil)
    }
}
