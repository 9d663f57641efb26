import OstiaryProtocol
import Testing

@testable import SecondFactor

@Suite("Biometric rules, protocol §7")
struct BiometricRulesTests {
    private let now = RulesFixture.now

    private func decide(
        _ proof: ProvenBiometric, _ instance: Instance?, attempt: AttemptRecord? = nil, at now: Instant = RulesFixture.now,
        under policy: Policy = .standard
    ) -> Ruling<ProofOutcome> {
        BiometricRules.decide(
            proof, in: Situation(instance: instance, attempt: attempt), at: now, under: policy, signing: RulesFixture.readable)
    }

    private func instance(_ counter: Counter? = nil, withoutPIN: UInt16 = 0, epoch: UInt32 = 1) -> Instance {
        RulesFixture.instance(counter ?? Counter(at: now), biometricKey: RulesFixture.biometricKey, epoch: epoch, withoutPIN: withoutPIN)
    }

    @Test("S4-65: a biometric gives back the PIN tries, under no new number")
    func givesTriesBack() throws {
        let decision = decide(RulesFixture.biometric(sequence: 3), instance(try RulesFixture.counter(3, 0)))
        guard case .proved(let bytes, let standing) = decision.outcome else {
            Issue.record("not proved")
            return
        }
        #expect(standing.highest == 3 && standing.tries.failed == 0)
        let receipt = try Receipt(decoding: bytes)
        #expect(receipt.sequence == 3 && receipt.method == .bio && receipt.secondFactorKey == RulesFixture.secondFactorKey)
        #expect(receipt.signaturesHash == SHA(Filled(0x71).bytes(64)) && receipt.withoutPIN == 1 && receipt.lastPIN == now)
        let after = decision.applied(to: .empty)
        #expect(after.instance?.counter.highest == 3 && after.instance?.counter.proven == 3)
        #expect(after.instance?.counter.provenByPIN == 0 && after.instance?.withoutPIN == 1)
        #expect(after.attempt?.blindedHash == CheckedBiometric.noHash && after.attempt?.newEvaluationKey == nil)
    }

    @Test("S4-66, S4-68: a biometric ends a block, and the next PIN is counted as the first try")
    func endsBlock() throws {
        let blocked = Situation(instance: instance(try RulesFixture.counter(5, 0)))
        #expect(TicketRules.decide(RulesFixture.ticket(2, sequence: 6), in: blocked, at: now, under: .standard).outcome.refusal == .blocked)
        let after = decide(RulesFixture.biometric(sequence: 5), blocked.instance).applied(to: .empty)
        let next = TicketRules.decide(
            RulesFixture.ticket(2, sequence: 6), in: Situation(instance: after.instance), at: now, under: .standard)
        #expect(next.outcome.admitted?.tries.failed == 1)
    }

    @Test("S4-67: a biometric ends a penalty")
    func endsPenalty() throws {
        let penalised = instance(try RulesFixture.counter(3, 0, penaltyUntil: now + 30))
        let after = decide(RulesFixture.biometric(sequence: 3), penalised).applied(to: .empty)
        #expect(after.instance?.tries(at: now, under: .standard).wait == 0)
    }

    @Test("A number that the caller knows and the rows do not is caught up with; a lower one moves nothing back")
    func numbers() throws {
        let ahead = decide(RulesFixture.biometric(sequence: 7), instance(try RulesFixture.counter(3, 0))).applied(to: .empty)
        #expect(ahead.instance?.counter.highest == 7 && ahead.instance?.counter.proven == 7)
        let behind = decide(RulesFixture.biometric(sequence: 1), instance(try RulesFixture.counter(3, 2))).applied(to: .empty)
        #expect(behind.instance?.counter.highest == 3 && behind.instance?.counter.proven == 3)
        let receipt = ReceiptFacts(sequence: 9, byPIN: true)
        let repaired = decide(RulesFixture.biometric(sequence: 4, receipt: receipt), instance(try RulesFixture.counter(3, 2))).applied(to: .empty)
        #expect(repaired.instance?.counter.highest == 9 && repaired.instance?.counter.provenByPIN == 9)
        #expect(decide(RulesFixture.biometric(sequence: 1 << 62), instance()).outcome.refusal == .outOfRange)
    }

