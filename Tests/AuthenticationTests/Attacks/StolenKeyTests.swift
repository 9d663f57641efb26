import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// Attack 8: somebody has the signing key of the second-factor server, or an operational key of the authentication server (threats T10, T11).
@Suite("Attack 8: forged receipts and forged tickets")
struct StolenKeyTests {
    /// A second-factor server in the hands of a thief: it vouches for whatever it is asked, with its true key.
    private func world() async throws -> (DomainFixture, TestPhone) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await phone.addBiometrics()
        world.secondFactor.set { $0.believesAnything = true }
        return (world, phone)
    }

    @Test("A second-factor server that vouches for anything logs nobody in without what the opened box or the biometric signs")
    func receiptsAlone() async throws {
        let (world, phone) = try await world()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        // The thief has the phone unlocked, and so its device key, but neither PIN nor finger.
        let thief = try phone.rekeyed()
        #expect(try await world.refusal(of: try thief.accepting(shown, tried)) == .secondFactorSignatureWrong)
        var choice = TestPhone.Choice(method: .pin, attempt: tried.id, secondFactorSignature: [UInt8](repeating: 7, count: 64))
        #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .secondFactorSignatureWrong)
        let own = phone.ownAttempt(.verify, shown.hash(for: try present(phone.account)), shown.ephemeral)
        choice = TestPhone.Choice(method: .bio, attempt: own.id, ownAttempt: try phone.signed(own))
        choice.biometricSignature = [UInt8](repeating: 7, count: 64)
        #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .biometricSignatureWrong)
        #expect(try await world.status().state == .claimed)
        #expect(world.secondFactor.heard.last == .ticket)
    }

    @Test("Nor without the device key: another phone's signature is refused, whatever the receipt says")
    func noDeviceKey() async throws {
        let (world, phone) = try await world()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        let stranger = try TestPhone(sharing: phone)
        var choice = TestPhone.Choice(method: .pin, attempt: tried.id, secondFactorSignature: try phone.secondFactorSignature(tried))
        choice.account = phone.account
        #expect(try await world.refusal(of: try stranger.deciding(shown, choice)) == .badSignature)
        #expect(!(try await world.status().loggedIn))
    }

    @Test("It adds no biometric, removes none, and vouches for no change of the PIN")
    func changes() async throws {
        let (world, phone) = try await world()
        let thief = try phone.rekeyed()
        let key = try phone.biometricPublicKey()
        for (context, payload) in [(SecondFactorContext.biometricsAdd, key), (.biometricsRemove, key), (.pinChangeVerify, [])] {
            let change = try await thief.provingByPIN(context, payload)
            #expect(try await world.refusal(of: try thief.changing(change)) == .secondFactorSignatureWrong)
        }
        var finger = try phone.provingByBiometric(.pinChangeVerify)
        finger.biometricSignature = [UInt8](repeating: 7, count: 64)
        #expect(try await world.refusal(of: try phone.changing(finger)) == .biometricSignatureWrong)
        let set = try phone.trying(.pinChangeSet, finger.attempt.bytes, epoch: 2)
        #expect(try await world.refusal(of: set.message) == .changeNotVouched)
    }

    @Test("With PIN and device key the same forged receipt would do: what failed above failed for the signatures")
    func control() async throws {
        let (world, phone) = try await world()
        let shown = try await phone.look(at: try await world.link())
        _ = try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown)))
        #expect(try await world.status().loggedIn)
    }

    @Test("A receipt that another key signed is refused, even for the right PIN")
    func strangersReceipt() async throws {
        let (world, phone) = try await world()
        world.secondFactor.set {
            $0.believesAnything = false
            $0.receiptIsStrangers = true
        }
        let shown = try await phone.look(at: try await world.link())
        let message = try phone.accepting(shown, try await phone.tryPIN(shown))
        #expect(try await world.refusal(of: message) == .receiptWrong)
        #expect(!(try await world.status().loggedIn))
    }

    @Test("A thief of the operational key numbers tickets as he likes: evaluations between two right PINs stay at the limit")
    func forgedTickets() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let before = world.secondFactor.truth.evaluations
        // He has the phone, too, and signs a ticket for each number up to a hundred, in both directions.
        for number in Array(UInt64(1)...50) + (1...50).reversed() {
            let attempt = try phone.trying(shown)
            let message = try M1(decoding: attempt.message.bytes)
            let ticket = Ticket(
                serverID: world.server, sequence: number, issuedAt: world.now, payload: [], attempt: message.attempt)
            let call = SecondFactorCall(
                caller: world.keys.chain, message: Encoded(ticket, signedBy: world.keys.operatorKey).bytes, sealed: message.sealed)
            _ = try await world.secondFactor.call(call)
            world.pass(10)
        }
        #expect(world.secondFactor.truth.evaluations - before <= SecondFactorInMemory.mostTries)
        #expect(world.secondFactor.truth.evaluations > before)
    }
}
