import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("What a phone says of itself to the page", .timeLimit(.minutes(10)))
struct PhoneStateTests {
    static let states = PhoneState.allCases

    @Test("The account that has claimed the session says that it does not go on; the page hears it and nothing else happens", arguments: states)
    func claimed(state: PhoneState) async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        _ = try await phone.tryPIN(shown)
        let before = try present(try await world.session())
        let stream = try await world.queries.stream(of: DomainFixture.nonce("browser"), at: world.server)
        var news = world.hub.subscribe(to: [.stream(stream)]).makeAsyncIterator()
        #expect(try await phone.say(state, of: shown) == Reply())
        #expect(await news.next()?.kind == .phoneState)
        var after = try present(try await world.session())
        #expect(after.report == phone.report(state))
        after.report = nil
        #expect(after == before)
        #expect(try await world.status().state == .claimed)
    }

    @Test("Who has claimed the session needs no offer to say so; said once more it is no news")
    func withoutOffer() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        _ = try await phone.tryPIN(shown)
        let stream = try await world.queries.stream(of: DomainFixture.nonce("browser"), at: world.server)
        var news = world.hub.subscribe(to: [.stream(stream)]).makeAsyncIterator()
        for state in [PhoneState.blocked, .blocked, .gaveUp] {
            _ = try await world.deliver(try phone.saying(state, of: shown, offer: nil))
        }
        #expect(try await world.session()?.report == PhoneReport(state: .gaveUp))
        try await world.store.write { rows in
            if let session = try rows.session(shown.content.sessionID) { world.hub.publish(.about(session, .scanned)) }
        }
        let kinds = [await news.next()?.kind, await news.next()?.kind, await news.next()?.kind]
        #expect(kinds == [.phoneState, .phoneState, .scanned], "two states, two pieces of news")
    }

    @Test("While nobody has claimed the session only who was shown it may speak, and it stays open for every phone")
    func open() async throws {
        let world = try await DomainFixture()
        let (phone, other) = (try await world.enrolledPhone(), try await world.enrolledPhone("bob", name: "other"))
        let shown = try await phone.look(at: try await world.link())
        let strange = try await other.look(at: try await world.link())
        #expect(try await world.refusal(of: try phone.saying(.gaveUp, of: shown, offer: nil)) == .offerWrong)
        #expect(try await world.refusal(of: try phone.saying(.gaveUp, of: shown, offer: strange.content.offer)) == .offerWrong)
        #expect(try await world.session()?.report == nil)
        _ = try await phone.say(.gaveUp, of: shown)
        #expect(try await world.session()?.report == PhoneReport(state: .gaveUp))
        #expect(try await world.session()?.state == .open)
        _ = try await other.decide(try other.accepting(strange, try await other.tryPIN(strange)))
        #expect(try await world.status().loggedIn)
    }

    @Test("Another account than the one that has claimed the session says nothing about it, not even with an offer")
    func taken() async throws {
        let world = try await DomainFixture()
        let (phone, other) = (try await world.enrolledPhone(), try await world.enrolledPhone("bob", name: "other"))
        let strange = try await other.look(at: try await world.link())
        let shown = try await phone.look(at: try await world.link())
        _ = try await phone.tryPIN(shown)
        #expect(try await world.refusal(of: try other.saying(.blocked, of: strange)) == .sessionTaken)
        #expect(try await world.session()?.report == nil)
    }

    @Test("Of a session that was made for one account another's phone says nothing, though it was shown it")
    func preselected() async throws {
        let world = try await DomainFixture()
        let (phone, other) = (try await world.enrolledPhone(), try await world.enrolledPhone("bob", name: "other"))
        let strange = try await other.look(at: try await world.link(preselecting: phone.account))
        #expect(try await world.refusal(of: try other.saying(.gaveUp, of: strange)) == .sessionTaken)
        #expect(try await world.session()?.report == nil)
    }

    @Test("Without the device's signature, or for a session or account that there is not, it is refused and changes nothing")
    func forged() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        _ = try await phone.tryPIN(shown)
        let before = try await world.snapshot()
        var unsigned = try phone.saying(.gaveUp, of: shown)
        unsigned.bytes[unsigned.bytes.count - 1] ^= 1
        #expect(try await world.refusal(of: unsigned) == .badSignature)
        let nowhere = SessionID(using: phone.random)
        #expect(try await world.refusal(of: try phone.saying(.gaveUp, of: shown, session: nowhere)) == .sessionUnknown)
        #expect(try await world.refusal(of: try phone.saying(.gaveUp, of: shown, account: AccountID(using: phone.random))) == .accountUnknown)
        #expect(try await world.snapshot() == before)
    }

    @Test("The same request again is replayed, the same words again change nothing, and newer ones take the place of older ones")
    func repeats() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        _ = try await phone.tryPIN(shown)
        let sealed = try world.seal(try phone.saying(.blocked, of: shown))
        _ = try await world.receive(sealed.bytes)
        #expect(try await world.refusal { _ = try await world.receive(sealed.bytes) } == .replayed)
        let session = try await world.session()
        _ = try await phone.say(.blocked, of: shown)
        #expect(try await world.session() == session)
        _ = try await phone.say(.gaveUp, of: shown)
        #expect(try await world.session()?.report == PhoneReport(state: .gaveUp))
    }

    @Test("The next M1 takes its place, and a login is a login whatever was said before")
    func superseded() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        _ = try await phone.tryPIN(shown)
        _ = try await phone.say(.noSecondFactor, of: shown)
        let tried = try await phone.tryPIN(shown)
        #expect(try await world.session()?.report == nil)
        _ = try await phone.say(.gaveUp, of: shown)
        #expect(try await phone.decide(try phone.accepting(shown, tried)).result == .loggedIn)
        #expect(try await world.session()?.report == nil)
        #expect(try await world.refusal(of: try phone.saying(.gaveUp, of: shown)) == .sessionOver)
        #expect(try await world.status().loggedIn)
    }

    @Test("A decision takes its place before the second-factor server is asked")
    func supersededByDecision() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        _ = try await phone.say(.noSecondFactor, of: shown)
        world.secondFactor.set { $0.isDown = true }
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .secondFactorUnavailable)
        #expect(try await world.session()?.report == nil)
        #expect(try await world.status().state == .claimed)
    }

    @Test("A penalty is shown until it is over")
    func penaltyEnds() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        _ = try await phone.tryPIN(shown)
        _ = try await phone.say(.penalised, of: shown)
        world.pass(29)
        #expect(try await world.queries.progress(of: DomainFixture.nonce("browser"), at: world.server, now: world.now)?.report?.state == .penalised)
        world.pass(1)
        #expect(try await world.queries.progress(of: DomainFixture.nonce("browser"), at: world.server, now: world.now)?.report == nil)
    }

    @Test("After it the browser may begin anew: the claimed session ends, and the phone that goes on in it is told so; without it a claim stays")
    func nextSession() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        await #expect(throws: LoginLinkError.claimed) { try await world.link() }
        _ = try await phone.say(.gaveUp, of: shown)
        let next = try await phone.look(at: try await world.link())
        #expect(next.content.sessionID != shown.content.sessionID)
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .sessionOver)
        #expect(try await phone.decide(try phone.accepting(next, try await phone.tryPIN(next))).result == .loggedIn)
    }
}

extension TestPhone {
    fileprivate func report(_ state: PhoneState) -> PhoneReport {
        PhoneReport(state: state, until: state == .penalised ? world.now + 30 : Instant(0))
    }

    fileprivate func saying(
        _ state: PhoneState, of shown: Shown, offer: Encoded<Offer>?, session: SessionID? = nil, account: AccountID? = nil
    ) throws -> Outgoing {
        let message = L7(
            sessionID: session ?? shown.content.sessionID, accountID: try present(account ?? self.account), state: state,
            until: report(state).until, offer: offer)
        return outgoing(try Encoded(message, signedBy: sign).bytes, shown.ephemeral)
    }

    fileprivate func saying(
        _ state: PhoneState, of shown: Shown, session: SessionID? = nil, account: AccountID? = nil
    ) throws -> Outgoing {
        try saying(state, of: shown, offer: shown.content.offer, session: session, account: account)
    }

    func say(_ state: PhoneState, of shown: Shown) async throws -> Reply { try await world.deliver(try saying(state, of: shown)) }
}
