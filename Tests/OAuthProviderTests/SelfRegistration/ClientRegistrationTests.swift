import Authentication
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import OAuthProvider

@Suite("Clients that register themselves, RFC 7591 §3")
struct ClientRegistrationTests {
    private typealias Fixture = ProviderFixture
    private static let usual = #"{"redirect_uris":["https://rp.example/cb"],"client_name":"Tool"}"#

    /// A provider at which clients may register this way.
    private func premises(_ mode: RegistrationPolicy.Mode, most: Int = 100, rerunning: Bool = false) async throws -> Fixture {
        let fixture = try await Fixture(rerunning: rerunning)
        var policy = RegistrationPolicy(server: Fixture.server)
        policy.mode = mode
        policy.most = most
        policy.apis = [fixture.timesheets: Fixture.scope("read:timesheets")]
        try await registry(fixture).setRegistration(policy, by: .operator, now: fixture.now)
        return fixture
    }

    private func registry(_ fixture: Fixture) -> RegistryService { RegistryService(store: fixture.store, random: fixture.random) }

    private func register(
        _ fixture: Fixture, token: String? = nil, _ json: String = usual, type: String? = "application/json", services: OAuthServices? = nil,
        from place: CallPlace = .unknown
    ) async throws -> RegisteredClient {
        let call = RegistrationCall(
            server: Fixture.server, authorization: token.map { ["Bearer \($0)"] } ?? [], contentType: type, body: Array(json.utf8), from: place)
        return try await (services ?? fixture.services).registration.register(call, at: fixture.now)
    }

    private func refusal(_ fixture: Fixture, token: String? = nil, _ json: String = usual, type: String? = "application/json") async throws
        -> RegistrationRefusal?
    {
        do { _ = try await register(fixture, token: token, json, type: type) } catch let refusal as RegistrationRefusal { return refusal }
        return nil
    }

    private func standing(_ fixture: Fixture) async throws -> RegistrationStanding {
        try await registry(fixture).registration(at: Fixture.server, now: fixture.now)
    }

    @Test("Nobody registers before an operator says so, also with a token of before, and not after they took it back")
    func closed() async throws {
        let fixture = try await Fixture()
        #expect(try await standing(fixture).policy.mode == .closed)
        let token = try await registry(fixture).drawInitialToken(at: Fixture.server, life: 60, uses: 9, by: .operator, now: fixture.now).text
        #expect(try await refusal(fixture, token: token) == .closed)
        var policy = RegistrationPolicy(server: Fixture.server)
        policy.mode = .token
        try await registry(fixture).setRegistration(policy, by: .operator, now: fixture.now)
        #expect(try await refusal(fixture, token: token) == nil)
        policy.mode = .closed
        try await registry(fixture).setRegistration(policy, by: .operator, now: fixture.now)
        #expect(try await refusal(fixture, token: token) == .closed)
    }