    @Test("A receipt of a biometric repairs the numbers, never the count since the last right PIN")
    func receiptOfABiometric() throws {
        let repaired = try RulesFixture.counter(2, 2).repaired(by: ReceiptFacts(sequence: 50, byPIN: false))
        #expect(repaired.proven == 50 && repaired.highest == 50 && repaired.provenByPIN == 2)
    }

    @Test("At a hundred tries since the last right PIN a biometric is blocked, and moves nothing", arguments: [99, 100, 101] as [UInt64])
    func end(_ tries: UInt64) throws {
        let decision = decide(RulesFixture.biometric(sequence: tries), instance(try RulesFixture.counter(tries, tries, pin: 0)))
        if tries < 100 {
            #expect(decision.outcome.receipt != nil)
        } else {
            #expect(decision.outcome.refusal == .blocked && decision.changes.isEmpty)
            #expect(decision.outcome.refusal?.status == .blocked)
        }
    }

    @Test("T24, the biometric-reset loop: five wrong PINs and a finger, again and again, end after a hundred evaluations")
    func resetLoop() throws {
        var rows = Situation(instance: instance())
        var evaluations = 0
        var number: UInt8 = 0
        func next() -> UInt8 {
            number = number == .max ? 0 : number + 1
            return number
        }
        for _ in 0..<300 {
            rows.attempt = nil
            let sequence = (rows.instance?.counter.highest ?? 0) + 1
            let tried = TicketRules.decide(RulesFixture.ticket(next(), sequence: sequence), in: rows, at: now, under: try Policy(penalties: []))
            if tried.outcome.admitted != nil { evaluations += 1 }
            rows = tried.applied(to: rows)
            rows.attempt = nil
            rows = decide(RulesFixture.biometric(next(), sequence: sequence), rows.instance).applied(to: rows)
        }
        #expect(evaluations == 100)
    }

    @Test("S4-78: after the number of biometrics that the policy allows a PIN is required; a PIN starts the count again")
    func limitByNumber() throws {
        let policy = try Policy(maxNumberWithoutPIN: 2)
        var person = instance()
        #expect(person.tries(at: now, under: policy).withoutPINLeft == 2)
        for left in [1, 0] as [UInt16] {
            let decision = decide(RulesFixture.biometric(), person, under: policy)
            person = try #require(decision.applied(to: .empty).instance)
            guard case .proved(_, let standing) = decision.outcome else {
                Issue.record("not proved")
                return
            }
            #expect(standing.tries.withoutPINLeft == left)
        }
        let third = decide(RulesFixture.biometric(), person, under: policy)
        #expect(third.outcome.refusal == .pinRequired && third.changes.isEmpty)
        #expect(third.outcome.refusal?.status == .pinRequired)
        person.provePIN(1, at: now)
        #expect(person.tries(at: now, under: policy).withoutPINLeft == 2)
    }

    @Test("S4-79: when the last PIN is too old a PIN is required, to the second")
    func limitByTime() throws {
        let policy = try Policy(maxTimeWithoutPIN: 3_600)
        func after(_ seconds: UInt64) -> ProofRefusal? {
            decide(RulesFixture.biometric(madeAt: now + seconds), instance(), at: now + seconds, under: policy).outcome.refusal
        }
        #expect(after(3_599) == nil)
        #expect(after(3_600) == .pinRequired)
    }

