import OstiaryProtocol
import Testing

@testable import SecondFactor

/// The first line of §7, "At the SFS, on a Ticket": every row is a caller who signs correctly and lies about one thing.
@Suite("What a ticket is held against before any row is read, protocol §7")
struct CheckedTicketTests {
    private let scene: SignedFixture
    private let element: [UInt8]
    private let sealed: [UInt8]
    private let opened: OpenedRequest

    init() throws {
        scene = try SignedFixture()
        element = try GroupElement.generator(times: GroupScalar.random()).bytes
        (sealed, opened) = try scene.sealed(element)
    }

    private func refusal(_ ticket: Encoded<Ticket>, sealed: [UInt8]? = nil, opened: OpenedRequest? = nil) throws -> TicketRefusal? {
        let caller = try scene.caller()
        do throws(TicketRefusal) {
            _ = try CheckedTicket.check(ticket, from: caller, sealed: sealed ?? self.sealed, opened: opened ?? self.opened, at: scene.now)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(of attempt: Encoded<Attempt>, payload: [UInt8] = []) throws -> TicketRefusal? {
        try refusal(scene.ticket(attempt, payload: payload))
    }

    @Test("What fits is taken, with the element that was blinded")
    func honest() throws {
        let ticket = scene.ticket(try scene.attempt(sealed: sealed, opened))
        let checked = try CheckedTicket.check(ticket, from: try scene.caller(), sealed: sealed, opened: opened, at: scene.now)
        #expect(checked.blinded.bytes == element && checked.owner == scene.owner && checked.purpose == .verify)
    }

    @Test("A ticket counts only with its caller's signature and under its caller's name")
    func caller() throws {
        let attempt = try scene.attempt(sealed: sealed, opened)
        #expect(try refusal(scene.ticket(attempt, signedBy: scene.other.key)) == .notSigned)
        let unsigned = Ticket(serverID: scene.owner.id, sequence: 1, issuedAt: scene.now, payload: [], attempt: attempt)
        #expect(try refusal(Encoded(unsigned)) == .notSigned)
        #expect(try refusal(scene.ticket(attempt, named: scene.other.root.root.serverID)) == .otherServer)
    }

    @Test("The device key signed for this sealed request, this ephemeral key and this element, and for no others")
    func hashes() throws {
        let wrong = Filled(9).bytes(32)
        #expect(try refusal(of: scene.attempt(sealed: sealed, opened, sealedHash: wrong)) == .sealedHash)
        #expect(try refusal(of: scene.attempt(sealed: sealed, opened, ephemeralHash: wrong)) == .ephemeralHash)
        #expect(try refusal(of: scene.attempt(sealed: sealed, opened, blindedHash: wrong)) == .blindedHash)
        // The same element by the same ephemeral key, sealed once more: it is not what was signed for.
        let again = try scene.sealed(element)
        let ticket = scene.ticket(try scene.attempt(sealed: sealed, opened))
        #expect(try refusal(ticket, opened: again.opened) == .sealedHash)
        #expect(try refusal(ticket, sealed: again.bytes, opened: again.opened) == .sealedHash)
    }

    @Test("What was sealed is one element of the group; a point at zero, junk and two elements are none")
    func notAnElement() throws {
        for message in [Filled(0).bytes(32), Filled(0xFF).bytes(32), element + element, Array(element.dropLast()), []] {
            let (sealed, opened) = try scene.sealed(message)
            let ticket = scene.ticket(try scene.attempt(sealed: sealed, opened))
            #expect(try refusal(ticket, sealed: sealed, opened: opened) == .notAnElement)
        }
    }

    @Test("The payload is what the context asks for, nothing more and nothing less")
    func payloads() throws {
        let key = scene.deviceKey
        let noPoint = [4] + Filled(7).bytes(64)
        let rows: [(SecondFactorContext, [UInt8])] = [
            (.verify, [0]), (.pinChangeVerify, [0]), (.firstSet, key), (.firstSet, key + Filled(1).bytes(31)), (.firstSet, key + Filled(1).bytes(33)),
            (.firstSet, noPoint + Filled(1).bytes(32)), (.enrol, key), (.enrol, noPoint + Filled(1).bytes(32)), (.biometricsAdd, key + [0]),
            (.biometricsAdd, []), (.biometricsAdd, noPoint), (.biometricsRemove, Array(key.dropLast())), (.biometricsRemove, noPoint),
            (.pinChangeSet, []), (.pinChangeSet, Filled(1).bytes(15)), (.pinChangeSet, Filled(1).bytes(17)),
        ]
        for (context, payload) in rows {
            let attempt = try scene.attempt(context, payload: payload, sealed: sealed, opened)
            #expect(try refusal(of: attempt, payload: payload) == .payload, "\(context) with \(payload.count) bytes")
        }
    }

    @Test("The session hash covers context, instance, epoch and payload, wherever no session gives it", arguments: SecondFactorContext.allCases)
    func sessionHashes(_ context: SecondFactorContext) throws {
        let payload: [UInt8] =
            switch context {
            case .verify, .pinChangeVerify: []
            case .firstSet, .enrol: scene.deviceKey + Filled(1).bytes(32)
            case .biometricsAdd, .biometricsRemove: scene.biometricKey
            case .pinChangeSet: Filled(3).bytes(16)
            }
        #expect(try refusal(of: scene.attempt(context, payload: payload, sealed: sealed, opened), payload: payload) == nil)
        let foreign = [
            Filled(5).bytes(32), Transcript.operation(context, instance: RulesFixture.instanceID, epoch: 2, payload: payload),
            Transcript.operation(context, instance: InstanceID(using: Filled(5)), epoch: 1, payload: payload),
            Transcript.operation(context, instance: RulesFixture.instanceID, epoch: 1, payload: payload + [0]),
            Transcript.operation(context == .enrol ? .firstSet : .enrol, instance: RulesFixture.instanceID, epoch: 1, payload: payload),
        ]
        for hash in foreign {
            let attempt = try scene.attempt(context, payload: payload, sealed: sealed, opened, sessionHash: hash)
            #expect(try refusal(of: attempt, payload: payload) == (context == .verify ? nil : .sessionHash))
        }
    }

    @Test("Another virtual server's instance is refused before its keys are tried; a key that is not there, and a forged signature, after")
    func provingKey() throws {
        let ticket = scene.ticket(try scene.attempt(sealed: sealed, opened))
        let checked = try CheckedTicket.check(ticket, from: try scene.caller(), sealed: sealed, opened: opened, at: scene.now)
        func refusal(_ instance: Instance?) -> TicketRefusal? {
            do throws(TicketRefusal) {
                _ = try checked.proved(in: Situation(instance: instance), receipt: nil, freshKey: nil)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(scene.instance()) == nil)
        #expect(refusal(nil) == nil, "the rules say that there is none")
        #expect(refusal(scene.instance(owner: VirtualServer(id: scene.owner.id, rootHash: Filled(9).bytes(32)))) == .otherServer)
        #expect(refusal(RulesFixture.instance(deviceKeys: [scene.biometricKey])) == .otherServer)
        var stranger = scene.instance()
        stranger.leave(scene.deviceKey)
        stranger.join(scene.biometricKey)
        #expect(refusal(stranger) == .deviceSignature)
    }

    @Test("An attempt at a first PIN is signed by the device key that it brings; by another it is refused, and no word is said of instances")
    func firstDeviceKey() throws {
        func proving(_ deviceKey: [UInt8]) throws -> ProvenTicket {
            let payload = deviceKey + Filled(1).bytes(32)
            let attempt = try scene.attempt(.firstSet, payload: payload, sealed: sealed, opened)
            let checked = try CheckedTicket.check(
                scene.ticket(attempt, payload: payload), from: try scene.caller(), sealed: sealed, opened: opened, at: scene.now)
            return try checked.proved(in: .empty, receipt: nil, freshKey: nil)
        }
        #expect(try proving(scene.deviceKey).deviceKey == scene.deviceKey)
        #expect(throws: TicketRefusal.firstDeviceSignature) { try proving(scene.biometricKey) }
        #expect(TicketRefusal.firstDeviceSignature.status == .refused && TicketRefusal.deviceSignature.status == .secondFactorUnknown)
    }

    @Test("A key is made only for a first PIN where there is none, and for a change that names a voucher; never for an attempt that is known")
    func freshKeys() throws {
        func needsKey(_ purpose: Purpose, _ rows: Situation) -> Bool { RulesFixture.ticket(purpose: purpose).checked.needsKey(in: rows) }
        let known = TicketRules.decide(RulesFixture.firstSet(), in: .empty, at: RulesFixture.now, under: .standard).applied(to: .empty)
        let record = try #require(known.attempt)
        let first = Purpose.firstSet(deviceKey: RulesFixture.deviceKey)
        let change = Purpose.pinChangeSet(voucher: record.id)
        #expect(needsKey(first, .empty) && needsKey(change, Situation(instance: RulesFixture.instance(), voucher: record)))
        #expect(!needsKey(first, known) && !needsKey(first, Situation(instance: RulesFixture.instance())))
        #expect(!needsKey(change, Situation(instance: RulesFixture.instance(), attempt: record, voucher: record)))
        #expect(!needsKey(change, Situation(instance: RulesFixture.instance())) && !needsKey(.verify, Situation(instance: RulesFixture.instance())))
    }
}
