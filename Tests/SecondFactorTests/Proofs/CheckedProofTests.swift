import OstiaryProtocol
import Testing

@testable import SecondFactor

/// What a proof is held against before any row is read: every row of these tables is a caller who signs correctly and lies about one thing.
@Suite("What a proof is held against before any row is read, protocol §7")
struct CheckedProofTests {
    private let scene: SignedFixture

    init() throws { scene = try SignedFixture() }

    private static let signature = Filled(0x70).bytes(64)

    /// A proof of attempt 1; each argument is one thing that may be wrong.
    private func proof(
        _ context: SecondFactorContext = .verify, _ method: Methods = .pin, named: ServerID? = nil, newKey: [UInt8]? = nil,
        ticket: Encoded<Ticket>? = nil, secondFactor: [UInt8]? = signature, biometric: [UInt8]? = nil, attempt: UInt8 = 1,
        instance: InstanceID = RulesFixture.instanceID, epoch: UInt32 = 1, sessionHash: [UInt8]? = nil
    ) -> Proof {
        Proof(
            serverID: named ?? scene.owner.id, instanceID: instance, attemptID: RulesFixture.attemptID(attempt), context: context, method: method,
            epoch: epoch, sessionHash: sessionHash ?? Filled(0x60).bytes(32), secondFactorKey: newKey, ticket: ticket,
            secondFactorSignature: secondFactor, biometricSignature: biometric)
    }

    private func refusal(_ proof: Proof, signedBy key: OperatorKey? = nil) throws -> ProofRefusal? {
        let (caller, signed) = (try scene.caller(), Encoded(proof, signedBy: key ?? scene.server.key))
        do throws(ProofRefusal) {
            _ = try CheckedProof.check(signed, from: caller, at: scene.now)
            return nil
        } catch {
            return error
        }
    }

    private func biometricRefusal(_ proof: Proof, signedBy key: OperatorKey? = nil) throws -> ProofRefusal? {
        let (caller, signed) = (try scene.caller(), Encoded(proof, signedBy: key ?? scene.server.key))
        do throws(ProofRefusal) {
            _ = try CheckedBiometric.check(signed, from: caller, at: scene.now)
            return nil
        } catch {
            return error
        }
    }

    /// The ticket of a biometric on its own: nothing is blinded and nothing sealed.
    private func ticket(
        _ context: SecondFactorContext = .verify, payload: [UInt8] = [], sessionHash: [UInt8]? = nil, blinded: UInt8 = 0, sealed: UInt8 = 0,
        named: ServerID? = nil, signedBy key: OperatorKey? = nil
    ) throws -> Encoded<Ticket> {
        let hash = sessionHash ?? hash(context, payload)
        let attempt = Attempt(
            instanceID: RulesFixture.instanceID, attemptID: RulesFixture.attemptID(1), sessionHash: hash, context: context, epoch: 1,
            blindedHash: Filled(blinded).bytes(32), sealedHash: Filled(sealed).bytes(32), ephemeralHash: Filled(1).bytes(32), madeAt: scene.now)
        return scene.ticket(try scene.sign(attempt), payload: payload, named: named, signedBy: key)
    }

    private func hash(_ context: SecondFactorContext, _ payload: [UInt8]) -> [UInt8] {
        context == .verify ? Filled(0x60).bytes(32) : Transcript.operation(context, instance: RulesFixture.instanceID, epoch: 1, payload: payload)
    }

    private func biometric(
        _ ticket: Encoded<Ticket>?, _ context: SecondFactorContext = .verify, _ method: Methods = .bio, payload: [UInt8] = [], named: ServerID? = nil,
        newKey: [UInt8]? = nil, secondFactor: [UInt8]? = nil, biometric: [UInt8]? = signature
    ) -> Proof {
        proof(
            context, method, named: named, newKey: newKey, ticket: ticket, secondFactor: secondFactor, biometric: biometric,
            sessionHash: hash(context, payload))
    }

    @Test("A proof counts only with its caller's signature and under its caller's name")
    func caller() throws {
        #expect(try refusal(proof()) == nil)
        #expect(try refusal(proof(), signedBy: scene.other.key) == .notSigned)
        #expect(try refusal(proof(named: scene.other.root.root.serverID)) == .otherServer)
        let lone = biometric(try ticket())
        #expect(try biometricRefusal(lone) == nil)
        #expect(try biometricRefusal(lone, signedBy: scene.other.key) == .notSigned)
        #expect(try biometricRefusal(biometric(try ticket(), named: scene.other.root.root.serverID)) == .otherServer)
    }

    @Test("The ticket in a biometric's proof is its caller's as well, signed and named so")
    func ticketOfTheCaller() throws {
        #expect(try biometricRefusal(biometric(try ticket(signedBy: scene.other.key))) == .notSigned)
        #expect(try biometricRefusal(biometric(try ticket(named: scene.other.root.root.serverID))) == .otherServer)
    }

