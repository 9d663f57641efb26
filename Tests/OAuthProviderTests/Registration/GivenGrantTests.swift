import Authentication
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import OAuthProvider

@Suite("What people let clients do, as an operator sees and ends it")
struct GivenGrantTests {
    private typealias Fixture = ProviderFixture

    private func premises(rerunning: Bool = false) async throws -> (fixture: Fixture, registry: RegistryService) {
        let fixture = try await Fixture(rerunning: rerunning)
        return (fixture, RegistryService(store: fixture.store, random: fixture.random))
    }

    @Test("S3-46 an operator ends one grant, once: its refresh and access tokens are over, with a line in the trail", arguments: [false, true])
    func one(rerunning: Bool) async throws {
        let (fixture, registry) = try await premises(rerunning: rerunning)
        let tokens = try await fixture.tokens()
        let listed = try await registry.grants(.byUser("alice", to: nil), at: Fixture.server, .all, now: fixture.now)
        let given = try #require(listed.elements.first)
        #expect(listed.total == 1 && given.usedAt == fixture.now && given.grant.holder == .device(Fixture.alice))
        try await registry.endGrant(given.grant.id, at: Fixture.server, by: .operator, now: fixture.now)
        #expect(try await fixture.refusal(of: fixture.refresh(tokens.refreshToken)) == .grantOver)
        #expect(try await fixture.facts(of: tokens.accessToken) == .inactive)
        #expect(fixture.memory.audit.map(\.kind) == [.grantsEnded] && fixture.memory.audit.first?.account == Fixture.alice)
        await #expect(throws: UnknownGrant()) {
            try await registry.endGrant(given.grant.id, at: Fixture.server, by: .operator, now: fixture.now)
        }
        #expect(fixture.memory.audit.count == 1)
    }

    @Test("All of a person end, or those of one client; none is none, without a line", arguments: [false, true])
    func all(rerunning: Bool) async throws {
        let (fixture, registry) = try await premises(rerunning: rerunning)
        let mobile = try await fixture.tokens()
        let web = try await fixture.webTokens("openid read:timesheets offline_access")
        func end(_ selection: GivenSelection) async throws -> Int {
            try await registry.endGrants(selection, at: Fixture.server, by: .operator, now: fixture.now)
        }
        #expect(try await end(.byUser("mary", to: nil)) == 0)
        #expect(fixture.memory.audit.isEmpty)
        #expect(try await end(.byAccount(Fixture.alice, to: try fixture.client("web"))) == 1)
        #expect(try await fixture.facts(of: web.accessToken) == .inactive)
        #expect(try await fixture.facts(of: mobile.accessToken) != .inactive)
        #expect(try await end(.toClient(try fixture.client("mobile"))) == 1)
        #expect(try await fixture.facts(of: mobile.accessToken) == .inactive)
        // Everybody's is nobody's in the trail.
        #expect(fixture.memory.audit.map(\.account) == [Fixture.alice, nil])
    }

    @Test("A consent that is withdrawn ends what was given on it, and its client has to ask again", arguments: [false, true])
    func withdrawn(rerunning: Bool) async throws {
        let (fixture, registry) = try await premises(rerunning: rerunning)
        let web = try await fixture.webTokens("openid read:timesheets offline_access")
        let selection = GivenSelection.byUser("alice", to: try fixture.client("web"))
        #expect(try await registry.consents(selection, at: Fixture.server, .all).total == 1)
        let withdrawn = try await registry.withdrawConsents(selection, at: Fixture.server, by: .operator, now: fixture.now)
        #expect(withdrawn == WithdrawnConsents(consents: 1, grants: 1))
        #expect(try await registry.consents(selection, at: Fixture.server, .all).total == 0)
        #expect(try await fixture.facts(of: web.accessToken) == .inactive)
        #expect(fixture.memory.audit.map(\.kind) == [.consentsWithdrawn, .grantsEnded])
    }

    /// What an operator does, and whether it is alice's.
    enum Ending: CaseIterable, Sendable {
        case all, ofAccount, ofClient, withdrawn, ofMary, ofAnotherClient

        var endsIt: Bool { self != .ofMary && self != .ofAnotherClient }
    }

    private func run(_ ending: Ending, _ registry: RegistryService, _ fixture: Fixture) async throws -> Int {
        func end(_ selection: GivenSelection) async throws -> Int {
            try await registry.endGrants(selection, at: Fixture.server, by: .operator, now: fixture.now)
        }
        switch ending {
        case .all: return try await end(.byUser("alice", to: nil))
        case .ofAccount: return try await end(.byAccount(Fixture.alice, to: try fixture.client("mobile")))
        case .ofClient: return try await end(.toClient(try fixture.client("mobile")))
        case .ofMary: return try await end(.byUser("mary", to: nil))
        case .ofAnotherClient: return try await end(.byAccount(Fixture.alice, to: try fixture.client("web")))
        case .withdrawn:
            let selection = GivenSelection.byUser("alice", to: nil)
            return try await registry.withdrawConsents(selection, at: Fixture.server, by: .operator, now: fixture.now).grants
        }
    }

    @Test(
        "A70: a yes on a phone that its client has not fetched ends with what an operator ends, as one of them, and nobody else's does",
        arguments: Ending.allCases, [false, true])
    func unfetched(_ ending: Ending, rerunning: Bool) async throws {
        let (fixture, registry) = try await premises(rerunning: rerunning)
        let asked = try fixture.call(["client_id": "mobile", "audience": fixture.timesheets.text, "scope": "openid offline_access read:timesheets"])
        let begun = try await fixture.services.devices.begin(asked, at: fixture.now)
        let question = try #require(try await fixture.approval.question(SHA(begun.deviceCode.utf8), at: Fixture.server, now: fixture.now))
        let session = try #require(
            try await fixture.services.devices.ask(question, LoginRequest(), by: Fixture.alice, at: Fixture.server, now: fixture.now))
        let login = Fixture.login(at: fixture.now, binding: .unboundLink, hasReturned: false)
        fixture.memory.change { $0.sessions[session] = login }
        #expect(try await run(ending, registry, fixture) == (ending.endsIt ? 1 : 0))
        #expect(fixture.memory.audit.filter { $0.kind == .grantsEnded }.count == (ending.endsIt ? 1 : 0))
        #expect(try await run(ending, registry, fixture) == 0, "none is left")
        let poll = try fixture.call(
            ["grant_type": GrantType.deviceCode.rawValue, "device_code": begun.deviceCode, "client_id": "mobile"])
        #expect(try await fixture.refusal(of: poll) == (ending.endsIt ? .denied : nil))
    }

    @Test("Withdrawn and given again within one login it is given anew: the new tokens are good, the old ones stay over", arguments: [false, true])
    func givenAgain(rerunning: Bool) async throws {
        let (fixture, registry) = try await premises(rerunning: rerunning)
        let web = try fixture.client("web")
        let before = try await fixture.webTokens("openid read:timesheets")
        _ = try await registry.withdrawConsents(.byUser("alice", to: web), at: Fixture.server, by: .operator, now: fixture.now)
        fixture.clock.advance(60)
        let since = try await fixture.webTokens("openid read:timesheets")
        #expect(try await fixture.facts(of: before.accessToken) == .inactive)
        #expect(try await fixture.facts(of: since.accessToken) != .inactive)
        let consent = try await fixture.store.read { rows in
            try rows.consent(of: Fixture.alice, to: web, for: fixture.timesheets, server: Fixture.server)
        }
        #expect(consent?.givenAt == fixture.now, "the moment of the newer yes")
    }

    @Test("Of twenty-one grants the one that was used longest ago ends, when the last is redeemed and not before", arguments: [false, true])
    func limit(rerunning: Bool) async throws {
        let (fixture, _) = try await premises(rerunning: rerunning)
        var tokens: [String?] = []
        for _ in 0..<GrantLimit.most {
            tokens.append(try await fixture.tokens().refreshToken)
            fixture.clock.advance(1)
        }
        // The first is used once more, so the second is the oldest.
        tokens[0] = try await fixture.answer(try fixture.refresh(tokens[0])).refreshToken
        // What nobody redeems takes nothing away.
        for _ in 0...GrantLimit.most { _ = try await fixture.code() }
        #expect(fixture.memory.audit.isEmpty)
        tokens.append(try await fixture.tokens().refreshToken)
        #expect(fixture.memory.audit.map(\.kind) == [.grantsEndedByLimit] && fixture.memory.audit.first?.account == Fixture.alice)
        for (index, token) in tokens.enumerated() {
            #expect(try await fixture.refusal(of: fixture.refresh(token)) == (index == 1 ? .grantOver : nil), "\(index)")
        }
    }

    @Test("A consent is one of an account, client, API and server: given again it is written over, and whatever differs in one of them is another")
    func oneConsent() async throws {
        let fixture = try await Fixture()
        let (web, mobile, other) = (try fixture.client("web"), try fixture.client("mobile"), Fixture.identifier(9, ServerKind.self))
        let first = Consent(account: Fixture.alice, client: web, api: fixture.timesheets, scopes: Fixture.scope("read:timesheets"))
        var again = first
        again.scopes = Fixture.scope("read:timesheets openid")
        again.givenAt = fixture.now
        let others = [
            Consent(account: Fixture.manager, client: web, api: fixture.timesheets, scopes: Fixture.scope("openid")),
            Consent(account: Fixture.alice, client: mobile, api: fixture.timesheets, scopes: Fixture.scope("profile")),
            Consent(account: Fixture.alice, client: web, api: nil, scopes: Fixture.scope("email")),
        ]
        let elsewhere = Consent(account: Fixture.alice, client: web, api: fixture.timesheets, scopes: [])
        let (saved, newest) = ([first] + others + [again], again)
        try await fixture.store.write { rows in
            for consent in saved { try rows.save(consent, of: Fixture.server) }
            try rows.save(elsewhere, of: other)
        }
        func found(_ consent: Consent, at server: ServerID = Fixture.server) async throws -> Consent? {
            try await fixture.store.read { rows in try rows.consent(of: consent.account, to: consent.client, for: consent.api, server: server) }
        }
        for consent in others + [newest] { #expect(try await found(consent) == consent) }
        #expect(try await found(first, at: other) == elsewhere)
        let gone = try await fixture.store.write { rows in try rows.removeConsents(.byAccount(Fixture.alice, to: web), at: Fixture.server) }
        #expect(gone == [Fixture.alice, Fixture.alice])
        for consent in [newest, others[2]] { #expect(try await found(consent) == nil) }
        for consent in others[..<2] { #expect(try await found(consent) == consent) }
        #expect(try await found(first, at: other) == elsewhere)
    }
}
