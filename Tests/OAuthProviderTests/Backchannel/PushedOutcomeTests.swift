import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("CIBA follows the session that asks on the phone")
struct PushedOutcomeTests {
    private typealias Fixture = ProviderFixture

    private func begin(_ fixture: ProviderFixture, _ changes: KeyValuePairs<String, String?> = [:]) async throws -> BackchannelService.Begun {
        let parameters = [Parameter("login_hint", "alice"), Parameter("scope", "openid")]
        let call = try Fixture.post(
            parameters.changed(changes), authorization: [Fixture.basic], address: "https://login.example/oauth/bc-authorize")
        return try await fixture.services.backchannel.begin(call, at: fixture.now)
    }

    private func poll(_ fixture: ProviderFixture, _ begun: BackchannelService.Begun) async throws -> TokenRefusal? {
        let parameters: KeyValuePairs<String, String?> = ["grant_type": GrantType.backchannel.rawValue, "auth_req_id": begun.requestID]
        do {
            _ = try await fixture.services.token.answer(try fixture.call(parameters, authorization: [Fixture.basic]), at: fixture.now)
            return nil
        } catch let refusal as TokenRefusal { return refusal }
    }

    @Test("A yes is tokens once, without anybody telling the provider of it; a second use takes them back")
    func approved() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        #expect(begun.rings && begun.authorization.session == begun.session)
        fixture.memory.change { $0.pushed[begun.session] = .undecided }
        #expect(try await poll(fixture, begun) == .pending)
        fixture.clock.advance(5)
        let login = Fixture.login(at: fixture.now)
        fixture.memory.change { $0.sessions[begun.session] = login }
        #expect(try await poll(fixture, begun) == nil)
        #expect(try await poll(fixture, begun) == .polledSpent)
    }

    @Test("A no is access_denied, and so is a login that is not as strong as the client asks")
    func denied() async throws {
        let fixture = try await ProviderFixture()
        let refused = try await begin(fixture)
        fixture.memory.change { $0.pushed[refused.session] = .denied }
        #expect(try await poll(fixture, refused) == .denied)
        let weak = try await begin(fixture, ["acr_values": "phr"])
        let login = Fixture.login(at: fixture.now)
        fixture.memory.change { $0.sessions[weak.session] = login }
        #expect(try await poll(fixture, weak) == .denied)
    }

    @Test("What a phone may still decide is pending after its end, and over when nobody did; a yes of then is good")
    func late() async throws {
        let fixture = try await ProviderFixture()
        let (claimed, left) = (try await begin(fixture, ["requested_expiry": "60"]), try await begin(fixture, ["requested_expiry": "60"]))
        fixture.memory.change { people in
            people.pushed[claimed.session] = .undecided
            people.pushed[left.session] = .over
        }
        fixture.clock.advance(120)
        #expect(try await poll(fixture, left) == .polledExpired)
        #expect(try await poll(fixture, claimed) == .pending)
        fixture.clock.advance(60)
        let login = Fixture.login(at: fixture.now)
        fixture.memory.change { $0.sessions[claimed.session] = login }
        #expect(try await poll(fixture, claimed) == nil)
    }
}