    @Test("A clock that is set back a day makes no PIN younger; one that ran ahead and is put right makes none older than it is")
    func clockJumps() throws {
        let policy = try Policy(maxTimeWithoutPIN: 3_600)
        var person = instance()
        // An hour and a day later something was counted, then the clock goes back to where the PIN was.
        person.counter.prove(0, at: now + 90_000)
        #expect(decide(RulesFixture.biometric(), person, at: now, under: policy).outcome.refusal == .pinRequired)
        // A PIN by the corrected clock counts from now on by the clock that does not go back.
        person.provePIN(1, at: now)
        #expect(decide(RulesFixture.biometric(), person, at: now, under: policy).outcome.receipt != nil)
        #expect(decide(RulesFixture.biometric(madeAt: now + 93_600), person, at: now + 93_600, under: policy).outcome.refusal == .pinRequired)
    }

    @Test("The same attempt gets the first receipt again, whatever its signature, and counts once")
    func repeated() throws {
        let first = decide(RulesFixture.biometric(), instance())
        let after = first.applied(to: .empty)
        let again = decide(RulesFixture.biometric(signature: Filled(9).bytes(64)), after.instance, attempt: after.attempt, at: now + 500)
        #expect(again.outcome.receipt == first.outcome.receipt && again.changes.isEmpty)
    }

    @Test("A known attempt with any other content is refused")
    func reused() throws {
        let after = decide(RulesFixture.biometric(), instance()).applied(to: .empty)
        let others = [
            RulesFixture.biometric(sessionHash: Filled(1).bytes(32)), RulesFixture.biometric(purpose: .pinChangeVerify),
            RulesFixture.biometric(epoch: 2),
            RulesFixture.biometric(madeAt: now + 1), RulesFixture.biometric(owner: RulesFixture.stranger),
        ]
        for other in others {
            let decision = decide(other, after.instance, attempt: after.attempt)
            #expect(decision.outcome.refusal == .alreadyProved && decision.changes.isEmpty)
        }
        // An attempt that was evaluated is not proved by a biometric alone, nor is a biometric evaluated.
        let counted = TicketRules.decide(RulesFixture.ticket(), in: Situation(instance: instance()), at: now, under: .standard).applied(to: .empty)
        #expect(decide(RulesFixture.biometric(), counted.instance, attempt: counted.attempt).outcome.refusal == .alreadyProved)
        #expect(TicketRules.decide(RulesFixture.ticket(), in: after, at: now, under: .standard).outcome.refusal == .attemptReused)
    }

    @Test("Each refusal by its name, and none of them changes a row")
    func refusals() throws {
        var closed = instance()
        closed.close()
        let cases: [(ProvenBiometric, Instance?, ProofRefusal)] = [
            (RulesFixture.biometric(madeAt: now + 121), instance(), .clock), (RulesFixture.biometric(madeAt: now - 121), instance(), .clock),
            (RulesFixture.biometric(), nil, .unknownInstance), (RulesFixture.biometric(owner: RulesFixture.stranger), instance(), .otherServer),
            (RulesFixture.biometric(), closed, .closed), (RulesFixture.biometric(epoch: 2), instance(), .wrongEpoch),
            (RulesFixture.biometric(), instance(epoch: 2), .wrongEpoch),
            (RulesFixture.biometric(deviceKey: Filled(0x21).bytes(65)), instance(), .deviceSignature),
            (RulesFixture.biometric(biometricKey: Filled(0x81).bytes(65)), instance(), .noBiometricKey),
            (RulesFixture.biometric(), RulesFixture.instance(), .noBiometricKey),
        ]
        for (proof, instance, refusal) in cases {
            let decision = decide(proof, instance)
            #expect(decision.outcome.refusal == refusal)
            #expect(decision.changes.isEmpty)
        }
        let strict = try Policy(disallowPINChangeWithBiometric: true)
        #expect(decide(RulesFixture.biometric(purpose: .pinChangeVerify), instance(), under: strict).outcome.refusal == .methodNotOffered)
        #expect(decide(RulesFixture.biometric(purpose: .pinChangeVerify), instance()).outcome.receipt != nil)
    }

