import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("What a client asked on phones ends when it may ask no more")
struct EndedQuestionTests {
    private typealias Fixture = ProviderFixture

    /// What an operator does to the client.
    enum Change: CaseIterable, Sendable {
        case removed, left, disabled, notByPhone

        var keepsIt: Bool { self == .disabled || self == .notByPhone }
    }

    private func begin(_ fixture: ProviderFixture) async throws -> BackchannelService.Begun {
        let parameters = [Parameter("login_hint", "alice"), Parameter("scope", "openid")]
        let call = try Fixture.post(parameters, authorization: [Fixture.basic], address: "https://login.example/oauth/bc-authorize")
        return try await fixture.services.backchannel.begin(call, at: fixture.now)
    }

    private func poll(_ fixture: ProviderFixture, _ begun: BackchannelService.Begun) async throws -> TokenRefusal? {
        try await fixture.refusal(
            of: try fixture.call(
                ["grant_type": GrantType.backchannel.rawValue, "auth_req_id": begun.requestID], authorization: [Fixture.basic]))
    }

    private func apply(_ change: Change, to fixture: ProviderFixture) async throws {
        let registry = RegistryService(store: fixture.store, random: fixture.random)
        var client = try await registry.application(try fixture.client("web"), of: Fixture.server)
        switch change {
        case .removed: return try await registry.remove(.application(client.id), at: Fixture.server, by: .operator, now: fixture.now)
        case .left:
            let nothing = RegistryDocument(applications: [])
            _ = try await registry.apply(nothing, prunes: true, at: Fixture.server, by: .operator, now: fixture.now)
            return
        case .disabled: client.isEnabled = false
        case .notByPhone:
            client.grantTypes.remove(.backchannel)
            client.backchannel = nil
        }
        _ = try await registry.apply(RegistryDocument(applications: [client]), at: Fixture.server, by: .operator, now: fixture.now)
    }

    private func outcome(_ fixture: ProviderFixture, _ begun: BackchannelService.Begun) async throws -> PushedOutcome? {
        try await fixture.store.read { rows in try rows.outcome(ofPushed: begun.session, at: Fixture.server, now: fixture.now) }
    }

    @Test(
        "Removed, left out of a document, switched off or not asking any more: on the phone it is over, whether its session has begun or not",
        arguments: Change.allCases, [false, true])
    func ended(_ change: Change, rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let (ringing, beginning) = (try await begin(fixture), try await begin(fixture))
        fixture.memory.change { $0.pushed[ringing.session] = .undecided }
        try await apply(change, to: fixture)
        #expect(try await outcome(fixture, ringing) == .over)
        #expect(try await outcome(fixture, beginning) == .over)
        guard change.keepsIt else { return }
        try await fixture.change("web") {
            $0.isEnabled = true
            $0.grantTypes.insert(.backchannel)
            $0.backchannel = .poll
        }
        for begun in [ringing, beginning] { #expect(try await poll(fixture, begun) == .denied) }
    }

    @Test("A yes that the client has not fetched waits while it is switched off, and what nobody decided in time is no “no” for it")
    func left() async throws {
        let fixture = try await ProviderFixture()
        let (approved, late) = (try await begin(fixture), try await begin(fixture))
        let login = Fixture.login(at: fixture.now)
        fixture.memory.change {
            $0.sessions[approved.session] = login
            $0.pushed[late.session] = .over
        }
        try await apply(.disabled, to: fixture)
        try await fixture.change("web") { $0.isEnabled = true }
        #expect(try await poll(fixture, approved) == nil)
        #expect(try await poll(fixture, late) == .pending, "its time is not over, and nobody said no")
    }

    @Test("What an operator writes otherwise of a client ends none of its questions, and neither does a trial")
    func changedOtherwise() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        fixture.memory.change { $0.pushed[begun.session] = .undecided }
        let registry = RegistryService(store: fixture.store, random: fixture.random)
        var client = try await registry.application(try fixture.client("web"), of: Fixture.server)
        client.name = "Reports and more"
        _ = try await registry.apply(RegistryDocument(applications: [client]), at: Fixture.server, by: .operator, now: fixture.now)
        client.isEnabled = false
        let off = RegistryDocument(applications: [client])
        _ = try await registry.apply(off, isTrial: true, at: Fixture.server, by: .operator, now: fixture.now)
        #expect(try await outcome(fixture, begun) == .undecided)
        #expect(try await poll(fixture, begun) == .pending)
    }
}
