import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import Authentication

@Suite("M1: numbered, counted, relayed", .timeLimit(.minutes(10)))
struct AttemptServiceTests {
    private func ready() async throws -> (DomainFixture, TestPhone, Shown) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let question = try await phone.look(at: try await world.link())
        return (world, phone, question)
    }

    private func sequence(_ world: DomainFixture, _ phone: TestPhone) async throws -> AttemptSequence {
        try present(try await world.instance(phone.instance)).sequence
    }

    @Test("An attempt that was evaluated gets the share, and its number is used up before it is told")
    func evaluated() async throws {
        let (world, phone, shown) = try await ready()
        let tried = try await phone.tryPIN(shown)
        let instance = try present(try await world.instance(phone.instance))
        #expect(try tried.status == .ok && tried.answer.serverShare == instance.epochs.first?.serverShare.bytes())
        #expect(tried.evaluation?.attemptID == tried.id && tried.evaluation?.evaluation.count == 96)
        #expect(tried.answer.tries.failed == 1 && tried.answer.tries.most == 5)
        #expect(instance.sequence.last == 1 && instance.sequence.open == nil)
    }

    @Test("S4-58, 59, 61 every answer tells how many tries there are, how many are used and how long to wait")
    func penalties() async throws {
        let (world, phone, shown) = try await ready()
        for used in 1...3 { #expect(try await phone.tryPIN(shown).answer.tries.failed == UInt8(used)) }
        let penalised = try await phone.tryPIN(shown)
        #expect(penalised.status == .penalised && penalised.answer.tries.wait == 30 && penalised.answer.tries.failed == 3)
        world.pass(10)
        #expect(try await phone.tryPIN(shown).answer.tries.wait == 20)
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.highest == 3)
    }

    @Test("The share is given only with an evaluation: not during a penalty, not when blocked, not for another epoch")
    func shareOnlyWhenEvaluated() async throws {
        let (world, phone, shown) = try await ready()
        #expect(try await world.refusal(of: try phone.trying(shown, epoch: 2).message) == .shareGone)
        for _ in 0..<3 { _ = try await phone.tryPIN(shown) }
        let penalised = try await phone.tryPIN(shown)
        #expect(penalised.status == .penalised && penalised.answer.serverShare == nil && penalised.answer.sealed.isEmpty)
        for wait in [30, 300] as [UInt64] {
            world.pass(wait)
            _ = try await phone.tryPIN(try await phone.look(at: try await world.link("after \(wait)")))
        }
        let blocked = try await phone.tryPIN(try await phone.look(at: try await world.link("last")))
        #expect(blocked.status == .blocked && blocked.answer.serverShare == nil)
        #expect(world.secondFactor.truth.evaluations == 1 + 5)
    }

    @Test("Another attempt while one is under way is busy and changes nothing")
    func busy() async throws {
        let (world, phone, shown) = try await ready()
        world.secondFactor.set { $0.isDown = true }
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .secondFactorUnavailable)
        world.secondFactor.set { $0.isDown = false }
        let before = try await world.snapshot()
        world.pass(9)
        let next = try phone.trying(shown)
        #expect(try await world.refusal(of: next.message) == .attemptOpen)
        #expect(try await world.snapshot() == before)
        #expect(Refusal.attemptOpen.status == .busy)
        world.pass(1)
        #expect(try await phone.send(next).status == .ok)
    }

    @Test("Five tries against a second-factor server that is down count nothing: the right PIN works when it is back")
    func downCountsNothing() async throws {
        let (world, phone, shown) = try await ready()
        world.secondFactor.set { $0.isDown = true }
        for _ in 0..<5 {
            #expect(try await world.refusal(of: try phone.trying(shown).message) == .secondFactorUnavailable)
            world.pass(10)
        }
        world.secondFactor.set { $0.isDown = false }
        let tried = try await phone.tryPIN(shown)
        #expect(tried.status == .ok && tried.answer.tries.failed == 1)
        #expect(try await phone.decide(try phone.accepting(shown, tried)).result == .loggedIn)
    }

    @Test("The same attempt after a lost answer gets the first evaluation, and counts once")
    func lostAnswer() async throws {
        let (world, phone, shown) = try await ready()
        let blinded = try RawPhone.blinded()
        let id = AttemptID(using: world.random)
        world.secondFactor.set { $0.losesAnswers = true }
        #expect(try await world.refusal(of: try phone.trying(shown, id: id, blinded: blinded).message) == .secondFactorUnavailable)
        world.secondFactor.set { $0.losesAnswers = false }
        let first = try await phone.send(try phone.trying(shown, id: id, blinded: blinded))
        let second = try await phone.send(try phone.trying(shown, id: id, blinded: blinded))
        #expect(first.evaluation == second.evaluation && first.status == .ok)
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.highest == 1)
        #expect(world.secondFactor.truth.evaluations == 1 + 1)
        #expect(try await sequence(world, phone).last == 1)
    }

    @Test("The same attempt for another blinded PIN is refused")
    func otherBlind() async throws {
        let (world, phone, shown) = try await ready()
        let id = AttemptID(using: world.random)
        _ = try await phone.send(try phone.trying(shown, id: id))
        #expect(try await phone.send(try phone.trying(shown, id: id)).status == .refused)
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.highest == 1)
    }

    @Test("SEQ is repeated once, with the number after the one that the second-factor server knows")
    func sequenceBehind() async throws {
        let (world, phone, shown) = try await ready()
        for _ in 0..<2 { _ = try await phone.tryPIN(shown) }
        // This side forgets what it counted, as after a restore.
        try await world.store.write { rows in
            var instance = try present(try rows.instance(phone.instance))
            instance.sequence = AttemptSequence()
            try rows.save(instance)
        }
        let tried = try await phone.tryPIN(shown)
        #expect(tried.status == .ok && tried.answer.tries.failed == 3)
        #expect(world.secondFactor.tickets.suffix(2).map(\.sequence) == [1, 3])
        #expect(try await sequence(world, phone).last == 3)
    }

    @Test("A second-factor server that says SEQ again and again is not asked a third time")
    func sequenceTwice() async throws {
        let (world, phone, shown) = try await ready()
        let tickets = world.secondFactor.tickets.count
        world.secondFactor.set { $0.lie = { $0.changed(status: .sequence) } }
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .secondFactorUnavailable)
        #expect(world.secondFactor.tickets.count == tickets + 2)
    }

    @Test("A second-factor server that was restored learns from the number and the receipt that came along")
    func restored() async throws {
        let (world, phone, shown) = try await ready()
        let backup = world.secondFactor.truth.backUp()
        let tried = try await phone.tryPIN(shown)
        _ = try await phone.decide(try phone.accepting(shown, tried))
        let next = try await phone.look(at: try await world.link("next"))
        for _ in 0..<2 { _ = try await phone.tryPIN(next) }
        world.secondFactor.truth.restore(backup)
        #expect(try await phone.tryPIN(next).answer.tries.failed == 3)
        #expect(world.secondFactor.receiptsShown.last == 1)
    }

    @Test(
        "The receipt of a right PIN is kept, also when its login came to nothing: forgotten there, the try comes back with the next",
        arguments: [true, false])
    func receiptWithoutLogin(blocks: Bool) async throws {
        let (world, phone, shown) = try await ready()
        let account = try present(phone.account)
        let tried = try await phone.tryPIN(shown)
        // What a power cut leaves of a proof that was taken.
        let counted = world.secondFactor.truth.backUp()
        world.secondFactor.set { mishaps in
            mishaps.pause = { type in
                guard type == .proof else { return }
                if blocks {
                    _ = try? await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
                } else {
                    try? await world.logOut()
                }
            }
        }
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == (blocks ? .accountBlocked : .sessionOver))
        #expect(try await world.instance(phone.instance)?.receipt?.value.sequence == 1)
        world.secondFactor.set { $0.pause = nil }
        world.secondFactor.truth.restore(counted)
        _ = try await world.accounts.setBlocked(false, account, at: world.server, by: .backend, now: world.now)
        #expect(try await phone.tryPIN(try await phone.look(at: try await world.link("next"))).answer.tries.failed == 1)
        #expect(world.secondFactor.receiptsShown.last == 1)
    }

    @Test("The late answer of an attempt that another has replaced is dropped, with its share")
    func lateAnswer() async throws {
        let (world, phone, shown) = try await ready()
        let gate = Gate()
        let isWaiting = Mutex(false)
        world.secondFactor.set { mishaps in
            mishaps.pause = { type in
                guard type == .ticket else { return }
                isWaiting.withLock { $0 = true }
                await gate.wait(for: 2)
            }
        }
        let first = try phone.trying(shown)
        async let late = world.refusal(of: first.message)
        // It is open before its answer is asked for.
        while !isWaiting.withLock({ $0 }) { await Task.yield() }
        #expect(try await sequence(world, phone).open != nil)
        world.secondFactor.set { $0.pause = nil }
        world.pass(10)
        let second = try await phone.tryPIN(shown)
        #expect(second.status == .ok)
        await gate.wait(for: 2)
        #expect(try await late == .attemptReplaced)
        #expect(Refusal.attemptReplaced.status == .busy)
        #expect(try await sequence(world, phone).last == 1)
    }

    @Test("An answer that the second-factor server did not sign, or that is about another attempt, is none")
    func forged() async throws {
        let (world, phone, shown) = try await ready()
        world.secondFactor.set { $0.signsAsStranger = true }
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .secondFactorUnavailable)
        world.pass(10)
        world.secondFactor.set { mishaps in
            mishaps.signsAsStranger = false
            mishaps.lie = { $0.changed(attempt: AttemptID([UInt8](repeating: 1, count: 16))) }
        }
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .secondFactorUnavailable)
        #expect(try await sequence(world, phone).last == 0)
    }

    @Test("A second-factor server gone bad cannot stop an account for good with an absurd number")
    func absurdNumber() async throws {
        let (world, phone, shown) = try await ready()
        world.secondFactor.set { $0.lie = { $0.changed(highest: .max) } }
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .secondFactorUnavailable)
        world.secondFactor.set { $0.lie = nil }
        world.pass(10)
        #expect(try await phone.tryPIN(shown).status == .ok)
    }

    @Test("What was counted under a number that was given out before is not given out: neither the share nor the evaluation")
    func numberUsed() async throws {
        let (world, phone, shown) = try await ready()
        _ = try await phone.tryPIN(shown)
        // As of a second-factor server that was put back to before the first try.
        world.secondFactor.set { $0.lie = { $0.changed(highest: 1) } }
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .numberUsed)
        #expect(Refusal.numberUsed.status == .refused)
        #expect(try await sequence(world, phone).open == nil, "the next try need not wait")
        world.secondFactor.set { $0.lie = nil }
        #expect(try await phone.tryPIN(shown).status == .ok)
    }

    @Test("A ticket bears the server's time, whatever the phone's clock shows")
    func serversTime() async throws {
        let (world, phone, shown) = try await ready()
        let attempt = try phone.trying(shown)
        world.pass(100)
        let late = Outgoing(bytes: attempt.message.bytes, ephemeral: attempt.message.ephemeral, sentAt: world.now)
        world.secondFactor.set { $0.losesAnswers = true }
        #expect(try await world.refusal(of: late) == .secondFactorUnavailable)
        #expect(world.secondFactor.tickets.last?.issuedAt == world.now)
        #expect(try await sequence(world, phone).open?.since == world.now)
    }

    @Test("When the clocks of the two servers disagree the phone is not sent to its own clock, and nothing stays open")
    func clocksOfServers() async throws {
        let (world, phone, shown) = try await ready()
        world.secondFactor.set { $0.lie = { $0.changed(status: .clock) } }
        let refusal = try await world.refusal(of: try phone.trying(shown).message)
        #expect(refusal == .secondFactor(.clock) && refusal.status == .secondFactorUnavailable)
        world.secondFactor.set { $0.lie = nil }
        #expect(try await phone.tryPIN(shown).status == .ok)
    }

    @Test("The first attempt claims the session for its account, even if its PIN was wrong")
    func claims() async throws {
        let (world, phone, shown) = try await ready()
        _ = try await phone.tryPIN(shown)
        #expect(try await world.session()?.account == phone.account)
        #expect(try await world.status().state == .claimed)
    }
}
