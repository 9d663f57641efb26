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

    @Test("A login that another takes the place of is told to the phone that waits with it, and so is the end of a code that nobody shows any more")
    func replaced() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let app = try await phone.appLogIn().session
        world.pass(1)
        let logins = [app, try present(try await phone.logIn().sessionID)]
        let onLogins = logins.map { world.hub.subscribe(to: [.session($0)]) }
        world.pass(1)
        try await phone.appLogIn()
        let invitation = try await world.invite("bob", browser: "browser")
        let claimed = try await TestPhone(world, "new phone").enrolPending(invitation)
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(claimed.shown.accountID))
        for (login, news) in zip(logins, onLogins) {
            #expect(await world.heard(news, of: .session(login)) == [.loggedOut(.replaced)], "\(login)")
        }
        try await world.openPage(of: "other")
        let page = EventTopic.session(try present(try await world.session("other")).id)
        let onPage = world.hub.subscribe(to: [page])
        _ = try await world.link("other")
        #expect(await world.heard(onPage, of: page) == [.expired])
        let code = EventTopic.session(try present(try await world.session("other")).id)
        let onCode = world.hub.subscribe(to: [code])
        try await world.openPage(of: "other")
        #expect(await world.heard(onCode, of: code) == [.expired])
    }
}
