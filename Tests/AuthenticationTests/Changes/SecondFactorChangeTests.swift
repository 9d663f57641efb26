import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("M3: an operation on the second factor")
struct SecondFactorChangeTests {
    private func prepared() async throws -> (DomainFixture, TestPhone) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        return (world, phone)
    }

    private func biometricKey(of phone: TestPhone) async throws -> [UInt8]? {
        try await phone.world.store.read { rows in try rows.instance(phone.instance)?.biometricKey }
    }

    @Test("The PIN adds biometrics, and either of them removes it")
    func addAndRemove() async throws {
        let (world, phone) = try await prepared()
        let key = try phone.biometricPublicKey()
        #expect(try await phone.addBiometrics().epoch == 1)
        #expect(try await biometricKey(of: phone) == key)
        _ = try await phone.complete(try await phone.provingByPIN(.biometricsRemove, key))
        #expect(try await biometricKey(of: phone) == nil)
        try await phone.addBiometrics()
        _ = try await phone.complete(try phone.provingByBiometric(.biometricsRemove, key))
        #expect(try await biometricKey(of: phone) == nil)
        let shown = try await phone.look(at: try await world.link())
        #expect(try await world.refusal(of: try phone.acceptingByBiometric(shown)) == .methodNotAllowed)
        let kinds = try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 4) }.map(\.kind)
        #expect(kinds == [.biometricsRemoved, .biometricsAdded, .biometricsRemoved, .biometricsAdded])
    }

    @Test("A biometric cannot add a biometric")
    func addByBiometric() async throws {
        let (world, phone) = try await prepared()
        try await phone.addBiometrics()
        let change = try phone.provingByBiometric(.biometricsAdd, try phone.biometricPublicKey())
        #expect(try await world.refusal(of: try phone.changing(change)) == .methodNotAllowed)
        var both = try await phone.provingByPIN(.biometricsAdd, try phone.biometricPublicKey())
        both.method = [.pin, .bio]
        both.biometricSignature = try phone.biometricSignature(
            both.attempt, .biometricsAdd, phone.operationHash(.biometricsAdd, both.payload), madeAt: world.now)
        #expect(try await world.refusal(of: try phone.changing(both)) == .methodNotAllowed)
    }

    @Test("An operation that differs in one thing from what was tried is refused before the second-factor server hears of it")
    func tampered() async throws {
        let (world, phone) = try await prepared()
        let other = try await world.enrolledPhone("bob", name: "other")
        let right = try await phone.provingByPIN(.biometricsAdd, try phone.biometricPublicKey())
        let otherKey = try other.biometricPublicKey()
        let heard = world.secondFactor.heard.count
        let changes: [(Refusal, (inout TestPhone.Change) throws -> Void)] = [
            (.badSignature, { $0.account = other.account }), (.instanceWrong, { $0.instance = other.instance }),
            (.secondFactorSignatureWrong, { $0.payload = otherKey }), (.attemptMismatch, { $0.payload = [] }),
            (.attemptMismatch, { $0.payload[0] ^= 1 }), (.secondFactorSignatureWrong, { $0.context = .biometricsRemove }),
            (.attemptMismatch, { $0.context = .pinChangeVerify }), (.attemptMismatch, { $0.context = .pinChangeSet }),
            (.methodNotAllowed, { $0.context = .verify }), (.methodNotAllowed, { $0.context = .firstSet }),
            (.methodNotAllowed, { $0.context = .enrol }), (.methodNotAllowed, { $0.method = [] }), (.methodNotAllowed, { $0.method = .cached }),
            (.methodNotAllowed, { $0.secondFactorSignature = nil }), (.methodNotAllowed, { $0.secondFactorKey = [UInt8](repeating: 1, count: 32) }),
            (.secondFactorSignatureWrong, { $0.attempt = AttemptID(using: phone.random) }),
            (.secondFactorSignatureWrong, { $0.epoch = 2 }),
        ]
        for (index, (reason, change)) in changes.enumerated() {
            var tampered = right
            try change(&tampered)
            #expect(try await world.refusal(of: try phone.changing(tampered)) == reason, "change \(index)")
        }
        #expect(world.secondFactor.heard.count == heard)
        #expect(try await biometricKey(of: phone) == nil)
        _ = try await phone.complete(right)
    }

    @Test("Payloads that are none of their context are refused with the M1 already")
    func payloads() async throws {
        let (world, phone) = try await prepared()
        let key = try phone.biometricPublicKey()
        let wrong: [(SecondFactorContext, [UInt8])] = [
            (.biometricsAdd, []), (.biometricsAdd, Array(key.dropLast())), (.biometricsAdd, [5] + key.dropFirst()), (.biometricsRemove, [1]),
            (.pinChangeVerify, [0]),
        ]
        for (context, payload) in wrong {
            #expect(try await world.refusal(of: try phone.trying(context, payload).message) == .attemptMismatch)
        }
        var blocked = try phone.trying(.biometricsAdd, key)
        _ = try await world.accounts.setBlocked(true, try present(phone.account), at: world.server, by: .backend, now: world.now)
        #expect(try await world.refusal(of: blocked.message) == .accountBlocked)
        _ = try await world.accounts.setBlocked(false, try present(phone.account), at: world.server, by: .backend, now: world.now)
        blocked = try phone.trying(.biometricsAdd, key)
        #expect(try await phone.send(blocked).status == .ok)
    }

    @Test("The same M3 again is answered alike and does nothing more")
    func repeated() async throws {
        let (world, phone) = try await prepared()
        let change = try await phone.provingByPIN(.biometricsAdd, try phone.biometricPublicKey())
        let first = try await world.deliver(try phone.changing(change))
        let heard = world.secondFactor.heard.count
        world.pass(1)
        #expect(try await world.deliver(try phone.changing(change)) == first)
        #expect(world.secondFactor.heard.count == heard)
        let entries = try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 99) }
        #expect(entries.filter { $0.kind == .biometricsAdded }.count == 1)
    }

    @Test("The receipt of an operation is kept, and an operation is proved by one method, not by both")
    func receiptAndMethod() async throws {
        let (world, phone) = try await prepared()
        let key = try phone.biometricPublicKey()
        try await phone.addBiometrics()
        #expect(try await world.instance(phone.instance)?.receipt?.value.context == .biometricsAdd)
        var both = try await phone.provingByPIN(.biometricsRemove, key)
        both.method = [.pin, .bio]
        both.biometricSignature = try phone.biometricSignature(
            both.attempt, .biometricsRemove, phone.operationHash(.biometricsRemove, key), madeAt: world.now)
        #expect(try await world.refusal(of: try phone.changing(both)) == .methodNotAllowed)
    }

    @Test("Two copies of an M3 at once: one effect, two equal answers")
    func atOnce() async throws {
        let (world, phone) = try await prepared()
        let change = try await phone.provingByPIN(.biometricsAdd, try phone.biometricPublicKey())
        let gate = Gate()
        world.secondFactor.set { $0.pause = { type in if type == .proof { await gate.wait(for: 2) } } }
        let messages = [try phone.changing(change), try phone.changing(change)]
        async let first = world.deliver(messages[0])
        async let second = world.deliver(messages[1])
        let answers = [try await first, try await second]
        #expect(answers[0] == answers[1])
        let entries = try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 99) }
        #expect(entries.filter { $0.kind == .biometricsAdded }.count == 1)
    }

    @Test("A copy that comes after a later operation undoes nothing of it")
    func lateCopy() async throws {
        let (world, phone) = try await prepared()
        let key = try phone.biometricPublicKey()
        let added = try await phone.provingByPIN(.biometricsAdd, key)
        _ = try await phone.complete(added)
        _ = try await phone.complete(try await phone.provingByPIN(.biometricsRemove, key))
        world.pass(1)
        #expect(try await world.refusal(of: try phone.changing(added)) == .replayed)
        #expect(try await biometricKey(of: phone) == nil)
    }

    @Test("A lost answer of the second-factor server is repaired by the same M3")
    func lostAnswer() async throws {
        let (world, phone) = try await prepared()
        let change = try await phone.provingByPIN(.biometricsAdd, try phone.biometricPublicKey())
        world.secondFactor.set { $0.losesAnswers = true }
        #expect(try await world.refusal(of: try phone.changing(change)) == .secondFactorUnavailable)
        #expect(try await biometricKey(of: phone) == nil)
        world.secondFactor.set { $0.losesAnswers = false }
        _ = try await phone.complete(change)
        #expect(try await biometricKey(of: phone) != nil)
    }
}
