import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("News of the end of a login")
struct EndNewsTests {
    enum End: CaseIterable { case stop, latePing, block, deletion, deletionOnPhone, closedInstance }

    @Test("Whoever ends it, its page and the phone that waits hear it, and once; of its account, what is changed there", arguments: End.allCases)
    func told(_ end: End) async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        let session = try present(try await phone.logIn().sessionID)
        let page = EventTopic.stream(try await world.queries.stream(of: DomainFixture.nonce("browser"), at: world.server))
        let (onPage, onPhone) = (world.hub.subscribe(to: [page]), world.hub.subscribe(to: [.session(session)]))
        let onAccount = world.hub.subscribe(to: [.account(account)])
        let reason: StopReason
        switch end {
        case .stop:
            _ = try await phone.stop(session)
            reason = .user
        case .latePing:
            world.pass(316)
            _ = try await phone.ping(session)
            reason = .timeout
        case .block:
            for _ in 0..<2 { _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now) }
            reason = .account
        case .deletion:
            try await world.accounts.delete(account, at: world.server, by: .backend, now: world.now)
            reason = .account
        case .deletionOnPhone:
            _ = try await world.deliver(try phone.deleting(account))
            reason = .account
        case .closedInstance:
            let shown = try await phone.look(at: try await world.link("second"))
            try await world.secondFactor.truth.close(phone.instance, at: world.now)
            _ = try await world.refusal(of: try phone.trying(shown).message)
            reason = .account
        }
        #expect(await world.heard(onPage, of: page) == [.loggedOut(reason)])
        #expect(await world.heard(onPhone, of: .session(session)) == [.loggedOut(reason)])
        let changes = await world.heard(onAccount, of: .account(account))
        switch end {
        case .stop, .latePing, .closedInstance: #expect(changes.isEmpty)
        // The second call changes nothing, and has those who wait look again.
        case .block: #expect(changes == [.accountChanged, .accountChanged])
        case .deletion, .deletionOnPhone: #expect(changes == [.accountChanged])
        }
    }
}