    @Test("An evaluated attempt is proved by a method of its context, with the signatures of that method and the keys of that context")
    func methods() throws {
        let (bio, key) = (Self.signature, Filled(0x31).bytes(32))
        let taken: [Proof] = [
            proof(.pinChangeVerify), proof(.verify, [.pin, .bio], biometric: bio), proof(.enrol), proof(.firstSet, newKey: key),
            proof(.pinChangeSet, newKey: key), proof(.pinChangeSet, .bio, newKey: key, biometric: bio),
        ]
        for proof in taken { #expect(try refusal(proof) == nil) }
        let refused: [(String, Proof)] = [
            ("no method", proof(.verify, [])), ("a cache", proof(.verify, .cached)), ("a biometric alone", proof(.verify, .bio, biometric: bio)),
            ("both for a first PIN", proof(.firstSet, [.pin, .bio], newKey: key, biometric: bio)),
            ("both for ENROL", proof(.enrol, [.pin, .bio], biometric: bio)),
            ("both for a new PIN", proof(.pinChangeSet, [.pin, .bio], newKey: key, biometric: bio)),
            ("a ticket beside an evaluated attempt", proof(ticket: try ticket())), ("no signature of the box", proof(secondFactor: nil)),
            ("a new key that nobody asked for", proof(newKey: key)), ("a first PIN without a key", proof(.firstSet)),
            ("a new PIN without a key", proof(.pinChangeSet)), ("a biometric that is not among the methods", proof(biometric: bio)),
            ("both named, one given", proof(.verify, [.pin, .bio])),
        ]
        for (name, proof) in refused { #expect(try refusal(proof) == .methodNotOffered, "\(name)") }
    }

    @Test("A new PIN brings a key, not a point under which a signature is right that nobody made")
    func newKey() throws {
        let rows = TicketRules.decide(RulesFixture.firstSet(), in: .empty, at: scene.now, under: .standard).applied(to: .empty)
        let neutral = Filled(1).bytes(1) + Filled(0).bytes(31)
        let proof = proof(.firstSet, newKey: neutral, secondFactor: neutral + Filled(0).bytes(32))
        let checked = try CheckedProof.check(Encoded(proof, signedBy: scene.server.key), from: try scene.caller(), at: scene.now)
        #expect(throws: ProofRefusal.secondFactorKey) { try checked.proved(in: rows) }
    }

    @Test("A biometric on its own proves what it may, with its own signature and nothing else")
    func biometricAlone() throws {
        #expect(try biometricRefusal(biometric(try ticket(.pinChangeVerify), .pinChangeVerify)) == nil)
        let remove = biometric(
            try ticket(.biometricsRemove, payload: scene.biometricKey), .biometricsRemove, payload: scene.biometricKey)
        #expect(try biometricRefusal(remove) == nil)
        let (key, joins) = (scene.biometricKey, scene.deviceKey + Filled(1).bytes(32))
        let refused: [(String, Proof)] = [
            ("the PIN", biometric(try ticket(), .verify, .pin)), ("both", biometric(try ticket(), .verify, [.pin, .bio])),
            ("ENROL", biometric(try ticket(.enrol, payload: joins), .enrol, payload: joins)),
            ("BIOMETRICS_ADD", biometric(try ticket(.biometricsAdd, payload: key), .biometricsAdd, payload: key)),
            (
                "PIN_CHANGE_SET",
                biometric(try ticket(.pinChangeSet, payload: Filled(1).bytes(16)), .pinChangeSet, payload: Filled(1).bytes(16))
            ), ("a new key", biometric(try ticket(), newKey: Filled(0x31).bytes(32))),
            ("a signature of the box", biometric(try ticket(), secondFactor: Self.signature)),
            ("no signature of the feature", biometric(try ticket(), biometric: nil)), ("no ticket", biometric(nil)),
        ]
        for (name, proof) in refused { #expect(try biometricRefusal(proof) == .methodNotOffered, "\(name)") }
    }

    @Test("Proof and attempt of a biometric name the same, and nothing was blinded or sealed for it")
    func sameAttempt() throws {
        let hash = Filled(0x60).bytes(32)
        func differing(
            attempt: UInt8 = 1, instance: InstanceID = RulesFixture.instanceID, epoch: UInt32 = 1, sessionHash: [UInt8] = hash,
            _ ticket: Encoded<Ticket>
        ) -> Proof {
            proof(
                .verify, .bio, ticket: ticket, secondFactor: nil, biometric: Self.signature, attempt: attempt, instance: instance, epoch: epoch,
                sessionHash: sessionHash)
        }
        let honest = try ticket()
        #expect(try biometricRefusal(differing(honest)) == nil)
        let removing = try ticket(.biometricsRemove, payload: scene.biometricKey)
        let rows: [(String, Proof)] = [
            ("attempt", differing(attempt: 2, honest)), ("instance", differing(instance: InstanceID(using: Filled(0x11)), honest)),
            ("epoch", differing(epoch: 2, honest)), ("session", differing(sessionHash: Filled(0x61).bytes(32), honest)),
            ("context", differing(sessionHash: removing.value.attempt.value.sessionHash, removing)),
            ("something blinded", differing(try ticket(blinded: 1))), ("something sealed", differing(try ticket(sealed: 1))),
            ("a payload", differing(try ticket(payload: [0]))),
        ]
        for (name, proof) in rows { #expect(try biometricRefusal(proof) == .attemptMismatch, "\(name)") }
    }

    @Test("A biometric is asked for its instance, its owner and whether it is open before any key is tried")
    func instance() throws {
        let checked = try CheckedBiometric.check(
            Encoded(biometric(try ticket()), signedBy: scene.server.key), from: try scene.caller(), at: scene.now)
        func refusal(_ instance: Instance?) -> ProofRefusal? {
            do throws(ProofRefusal) {
                _ = try checked.proved(in: Situation(instance: instance), receipt: nil)
                return nil
            } catch {
                return error
            }
        }
        var closed = scene.instance()
        closed.close()
        var left = scene.instance()
        left.leave(scene.deviceKey)
        var without = scene.instance()
        without.setBiometricKey(nil)
        let twin = VirtualServer(id: scene.owner.id, rootHash: Filled(9).bytes(32))
        #expect(refusal(nil) == .unknownInstance)
        #expect(refusal(scene.instance(owner: twin)) == .otherServer)
        #expect(refusal(closed) == .closed)
        #expect(refusal(left) == .deviceSignature)
        #expect(refusal(without) == .noBiometricKey)
        #expect(refusal(scene.instance()) == .biometricSignature, "a signature that no finger made")
    }
}
