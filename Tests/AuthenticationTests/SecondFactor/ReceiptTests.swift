import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import Authentication

@Suite("The receipt of a login")
struct ReceiptTests {
    private static let zeros = [UInt8](repeating: 0, count: 32)

    /// One lie a field, each truly signed.
    private static let lies: [(String, @Sendable (Receipt) -> Receipt)] = [
        ("another server", { $0.changed(server: ServerID([UInt8](repeating: 0, count: 16))) }),
        ("another instance", { $0.changed(instance: InstanceID([UInt8](repeating: 0, count: 16))) }),
        ("another attempt", { $0.changed(attempt: AttemptID([UInt8](repeating: 0, count: 16))) }),
        ("another session", { $0.changed(sessionHash: zeros) }),
        ("another context", { $0.changed(context: .enrol) }),
        ("no method", { $0.changed(method: []) }),
        ("a biometric", { $0.changed(method: .bio) }),
        ("another epoch", { $0.changed(epoch: 2) }),
        ("another key", { $0.changed(key: zeros) }),
        ("another signature", { $0.changed(signaturesHash: zeros) }),
        ("a number that nobody comes to", { $0.changed(sequence: .max) }),
        ("the number of the attempt after it", { $0.changed(sequence: $0.sequence + 1) }),
        ("no number", { $0.changed(sequence: 0) }),
        ("the least such number", { $0.changed(sequence: AttemptSequence.limit) }),
    ]

    private func proved(_ change: (inout UnreliableSecondFactor.Mishaps) -> Void) async throws -> (DomainFixture, TestPhone, Outgoing) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        world.secondFactor.set(change)
        return (world, phone, decision)
    }

    @Test("A receipt for anything but this very proof logs nobody in", arguments: lies.indices)
    func lie(index: Int) async throws {
        let (name, lie) = Self.lies[index]
        let (world, phone, decision) = try await proved { $0.receiptLie = lie }
        let before = try await world.snapshot()
        #expect(try await world.refusal(of: decision) == .receiptWrong, "\(name)")
        #expect(try await world.snapshot() == before)
        #expect(try await world.instance(phone.instance)?.receipt == nil)
    }

    @Test("A receipt that another second-factor server signed is none")
    func stranger() async throws {
        let (world, _, decision) = try await proved { $0.receiptIsStrangers = true }
        #expect(try await world.refusal(of: decision) == .receiptWrong)
        #expect(Refusal.receiptWrong.status == .refused)
    }

    @Test("The answer to a ticket, played again as that to the proof of the same attempt, is none: the same decision is taken when it is asked again")
    func answerOfTicket() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let heard = Mutex<SecondFactorAnswer?>(nil)
        world.secondFactor.set { mishaps in
            mishaps.lie = { answer in
                heard.withLock { heard in
                    if answer.receipt == nil { heard = answer }
                    return heard ?? answer
                }
            }
        }
        let decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        #expect(try await world.refusal(of: decision) == .secondFactorUnavailable)
        #expect(try await world.status().state == .claimed)
        world.secondFactor.set { $0.lie = nil }
        _ = try await phone.decide(decision)
        #expect(try await world.status().state == .loggedIn)
    }

    @Test("OK without a receipt is not OK")
    func noReceipt() async throws {
        let (world, _, decision) = try await proved { mishaps in
            mishaps.lie = { SecondFactorAnswer(attemptID: $0.attemptID, status: .ok, highest: 1, epoch: 1, tries: .none) }
        }
        #expect(try await world.refusal(of: decision) == .secondFactorUnavailable)
        #expect(try await world.status().state == .claimed)
    }

    @Test("What the second-factor server says no to is told with its own word", arguments: [Status.refused, .blocked, .secondFactorUnknown])
    func status(status: Status) async throws {
        let (world, _, decision) = try await proved { $0.lie = { $0.changed(status: status) } }
        #expect(try await world.refusal(of: decision) == .secondFactor(status))
        #expect(Refusal.secondFactor(status).status == status)
    }

    @Test("An answer about another attempt is none, whatever it says", arguments: [Status.ok, .refused, .blocked])
    func otherAttempt(status: Status) async throws {
        let other = AttemptID([UInt8](repeating: 1, count: 16))
        let (world, phone, decision) = try await proved { mishaps in mishaps.lie = { $0.changed(attempt: other, status: status) } }
        #expect(try await world.refusal(of: decision) == .secondFactorUnavailable)
        world.secondFactor.set { $0.lie = nil }
        _ = try await phone.decide(decision)
        #expect(try await world.status().state == .loggedIn)
    }

    @Test("A lost answer loses no success: the same decision again is logged in with the same receipt")
    func lost() async throws {
        let (world, phone, decision) = try await proved { $0.losesAnswers = true }
        #expect(try await world.refusal(of: decision) == .secondFactorUnavailable)
        world.secondFactor.set { $0.losesAnswers = false }
        world.pass(100)
        _ = try await phone.decide(Outgoing(bytes: decision.bytes, ephemeral: decision.ephemeral, sentAt: world.now))
        #expect(try await world.status().authentication?.time == world.now - 100)
    }

    @Test("The newest receipt is kept and goes along with the next ticket; an older one does not take its place")
    func kept() async throws {
        let (world, phone, decision) = try await proved { _ in }
        _ = try await phone.decide(decision)
        let first = try #require(try await world.instance(phone.instance)?.receipt)
        #expect(first.value.sequence == 1)
        try await phone.logIn("second")
        #expect(world.secondFactor.receiptsShown.last == 1)
        #expect(try await world.instance(phone.instance)?.receipt?.value.sequence == 2)
        var instance = try #require(try await world.instance(phone.instance))
        instance.keep(first)
        #expect(instance.receipt?.value.sequence == 2)
    }

    @Test("A14: where the newest receipt is a biometric's, the newest by PIN goes along beside it, until a PIN is newest again")
    func newestByPIN() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        _ = try await phone.addBiometrics()
        try await phone.logIn("by PIN")
        // A number that no PIN proves: the biometric does, and its receipt is the newest.
        _ = try await phone.tryPIN(try await phone.look(at: try await world.link("left alone")))
        try await phone.logInByBiometric("by a biometric")
        #expect(world.secondFactor.pinReceiptsShown.allSatisfy { $0 == nil }, "so far the newest was by PIN")
        let byPIN = try #require(try await world.instance(phone.instance)?.pinReceipt?.value.sequence)
        try await phone.logInByBiometric("by a biometric again")
        #expect(world.secondFactor.pinReceiptsShown.last == byPIN)
        let before = world.secondFactor.pinReceiptsShown.count
        try await phone.logIn("by PIN again")
        #expect(world.secondFactor.pinReceiptsShown[before] == byPIN, "with the ticket")
        #expect(try await world.instance(phone.instance)?.pinReceipt == nil)
        try await phone.logIn("and again")
        #expect(world.secondFactor.pinReceiptsShown.last == .some(nil))
    }

    @Test("A receipt of an enrolment is checked like that of a login")
    func enrolment() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        let decision = try phone.finishing(claimed, try await phone.setFirstPIN(claimed))
        world.secondFactor.set { $0.receiptLie = { $0.changed(context: .verify) } }
        let before = try await world.snapshot()
        #expect(try await world.refusal(of: decision) == .receiptWrong)
        #expect(try await world.snapshot() == before)
    }
}