    @Test("A token is good until its end, for as many clients as it was drawn for; what is refused uses none of it", arguments: [false, true])
    func tokens(rerunning: Bool) async throws {
        let fixture = try await premises(.token, rerunning: rerunning)
        let token = try await registry(fixture).drawInitialToken(at: Fixture.server, life: 60, uses: 2, by: .operator, now: fixture.now).text
        #expect(try await refusal(fixture) == .tokenMissing)
        #expect(try await refusal(fixture, token: "") == .tokenMissing)
        #expect(try await refusal(fixture, token: "\(token)x") == .tokenWrong)
        // Who may not register hears nothing of what they sent.
        #expect(try await refusal(fixture, token: "wrong", "{") == .tokenWrong)
        for bad in ["{", "[]", #"{"redirect_uris":["http://rp.example/"]}"#] { #expect(try await refusal(fixture, token: token, bad) != nil) }
        #expect(try await refusal(fixture, token: token, type: "application/x-www-form-urlencoded") == .bodyWrong)
        #expect(try await standing(fixture).tokens == 1)
        let first = try await register(fixture, token: token)
        let second = try await register(fixture, token: token)
        #expect(first.application.id != second.application.id && first.secret?.text != second.secret?.text)
        #expect(try await refusal(fixture, token: token) == .tokenWrong)
        #expect(try await standing(fixture).clients == 2)
        #expect(try await standing(fixture).tokens == 0)
        let late = try await registry(fixture).drawInitialToken(at: Fixture.server, life: 60, uses: 2, by: .operator, now: fixture.now).text
        fixture.clock.advance(60)
        #expect(try await refusal(fixture, token: late) == .tokenWrong)
        let ended = try await registry(fixture).drawInitialToken(at: Fixture.server, life: 60, uses: 2, by: .operator, now: fixture.now).text
        try await registry(fixture).endInitialTokens(at: Fixture.server, by: .operator, now: fixture.now)
        #expect(try await refusal(fixture, token: ended) == .tokenWrong)
    }

    @Test("The answer has everything as it is, and the secret that is good; what the store keeps is its hash")
    func answered() async throws {
        let fixture = try await premises(.open)
        let client = try await register(fixture)
        let json = client.json
        let secret = try #require(json["client_secret"]?.string)
        #expect(secret.utf8.count == 43 && json["client_secret_expires_at"] == .integer(0))
        #expect(json["client_id_issued_at"] == .integer(Int64(fixture.now.seconds)) && json["client_name"]?.string == "Tool")
        #expect(json["token_endpoint_auth_method"]?.string == "client_secret_basic" && json["grant_types"]?.strings == ["authorization_code"])
        #expect(json["response_types"]?.strings == ["code"] && json["scope"]?.string == "openid profile email read:timesheets")
        let id = try #require(ClientID(json["client_id"]?.string ?? ""))
        let kept = try #require(try await fixture.store.read { rows in try rows.application(id, of: Fixture.server) })
        #expect(kept == client.application && kept.secrets[0].isOf(secret, at: fixture.now) && !"\(client)".contains(secret))
        #expect(fixture.memory.audit.last?.kind == .applicationSaved && fixture.memory.audit.last?.actor == .client)
        let open = try await register(fixture, #"{"redirect_uris":["com.example.tool:/cb"],"token_endpoint_auth_method":"none"}"#)
        #expect(open.json["client_secret"] == nil && open.json["client_secret_expires_at"] == nil)
        // Discovery names it, and its key comes with the first who asks.
        let other = try await register(fixture, #"{"redirect_uris":["https://rp.example/cb"],"id_token_signed_response_alg":"RS256"}"#)
        #expect(other.application.idTokenAlgorithm == .rs256)
    }

    @Test("Who registered asks its people: at the first time for everything, and for nothing that was not opened")
    func consent() async throws {
        let fixture = try await premises(.open)
        try await fixture.changeAPI { $0.checksPermissions = false }
        let id = try await register(fixture).application.id.text
        let changes: KeyValuePairs<String, String?> = [
            "client_id": id, "redirect_uri": "https://rp.example/cb", "scope": "openid read:timesheets approve:timesheets offline_access",
        ]
        let request = try await fixture.request(fixture.authorization(changes))
        #expect(request.scopes.text == "openid read:timesheets")
        let visit = AuthorizeVisit(askedAt: Fixture.start + 1, session: Fixture.session)
        #expect(try await fixture.authorize.next(for: request, visit, now: fixture.now) == .consent(request.scopes))
    }

    @Test("What is wrong with its requests is told to the person, and the browser is led nowhere; of a client of the operator's it is told to that")
    func redirects() async throws {
        let fixture = try await premises(.open)
        let id = try await register(fixture).application.id
        let changes: KeyValuePairs<String, String?> = [
            "client_id": id.text, "redirect_uri": "https://rp.example/cb", "scope": "openid", "prompt": "now",
        ]
        guard case .page(.promptUnknown) = try await fixture.outcome(fixture.authorization(changes)) else {
            Issue.record("the browser was led away")
            return
        }
        let good = try await fixture.request(
            fixture.authorization(["client_id": id.text, "redirect_uri": "https://rp.example/cb", "scope": "openid", "prompt": "none"]))
        func begin(_ request: AuthorizationRequest) async throws -> AuthorizeBeginning {
            try await fixture.authorize.begin(request, AuthorizeVisit(askedAt: fixture.now, session: nil), now: fixture.now)
        }
        #expect(try await begin(good) == .page(.loginRequired))
        #expect(try await begin(fixture.request(fixture.authorization(["prompt": "none"]))) == .step(.refuse(.loginRequired)))
        _ = try await registry(fixture).apply(
            RegistryDocument(applications: [good.application]), at: Fixture.server, by: .operator, now: fixture.now)
        guard case .redirect(.promptUnknown, _) = try await fixture.outcome(fixture.authorization(changes)) else {
            Issue.record("the operator's client was not told")
            return
        }
        #expect(try await begin(good) == .step(.refuse(.loginRequired)))
    }

    @Test("No more register than there may be at a time; one that is removed makes room", arguments: [false, true])
    func cap(rerunning: Bool) async throws {
        let fixture = try await premises(.open, most: 2, rerunning: rerunning)
        let first = try await register(fixture).application.id
        _ = try await register(fixture)
        #expect(try await refusal(fixture) == .full)
        #expect(RegistrationRefusal.full.answer == .unavailable("as many clients are registered as there may be", after: 3_600))
        for refusal in [RegistrationRefusal.full, .changed] { #expect(refusal.answer.status == 503 && refusal.answer.retryAfter != nil) }
        #expect(RegistrationRefusal.tooOften(seconds: 7).answer.status == 429)
        try await registry(fixture).remove(.application(first), at: Fixture.server, by: .operator, now: fixture.now)
        #expect(try await refusal(fixture) == nil)
    }

    @Test("A commit that nobody heard of registers one client and tells its secret; the token is used once")
    func lostCommit() async throws {
        let fixture = try await premises(.token)
        let token = try await registry(fixture).drawInitialToken(at: Fixture.server, life: 60, uses: 2, by: .operator, now: fixture.now).text
        let client = try await register(fixture, token: token, services: fixture.services(interruptedBy: {}))
        #expect(try await standing(fixture).clients == 1)
        #expect(try await standing(fixture).tokens == 1)
        let id = client.application.id
        let kept = try #require(try await fixture.store.read { rows in try rows.application(id, of: Fixture.server) })
        let secret = try #require(client.secret)
        #expect(kept.secrets[0].isOf(secret.text, at: fixture.now))
    }

    @Test("A document prunes none of them; what an operator writes is the operator's, and counts no more")
    func operators() async throws {
        let fixture = try await premises(.open)
        let client = try await register(fixture).application
        let outcome = try await registry(fixture).apply(
            RegistryDocument(applications: []), prunes: true, at: Fixture.server, by: .operator, now: fixture.now)
        #expect(outcome.changes.count == 3)
        #expect(try await registry(fixture).application(client.id, of: Fixture.server) == client)
        _ = try await registry(fixture).apply(
            RegistryDocument(applications: [client]), at: Fixture.server, by: .operator, now: fixture.now)
        #expect(try await standing(fixture).clients == 0)
        _ = try await registry(fixture).apply(
            RegistryDocument(applications: []), prunes: true, at: Fixture.server, by: .operator, now: fixture.now)
        await #expect(throws: UnknownRegistryItem(.application(client.id))) {
            try await registry(fixture).application(client.id, of: Fixture.server)
        }
    }

    @Test("What is opened is there: an API or scope that is none is refused, and one that goes is forgotten")
    func opened() async throws {
        let fixture = try await premises(.open)
        var policy = try await standing(fixture).policy
        let none = try #require(APIIdentifier("urn:none"))
        policy.apis = [none: []]
        await #expect(throws: RegistrationPolicyRefusal.apiUnknown(none)) {
            try await registry(fixture).setRegistration(policy, by: .operator, now: fixture.now)
        }
        policy.apis = [fixture.timesheets: Fixture.scope("raed:timesheets")]
        await #expect(throws: RegistrationPolicyRefusal.scopeUnknown(fixture.timesheets, try #require(Scope("raed:timesheets")))) {
            try await registry(fixture).setRegistration(policy, by: .operator, now: fixture.now)
        }
        for (most, days) in [(0, 30), (1_001, 30), (1, 0), (1, 366)] {
            policy.apis = [:]
            (policy.most, policy.unusedDays) = (most, days)
            await #expect(throws: RegistrationPolicyRefusal.self) {
                try await registry(fixture).setRegistration(policy, by: .operator, now: fixture.now)
            }
        }
        try await registry(fixture).remove(.api(fixture.timesheets), at: Fixture.server, by: .operator, now: fixture.now)
        #expect(try await standing(fixture).policy.apis.isEmpty)
        #expect(try await register(fixture).application.apis.isEmpty)
    }

