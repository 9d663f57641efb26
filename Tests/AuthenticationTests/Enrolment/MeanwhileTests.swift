import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

/// Between what an E3 was checked against and what it does, the invitation may have become another's.
@Suite("E3: what happens meanwhile")
struct MeanwhileTests {
    @Test("A phone that asks anew while its first decision is proved makes no account by that one, only by what it was shown last")
    func askedAnew() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.claim(invitation)
        let set = try await phone.setFirstPIN(claimed)
        world.secondFactor.set { mishaps in
            mishaps.pause = { type in if type == .proof { _ = try? await phone.claim(invitation) } }
        }
        #expect(try await world.refusal(of: try phone.finishing(claimed, set)) == .enrolHashWrong)
        #expect(try await world.snapshot().accounts.isEmpty)
        let due = try await world.store.read { rows in try rows.dueCloses(at: world.now, limit: 9) }
        #expect(due.map(\.instance) == [phone.instance], "the instance that was made for nothing is closed")
    }

    @Test("A second account that does not come about leaves the phone's instance to the first, and takes the new device key out")
    func orphanedKey() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let new = try TestPhone(sharing: phone)
        let claimed = try await new.claim(try await world.invite("bob", browser: "second"))
        let vouched = try await phone.send(try phone.provingForEnrolment(claimed, newKey: new.publicKey, by: try present(phone.account)))
        world.secondFactor.set { mishaps in
            mishaps.pause = { type in if type == .proof { _ = try? await world.invite("bob", browser: "second") } }
        }
        #expect(try await world.refusal(of: try new.finishing(claimed, vouched)) == .enrolmentOld)
        world.secondFactor.set { $0.pause = nil }
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.deviceKeys == [phone.publicKey, new.publicKey])
        #expect(try await world.closes.run(at: world.now) == 1)
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.deviceKeys == [phone.publicKey])
        #expect(try await phone.logIn().result == .loggedIn)
    }

    @Test("A decline that is overtaken by its own copy and by another phone takes nothing from that phone")
    func lateDecline() async throws {
        let world = try await DomainFixture()
        let (phone, other) = (try TestPhone(world, "phone"), try TestPhone(world, "other"))
        let invitation = try await world.invite()
        let claimed = try await phone.claim(invitation)
        let decline = try phone.declining(claimed)
        let keyring = FixtureKeyring(known: [world.server: world.keys])
        let slow = EnrolmentService(
            store: InterruptedStore(store: world.store) {
                _ = try await world.deliver(decline)
                _ = try await other.claim(invitation)
            }, keyring: keyring, events: world.hub, secondFactor: SecondFactorClient(gateway: world.secondFactor, keyring: keyring),
            random: world.random)
        let request = PhoneRequest(
            server: world.server, opened: try OpenedRequest(try world.seal(decline).bytes, with: world.keys.prekey), now: world.now)
        #expect(try await world.refusal { _ = try await slow.finish(request) } == .enrolmentUnknown)
        let progress = try await world.enrolments.newest(of: invitation.nonce, at: world.server, now: world.now)?.progress
        #expect(progress == .phoneScanned(device: "other"))
    }
}
