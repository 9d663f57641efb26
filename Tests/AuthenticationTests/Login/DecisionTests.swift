import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("L5: a decision is checked")
struct DecisionTests {
    private func shown(_ change: (inout ServerUpdate) -> Void = { _ in }) async throws -> (DomainFixture, TestPhone, Shown) {
        let world = try await DomainFixture(change)
        let phone = try await world.enrolledPhone()
        let question = try await phone.look(at: try await world.link())
        return (world, phone, question)
    }

    @Test("Scan and right PIN: the session is logged in as the account, bound by the way the phone came")
    func accepted() async throws {
        let (world, phone, shown) = try await shown()
        let answer = try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown), userInput: "for the rent"))
        #expect(answer.result == .loggedIn && answer.userName == "alice" && answer.pingTime == 300)
        #expect(answer.sessionID == shown.content.sessionID)
        #expect(answer.webNonce == nil && answer.cache == nil)
        let login = try present(try await world.session()?.login)
        #expect(login.account == phone.account && login.binding == .qrStatic && login.userInput == "for the rent")
        #expect(login.methods == .pin && login.verifiedAt == world.now)
    }

    @Test("Unknown account, unknown session, another offer, other hash, bad signature: each has its own reason, in this order")
    func order() async throws {
        let (world, phone, shown) = try await shown()
        let other = try await phone.look(at: try await world.link("other"))
        let thief = try await world.enrolledPhone("eve", name: "thief")
        let choice = TestPhone.Choice(decision: .decline)
        func with(_ change: (inout TestPhone.Choice) -> Void, by signer: TestPhone? = nil, ephemeral: Shown? = nil) throws -> Outgoing {
            var changed = choice
            changed.account = phone.account
            changed.sessionHash = shown.hash(for: try present(phone.account))
            change(&changed)
            changed.session = changed.session ?? shown.content.sessionID
            return try (signer ?? phone).deciding(ephemeral ?? shown, changed)
        }
        let zeros = [UInt8](repeating: 0, count: 32)
        let nobody = AccountID(using: world.random)
        // Everything is wrong with the first, and one thing less with each that follows.
        #expect(
            try await world.refusal(
                of: try with(
                    {
                        $0.account = nobody
                        $0.session = SessionID(using: world.random)
                        $0.sessionHash = zeros
                    }, by: thief, ephemeral: other)) == .accountUnknown)
        #expect(
            try await world.refusal(
                of: try with(
                    {
                        $0.session = SessionID(using: world.random)
                        $0.sessionHash = zeros
                    }, by: thief, ephemeral: other)) == .offerWrong)
        #expect(try await world.refusal(of: try with({ $0.sessionHash = zeros }, by: thief, ephemeral: other)) == .offerWrong)
        #expect(try await world.refusal(of: try with({ $0.sessionHash = zeros }, by: thief)) == .sessionHashWrong)
        #expect(try await world.refusal(of: try with({ _ in }, by: thief)) == .badSignature)
        #expect(try await phone.decide(try with { _ in }).result == .denied)
    }

    @Test("None of those refusals claims the session or leaves a trace")
    func noTrace() async throws {
        let (world, phone, shown) = try await shown()
        let thief = try await world.enrolledPhone("eve", name: "thief")
        let before = try await world.snapshot()
        var choice = TestPhone.Choice(decision: .decline)
        choice.account = phone.account
        #expect(try await world.refusal(of: try thief.deciding(shown, choice)) == .badSignature)
        choice.sessionHash = [UInt8](repeating: 0, count: 32)
        #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .sessionHashWrong)
        #expect(try await world.snapshot() == before)
    }

    @Test("What was shown to one phone is not signed by another: the hash names the account")
    func hashNamesAccount() async throws {
        let (world, phone, shown) = try await shown()
        let other = try await world.enrolledPhone("bob", name: "other")
        var choice = TestPhone.Choice(decision: .decline)
        choice.sessionHash = shown.hash(for: try present(phone.account))
        #expect(try await world.refusal(of: try other.deciding(shown, choice)) == .sessionHashWrong)
    }

    @Test("Methods that were not offered are refused", arguments: [Methods.bio, [.pin, .bio], .cached, [.pin, .cached]])
    func notOffered(method: Methods) async throws {
        let (world, phone, shown) = try await shown()
        let tried = try await phone.tryPIN(shown)
        let choice = TestPhone.Choice(
            method: method, attempt: tried.id, secondFactorSignature: try phone.secondFactorSignature(tried), cache: [UInt8](repeating: 1, count: 32))
        #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .methodNotAllowed)
        #expect(!(try await world.status().loggedIn))
    }

    @Test("A method without its proof, and a proof without its method, are refused")
    func incomplete() async throws {
        let (world, phone, shown) = try await shown { $0.pinTimeout = 10 }
        let tried = try await phone.tryPIN(shown)
        let signature = try phone.secondFactorSignature(tried)
        let value = [UInt8](repeating: 1, count: 32)
        let choices = [
            TestPhone.Choice(method: .pin, attempt: tried.id), .init(method: .pin, attempt: tried.id, secondFactorSignature: signature, cache: value),
            .init(attempt: tried.id, secondFactorSignature: signature), .init(cache: value), .init(method: .cached),
            .init(method: [.pin, .cached], attempt: tried.id, secondFactorSignature: signature, cache: value),
        ]
        for choice in choices {
            #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .methodNotAllowed)
        }
        #expect(try await world.status().state == .claimed)
    }

    @Test("Where a second factor is needed, the device key alone is not enough")
    func deviceKeyAlone() async throws {
        let (world, phone, shown) = try await shown()
        #expect(try await world.refusal(of: try phone.deciding(shown, .init())) == .cacheNotValid)
        #expect(Refusal.cacheNotValid.status == .secondFactorNeeded)
    }

    @Test("A PIN that was evaluated for another session, or for another attempt, logs nobody in")
    func otherProof() async throws {
        let (world, phone, shown) = try await shown()
        let other = try await phone.look(at: try await world.link("other"))
        let tried = try await phone.tryPIN(other)
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .secondFactorSignatureWrong)
        let own = try await phone.tryPIN(shown)
        var choice = TestPhone.Choice(method: .pin, attempt: AttemptID(using: world.random))
        choice.secondFactorSignature = try phone.secondFactorSignature(own)
        #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .secondFactorSignatureWrong)
        #expect(!(try await world.status().loggedIn))
    }

    @Test("A wrong PIN opens no box: another key's signature is refused before the second-factor server hears of it")
    func wrongSecondFactorKey() async throws {
        let (world, phone, shown) = try await shown()
        let tried = try await phone.tryPIN(shown)
        let thief = try TestPhone(world, "guess")
        let choice = TestPhone.Choice(
            method: .pin, attempt: tried.id,
            secondFactorSignature: edwardsSignature(
                thief.raw.secondFactorKey, .secondFactorProof,
                Transcript.secondFactorProof(instance: phone.instance, attempt: tried.id, context: .verify, sessionHash: tried.sessionHash)))
        #expect(try await world.refusal(of: try phone.deciding(shown, choice)) == .secondFactorSignatureWrong)
        #expect(try await world.status().state == .claimed)
    }

    @Test("A second account finds the session taken, whether it tries, accepts or denies")
    func taken() async throws {
        let (world, phone, shown) = try await shown()
        let other = try await world.enrolledPhone("bob", name: "other")
        let theirs = try await other.look(at: try await world.link())
        _ = try await phone.tryPIN(shown)
        #expect(try await world.refusal(of: try other.trying(theirs).message) == .sessionTaken)
        #expect(try await world.refusal(of: try other.deciding(theirs, .init())) == .sessionTaken)
        #expect(try await world.refusal(of: try other.refusing(theirs)) == .sessionTaken)
        _ = try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown)))
        #expect(try await world.refusal(of: try other.trying(theirs).message) == .sessionTaken)
        #expect(try await world.status().accountID == phone.account)
        #expect(Refusal.sessionTaken.status == .sessionTaken)
    }

    @Test("A decision after the session ran out comes too late, with the right PIN too")
    func tooLate() async throws {
        let (world, phone, shown) = try await shown()
        let tried = try await phone.tryPIN(shown)
        world.pass(481)
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .sessionOver)
        #expect(try await world.refusal(of: try phone.refusing(shown)) == .sessionOver)
        #expect(try await world.status() == .nobody)
    }

    @Test("A session that was made for one account is refused to another")
    func preselected() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let other = try await world.enrolledPhone("bob", name: "other")
        let shown = try await other.look(at: try await world.link(preselecting: phone.account))
        #expect(try await world.refusal(of: try other.trying(shown).message) == .sessionTaken)
        #expect(try await world.refusal(of: try other.refusing(shown)) == .sessionTaken)
    }

    @Test("Two accounts of one phone: each session is the account's that claimed it")
    func twoAccounts() async throws {
        let (world, phone, shown) = try await shown()
        let second = try await phone.secondAccount()
        let tried = try await phone.tryPIN(shown)
        let theirs = try await second.look(at: try await world.link("another"))
        #expect(try await world.refusal(of: try second.deciding(shown, .init(decision: .decline))) == .sessionTaken)
        _ = try await second.decide(try second.accepting(theirs, try await second.tryPIN(theirs)))
        _ = try await phone.decide(try phone.accepting(shown, tried))
        #expect(try await world.status("browser").userID == "alice")
        #expect(try await world.status("another").userID == "bob")
    }
}