    @Test("S4-41, S4-42: a PIN adds a biometric key and takes it away; a biometric takes itself away")
    func addAndRemove() throws {
        func proved(_ number: UInt8, _ purpose: Purpose, _ instance: Instance) throws -> Instance {
            let rows = Situation(instance: instance)
            let reserved = TicketRules.decide(
                RulesFixture.ticket(number, sequence: UInt64(number), purpose: purpose), in: rows, at: now, under: .standard
            ).applied(to: rows)
            #expect(reserved.instance?.biometricKey == instance.biometricKey)
            let proof = RulesFixture.proof(number, sequence: UInt64(number), context: purpose.context)
            let done = ProofRules.decide(proof, in: reserved, at: now, under: .standard, signing: RulesFixture.readable)
            return try #require(done.outcome.receipt == nil ? nil : done.applied(to: reserved).instance)
        }
        let added = try proved(1, .biometricsAdd(key: RulesFixture.biometricKey), RulesFixture.instance())
        #expect(added.biometricKey == RulesFixture.biometricKey)
        #expect(try proved(2, .biometricsRemove(key: RulesFixture.biometricKey), added).biometricKey == nil)
        let removal = RulesFixture.biometric(purpose: .biometricsRemove(key: RulesFixture.biometricKey))
        #expect(decide(removal, added).applied(to: .empty).instance?.biometricKey == nil)
    }

    @Test("S4-33: PIN and biometric together count as a PIN, and neither is left out of the repetition")
    func together() throws {
        let rows = TicketRules.decide(RulesFixture.ticket(), in: Situation(instance: instance(withoutPIN: 4)), at: now, under: .standard)
            .applied(to: .empty)
        let both = RulesFixture.proof(method: [.pin, .bio], biometricKey: RulesFixture.biometricKey)
        let done = ProofRules.decide(both, in: rows, at: now, under: .standard, signing: RulesFixture.readable)
        let receipt = try Receipt(decoding: try #require(done.outcome.receipt))
        #expect(receipt.method == [.pin, .bio] && receipt.withoutPIN == 0)
        #expect(receipt.signaturesHash == SHA(Filled(0x70).bytes(64) + Filled(0x71).bytes(64)))
        let after = done.applied(to: rows)
        #expect(after.instance?.counter.provenByPIN == 1)
        #expect(ProofRules.decide(both, in: after, at: now, under: .standard, signing: RulesFixture.readable).outcome.receipt == receipt.encoded)
        let alone = ProofRules.decide(RulesFixture.proof(), in: after, at: now, under: .standard, signing: RulesFixture.readable)
        #expect(alone.outcome.refusal == .alreadyProved)
        let otherKey = RulesFixture.proof(method: [.pin, .bio], biometricKey: Filled(0x81).bytes(65))
        #expect(ProofRules.decide(otherKey, in: rows, at: now, under: .standard, signing: RulesFixture.readable).outcome.refusal == .noBiometricKey)
    }

    @Test("A biometric is no PIN: the time since the last one goes on, in the row and in the receipt")
    func lastPINStays() throws {
        var known = instance()
        known.counter.prove(1, at: now)
        let typed = Instance(
            id: known.id, owner: known.owner, deviceKeys: known.deviceKeys, biometricKey: known.biometricKey, epoch: 1, state: known.state,
            counter: known.counter, withoutPIN: 0, lastPIN: now - 1_000)
        let decision = decide(RulesFixture.biometric(sequence: 1), typed)
        #expect(decision.applied(to: .empty).instance?.lastPIN == now - 1_000)
        guard case .proved(let bytes, _) = decision.outcome else {
            Issue.record("not proved")
            return
        }
        #expect(try Receipt(decoding: bytes).lastPIN == now - 1_000)
    }
}
