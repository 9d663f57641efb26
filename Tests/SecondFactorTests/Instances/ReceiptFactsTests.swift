import OstiaryProtocol
import Testing

@testable import SecondFactor

@Suite("What a receipt may prove, protocol §7")
struct ReceiptFactsTests {
    private let scene: SignedFixture
    private let ticket: Ticket

    init() throws {
        scene = try SignedFixture()
        let owner = scene.owner
        ticket = RulesFixture.ticket(owner: owner).checked.ticket
    }

    private func facts(
        _ context: SecondFactorContext = .verify, _ method: Methods = .pin, sequence: UInt64 = 7, server: ServerID? = nil,
        instance: InstanceID = RulesFixture.instanceID, issuedAt: Instant = RulesFixture.now, signedBy key: OperatorKey? = nil
    ) throws -> ReceiptFacts? {
        let receipt = Receipt(
            serverID: server ?? scene.owner.id, instanceID: instance, attemptID: RulesFixture.attemptID(1), sessionHash: Filled(1).bytes(32),
            context: context, method: method, epoch: 1, sequence: sequence, secondFactorKey: RulesFixture.secondFactorKey,
            signaturesHash: Filled(2).bytes(32), withoutPIN: 0, lastPIN: issuedAt, issuedAt: issuedAt)
        return ReceiptFacts(Encoded(receipt, signedBy: key ?? scene.own.key), for: ticket, signedBy: try scene.own.keys())
    }

    @Test("A22: only what we signed ourselves, with a key that was valid then, moves a counter; the caller's own signature does not")
    func signature() throws {
        #expect(try facts() == ReceiptFacts(sequence: 7, byPIN: true))
        #expect(try facts(.verify, .bio) == ReceiptFacts(sequence: 7, byPIN: false))
        #expect(try facts(signedBy: scene.server.key) == nil)
        #expect(try facts(issuedAt: scene.now + 86_401) == nil && facts(issuedAt: scene.now - 61) == nil)
    }

    @Test("A receipt of another instance, of another server, of a PIN that was set, or beyond every number tells nothing")
    func foreign() throws {
        #expect(try facts(instance: InstanceID(using: Filled(0x11))) == nil)
        #expect(try facts(server: scene.other.root.root.serverID) == nil)
        #expect(try facts(.firstSet) == nil && facts(.pinChangeSet) == nil)
        #expect(try facts(sequence: Counter.limit) == nil && facts(sequence: .max) == nil)
        #expect(try facts(sequence: Counter.limit - 1)?.sequence == Counter.limit - 1)
    }
}
