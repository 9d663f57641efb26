import OstiaryProtocol
import Testing

@testable import SecondFactor

@Suite("Change of the PIN, protocol §7")
struct PINChangeTests {
    private let now = RulesFixture.now

    /// The rows of an instance whose PIN_CHANGE_VERIFY, attempt 1, was proved.
    private func vouched(
        by method: Methods = .pin, at now: Instant = RulesFixture.now, counter: Counter? = nil, withoutPIN: UInt16 = 0
    ) throws -> Situation {
        let instance = RulesFixture.instance(
            try counter ?? RulesFixture.counter(0, 0), biometricKey: RulesFixture.biometricKey, withoutPIN: withoutPIN)
        var rows = Situation(instance: instance)
        if method == .bio {
            let proof = RulesFixture.biometric(sequence: instance.counter.highest, purpose: .pinChangeVerify, madeAt: now)
            rows = BiometricRules.decide(proof, in: rows, at: now, under: .standard, signing: RulesFixture.readable).applied(to: rows)
        } else {
            let sequence = instance.counter.highest + 1
            rows = TicketRules.decide(
                RulesFixture.ticket(sequence: sequence, purpose: .pinChangeVerify, madeAt: now), in: rows, at: now, under: .standard
            ).applied(to: rows)
            let proof = RulesFixture.proof(
                sequence: sequence, context: .pinChangeVerify, method: method, biometricKey: method == .pin ? nil : RulesFixture.biometricKey)
            rows = ProofRules.decide(proof, in: rows, at: now, under: .standard, signing: RulesFixture.readable).applied(to: rows)
        }
        rows.voucher = rows.attempt
        rows.attempt = nil
        return rows
    }

    private func ticket(
        _ number: UInt8 = 2, sequence: UInt64 = 0, epoch: UInt32 = 2, madeAt: Instant = RulesFixture.now, deviceKey: [UInt8] = RulesFixture.deviceKey
    ) -> ProvenTicket {
        RulesFixture.ticket(
            number, sequence: sequence, purpose: .pinChangeSet(voucher: RulesFixture.attemptID(1)), epoch: epoch, madeAt: madeAt,
            deviceKey: deviceKey,
            freshKey: RulesFixture.fresh)
    }

    private func ask(_ ticket: ProvenTicket, _ rows: Situation, at now: Instant = RulesFixture.now, under policy: Policy = .standard)
        -> Ruling<TicketOutcome>
    { TicketRules.decide(ticket, in: rows, at: now, under: policy) }

    private func set(
        _ rows: Situation, number: UInt8 = 2, key: [UInt8] = RulesFixture.secondFactorKey, method: Methods = .pin, at now: Instant = RulesFixture.now,
        under policy: Policy = .standard
    ) -> Ruling<ProofOutcome> {
        let proof = RulesFixture.proof(
            number, sequence: 0, context: .pinChangeSet, epoch: 2, key: key, method: method,
            biometricKey: method == .bio ? RulesFixture.biometricKey : nil)
        return ProofRules.decide(proof, in: rows, at: now, under: policy, signing: RulesFixture.readable)
    }