    @Test("The metadata names the endpoint while clients may register")
    func metadata() async throws {
        let fixture = try await premises(.token)
        let address = "\(Fixture.issuer)/oauth/register"
        #expect(try await fixture.services.discovery.metadata(at: Fixture.server).json["registration_endpoint"] == .string(address))
        try await registry(fixture).setRegistration(RegistrationPolicy(server: Fixture.server), by: .operator, now: fixture.now)
        #expect(try await fixture.services.discovery.metadata(at: Fixture.server).json["registration_endpoint"] == nil)
    }

    @Test("The attack of a stranger who fills the list: one place registers so many in a day, also at once, and others go on")
    func fillsTheList() async throws {
        let fixture = try await premises(.open)
        let services = OAuthServices(store: fixture.store, keyring: fixture.keyring, random: fixture.random, registrationsByPlace: 5)
        let (stranger, other) = (CallPlace("192.0.2.1"), CallPlace("192.0.2.2"))
        // What is refused counts for nothing.
        for _ in 0..<9 {
            await #expect(throws: RegistrationRefusal.bodyWrong) { try await register(fixture, "{", services: services, from: stranger) }
        }
        let registered = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { (try? await register(fixture, services: services, from: stranger)) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(registered == 5)
        fixture.clock.advance(86_399)
        await #expect(throws: RegistrationRefusal.tooOften(seconds: 1)) { try await register(fixture, services: services, from: stranger) }
        _ = try await register(fixture, services: services, from: other)
        fixture.clock.advance(1)
        _ = try await register(fixture, services: services, from: stranger)
        #expect(try await standing(fixture).clients == 7)
    }

    @Test("Whom an operator gave a token registers as many as it is for, from one place too")
    func manyByToken() async throws {
        let fixture = try await premises(.token)
        let services = OAuthServices(store: fixture.store, keyring: fixture.keyring, random: fixture.random, registrationsByPlace: 1)
        let token = try await registry(fixture).drawInitialToken(at: Fixture.server, life: 60, uses: 3, by: .operator, now: fixture.now).text
        for _ in 0..<3 { _ = try await register(fixture, token: token, services: services) }
        await #expect(throws: RegistrationRefusal.tokenWrong) { try await register(fixture, token: token, services: services) }
    }
}