    @Test("S4-43, S4-44: after a PIN_CHANGE_VERIFY a new key is held, and its proof opens the next epoch with it")
    func change() throws {
        let rows = try vouched()
        let held = ask(ticket(), rows)
        #expect(held.outcome.admitted?.newEvaluationKey == RulesFixture.fresh.publicKey)
        #expect(held.outcome.standing.epoch == 1)
        let pending = held.applied(to: rows)
        #expect(pending.instance == rows.instance && pending.pending?.evaluationKey == RulesFixture.fresh.wrapped)
        let done = set(pending, at: now + 5)
        let receipt = try Receipt(decoding: try #require(done.outcome.receipt))
        #expect(receipt.epoch == 2 && receipt.context == .pinChangeSet && receipt.sequence == 1 && receipt.method == .pin)
        let after = done.applied(to: pending)
        #expect(after.instance?.epoch == 2 && after.pending == nil)
        #expect(after.instance?.openKeys?.evaluationKey == RulesFixture.fresh.wrapped)
    }

    @Test("A change leaves tries, block and penalty as they are", arguments: [Methods.pin, .bio])
    func counters(_ method: Methods) throws {
        var rows = try vouched(by: method)
        rows.instance?.counter = try RulesFixture.counter(9, 4, pin: 3, penaltyUntil: now + 300)
        let before = rows.instance?.counter
        let pending = ask(ticket(), rows).applied(to: rows)
        let done = set(pending, key: method == .pin ? RulesFixture.secondFactorKey : Filled(0x31).bytes(32), method: method)
        #expect(done.applied(to: pending).instance?.counter == before)
        #expect(try Receipt(decoding: try #require(done.outcome.receipt)).sequence == 4)
    }

    @Test("A new PIN starts the count of biometrics again, whatever vouched for it")
    func withoutPIN() throws {
        let rows = try vouched(by: .bio, withoutPIN: 7)
        #expect(rows.instance?.withoutPIN == 8)
        let pending = ask(ticket(), rows).applied(to: rows)
        let after = set(pending, key: Filled(0x31).bytes(32), method: .bio, at: now + 9).applied(to: pending)
        #expect(after.instance?.withoutPIN == 0 && after.instance?.lastPIN == now + 9)
        #expect(after.instance?.openKeys?.secondFactorKey == Filled(0x31).bytes(32))
    }

    @Test("Without a PIN_CHANGE_VERIFY of this instance and epoch, proved and young enough, no key is held")
    func notVouchedFor() throws {
        let rows = try vouched()
        func refusal(_ change: (inout Situation) throws -> Void, at now: Instant = RulesFixture.now, under policy: Policy = .standard) rethrows
            -> TicketRefusal?
        {
            var changed = rows
            try change(&changed)
            let decision = ask(ticket(madeAt: now), changed, at: now, under: policy)
            if decision.outcome.refusal != nil { #expect(decision.changes.isEmpty) }
            return decision.outcome.refusal
        }
        #expect(refusal { $0.voucher = nil } == .notVouchedFor)
        #expect(refusal { $0.voucher?.state = .reserved } == .notVouchedFor)
        #expect(refusal { _ in } == nil)
        #expect(refusal({ _ in }, at: now + 299) == nil)
        #expect(refusal({ _ in }, at: now + 300) == .notVouchedFor)
        // A clock set back does not make it younger.
        #expect(refusal { $0.instance?.counter.prove(0, at: now + 300) } == .notVouchedFor)
        #expect(refusal { $0.instance = nil } == .unknownInstance)
        #expect(refusal { $0.instance?.close() } == .closed)
    }

    @Test("The voucher must be a PIN_CHANGE_VERIFY of this very instance, server and epoch")
    func foreignVouchers() throws {
        let rows = try vouched()
        let genuine = try #require(rows.voucher)
        func voucher(
            instance: InstanceID? = nil, owner: VirtualServer = RulesFixture.owner, purpose: Purpose = .pinChangeVerify, epoch: UInt32 = 1
        ) -> AttemptRecord {
            AttemptRecord(
                id: genuine.id, instanceID: instance ?? genuine.instanceID, owner: owner, sessionHash: genuine.sessionHash, purpose: purpose,
                epoch: epoch, blindedHash: genuine.blindedHash, sequence: 1, madeAt: now, reservedAt: now, expiresAt: genuine.expiresAt,
                tries: genuine.tries, state: genuine.state)
        }
        let foreign = [
            voucher(instance: InstanceID(using: Filled(0x11))), voucher(owner: RulesFixture.stranger), voucher(purpose: .verify), voucher(epoch: 2),
        ]
        for record in foreign {
            var changed = rows
            changed.voucher = record
            #expect(ask(ticket(), changed).outcome.refusal == .notVouchedFor)
        }
    }

    @Test("Number 0 and the next epoch, no others; another device key is refused, and while one waits so is another account's")
    func limits() throws {
        let rows = try vouched()
        #expect(ask(ticket(sequence: 1), rows).outcome.refusal == .notAPINChange)
        for epoch in [0, 1, 3] as [UInt32] { #expect(ask(ticket(epoch: epoch), rows).outcome.refusal == .wrongEpoch) }
        #expect(ask(ticket(deviceKey: Filled(0x21).bytes(65)), rows).outcome.refusal == .deviceSignature)
        var pending = ask(ticket(), rows).applied(to: rows)
        pending.attempt = nil
        pending.instance?.join(Filled(0x21).bytes(65))
        #expect(ask(ticket(3, deviceKey: Filled(0x21).bytes(65)), pending).outcome.refusal == .pendingElsewhere)
    }

    @Test("Another attempt erases the key of the one before, whose proof then comes too late; ten minutes are the end of the last")
    func pending() throws {
        let rows = try vouched()
        var first = ask(ticket(2), rows).applied(to: rows)
        let record = try #require(first.attempt)
        first.attempt = nil
        let second = ask(ticket(3), first)
        #expect(second.changes.contains(.supersede(RulesFixture.attemptID(2))))
        var after = second.applied(to: first)
        #expect(set(after, number: 3, at: now + 600).outcome.receipt != nil)
        #expect(set(after, number: 3, at: now + 601).outcome.refusal == .tooLate)
        after.attempt = record
        #expect(set(after, number: 2).outcome.refusal == .superseded)
    }

    @Test("A change that was vouched for by PIN keeps the second-factor key; the method is that of the voucher")
    func keysAndMethods() throws {
        let byPIN = try vouched()
        let pending = ask(ticket(), byPIN).applied(to: byPIN)
        #expect(set(pending, key: Filled(0x31).bytes(32)).outcome.refusal == .otherSecondFactorKey)
        #expect(set(pending, method: .bio).outcome.refusal == .attemptMismatch)
        let byBiometric = try vouched(by: .bio)
        let other = ask(ticket(), byBiometric).applied(to: byBiometric)
        #expect(set(other).outcome.refusal == .attemptMismatch)
        var removed = other
        removed.instance?.setBiometricKey(nil)
        #expect(set(removed, key: Filled(0x31).bytes(32), method: .bio).outcome.refusal == .noBiometricKey)
        // Both together vouch as a PIN.
        let together = try vouched(by: [.pin, .bio])
        #expect(ask(ticket(), together).outcome.admitted?.vouchedBy == .pin)
    }

    @Test("Where the policy forbids it, a biometric vouches for no change, not even for one that has begun")
    func disallowed() throws {
        let strict = try Policy(disallowPINChangeWithBiometric: true)
        let rows = try vouched(by: .bio)
        #expect(ask(ticket(), rows, under: strict).outcome.refusal == .notVouchedFor)
        let pending = ask(ticket(), rows).applied(to: rows)
        #expect(set(pending, key: Filled(0x31).bytes(32), method: .bio, under: strict).outcome.refusal == .methodNotOffered)
        let byPIN = try vouched()
        #expect(ask(ticket(), byPIN, under: strict).outcome.admitted != nil)
    }

    @Test("A voucher is used up by its change, and the same proof again has the same receipt")
    func usedUp() throws {
        let rows = try vouched()
        let pending = ask(ticket(), rows).applied(to: rows)
        let done = set(pending)
        var after = done.applied(to: pending)
        #expect(set(after, at: now + 500).outcome.receipt == done.outcome.receipt)
        after.attempt = nil
        #expect(ask(ticket(3), after).outcome.refusal == .wrongEpoch)
        #expect(ask(ticket(3, epoch: 3), after).outcome.refusal == .notVouchedFor)
        // Tries of the former epoch, asked or not yet proved, open nothing any more.
        #expect(ask(RulesFixture.ticket(4, sequence: 2), after).outcome.refusal == .wrongEpoch)
        let late = RulesFixture.proof(5, sequence: 2)
        var open = after
        open.attempt = TicketRules.decide(RulesFixture.ticket(5, sequence: 2), in: rows, at: now, under: .standard).outcome.admitted
        #expect(ProofRules.decide(late, in: open, at: now, under: .standard, signing: RulesFixture.readable).outcome.refusal == .attemptMismatch)
    }
}
