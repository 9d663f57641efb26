import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("A device's code that a phone has brought follows the session in which the phone decides")
struct BroughtCodeTests {
    private typealias Fixture = ProviderFixture
    private static let bob = Fixture.identifier(3, AccountKind.self)

    /// A code, and what it asks as the phone is to be shown it.
    private struct Brought: Sendable {
        let begun: DeviceService.Begun
        let question: PolledQuestion
    }

    private func begin(
        _ fixture: ProviderFixture, _ changes: KeyValuePairs<String, String?> = [:], authorization: [String] = []
    ) async throws -> Brought {
        let parameters = [
            Parameter("client_id", "mobile"), Parameter("audience", fixture.timesheets.text), Parameter("scope", "openid read:timesheets"),
        ]
        let call = try Fixture.post(parameters.changed(changes), authorization: authorization)
        let begun = try await fixture.services.devices.begin(call, at: fixture.now)
        let question = try await fixture.approval.question(SHA(begun.deviceCode.utf8), at: Fixture.server, now: fixture.now)
        return Brought(begun: begun, question: try #require(question))
    }

    private func ask(_ fixture: ProviderFixture, _ brought: Brought, by account: AccountID = Fixture.alice) async throws -> SessionID? {
        try await fixture.services.devices.ask(brought.question, LoginRequest(), by: account, at: Fixture.server, now: fixture.now)
    }

    private func poll(_ fixture: ProviderFixture, _ brought: Brought) throws -> TokenCall {
        try fixture.call(
            ["grant_type": GrantType.deviceCode.rawValue, "device_code": brought.begun.deviceCode, "client_id": "mobile"])
    }

    @Test("Whoever brings it is shown the one session that is open; a yes in it is tokens once", arguments: [false, true])
    func approved(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let brought = try await begin(fixture)
        let session = try #require(try await ask(fixture, brought))
        #expect(try await ask(fixture, brought, by: Self.bob) == session)
        #expect(try await fixture.refusal(of: poll(fixture, brought)) == .pending)
        fixture.clock.advance(5)
        let login = Fixture.login(at: fixture.now, binding: .unboundLink, hasReturned: false)
        fixture.memory.change { $0.sessions[session] = login }
        let response = try await fixture.answer(poll(fixture, brought))
        #expect(response.scopes.text == "openid read:timesheets")
        #expect(try fixture.idClaims(response.idToken)["acr"]?.string == "mfa")
        #expect(try await fixture.refusal(of: poll(fixture, brought)) == .polledSpent)
        #expect(try await ask(fixture, brought) == nil, "it is over")
    }

    @Test("A no is access_denied; a session that ran out leaves the code to the next, as long as it waits", arguments: [false, true])
    func ends(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let (refused, left) = (try await begin(fixture), try await begin(fixture))
        let (no, old) = (try #require(try await ask(fixture, refused)), try #require(try await ask(fixture, left)))
        fixture.memory.change { people in
            people.pushed[no] = .denied
            people.pushed[old] = .over
        }
        #expect(try await ask(fixture, refused) == nil)
        #expect(try await fixture.refusal(of: poll(fixture, refused)) == .denied)
        #expect(try await fixture.refusal(of: poll(fixture, left)) == .pending)
        let next = try #require(try await ask(fixture, left))
        #expect(next != old)
        fixture.clock.advance(601)
        #expect(try await ask(fixture, left) == nil)
        // The session of the next is decided yet, for all that the provider knows.
        #expect(try await fixture.refusal(of: poll(fixture, left)) == .pending)
        fixture.memory.change { $0.pushed[next] = .over }
        fixture.clock.advance(5)
        #expect(try await fixture.refusal(of: poll(fixture, left)) == .polledExpired)
    }

    @Test("Another phone's claim is waited for; the phone of the claim has it anew, and so has any after that one gave up", arguments: [false, true])
    func taken(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let brought = try await begin(fixture)
        let first = try #require(try await ask(fixture, brought))
        fixture.memory.change { $0.takers[first] = .account(Fixture.alice, gaveUp: false) }
        await #expect(throws: CodeTaken()) { try await ask(fixture, brought, by: Self.bob) }
        let second = try #require(try await ask(fixture, brought))
        #expect(second != first)
        #expect(try await fixture.store.read { rows in try rows.outcome(ofPushed: first, at: Fixture.server, now: fixture.now) } == .over)
        fixture.memory.change { $0.takers[second] = .account(Fixture.alice, gaveUp: true) }
        let third = try #require(try await ask(fixture, brought, by: Self.bob))
        #expect(third != second)
    }

    @Test("Page and phone decide one code once: who comes first has it, and the session of the other is over", arguments: [false, true])
    func page(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let (onPage, onPhone) = (try await begin(fixture), try await begin(fixture))
        let (idle, decided) = (try #require(try await ask(fixture, onPage)), try #require(try await ask(fixture, onPhone)))
        func approve(_ brought: Brought) async throws -> PolledAuthorization? {
            try await fixture.approval.approve(
                brought.question.authorization.hash, at: Fixture.server, scopes: Fixture.scope("openid"), session: Fixture.session,
                now: fixture.now)
        }
        #expect(try await approve(onPage)?.grant != nil)
        #expect(try await fixture.store.read { rows in try rows.outcome(ofPushed: idle, at: Fixture.server, now: fixture.now) } == .over)
        let login = Fixture.login(at: fixture.now)
        fixture.memory.change { $0.sessions[decided] = login }
        #expect(try await approve(onPhone) == nil)
        #expect(
            try await fixture.approval.deny(onPhone.question.authorization.hash, at: Fixture.server, account: Fixture.alice, now: fixture.now) == nil)
        #expect(try await fixture.answer(poll(fixture, onPage)).scopes.text == "openid")
        #expect(try await fixture.answer(poll(fixture, onPhone)).scopes.text == "openid read:timesheets")
    }

    @Test("What an operator writes of client or API between the question and its session begins none: nobody is shown words of before")
    func changed() async throws {
        let fixture = try await ProviderFixture()
        let brought = try await begin(fixture)
        try await fixture.change("mobile") { $0.name = "Bank" }
        #expect(try await ask(fixture, brought) == nil)
        let again = try await fixture.approval.question(brought.question.authorization.hash, at: Fixture.server, now: fixture.now)
        #expect(try await ask(fixture, Brought(begun: brought.begun, question: try #require(again))) != nil)
    }

    @Test("Of what the client asks an account is given what its roles permit, and one that may nothing of it nothing")
    func permissions() async throws {
        let fixture = try await ProviderFixture()
        func outcome(_ scope: String, of account: AccountID) async throws -> (byPhone: String, onPage: String) {
            let (phone, page) = (try await begin(fixture, ["scope": scope]), try await begin(fixture, ["scope": scope]))
            let session = try #require(try await ask(fixture, phone, by: account))
            let login = Fixture.login(account, at: fixture.now)
            fixture.memory.change { $0.sessions[session] = login }
            fixture.logIn(login)
            _ = try await fixture.approval.approve(
                page.question.authorization.hash, at: Fixture.server, scopes: Fixture.scope(scope), session: Fixture.session, now: fixture.now)
            var told: [String] = []
            for brought in [phone, page] {
                do { told.append(try await fixture.answer(poll(fixture, brought)).scopes.text) } catch let refusal as TokenRefusal {
                    told.append("\(refusal)")
                }
            }
            return (told[0], told[1])
        }
        let (manager, page) = try await outcome("openid approve:timesheets create:timesheets", of: Fixture.manager)
        #expect(manager == page && !manager.contains("create:timesheets") && manager.contains("approve:timesheets"))
        let (nothing, same) = try await outcome("approve:timesheets", of: Fixture.alice)
        #expect(nothing == same && !nothing.contains("approve:timesheets"))
    }

    /// What an operator does.
    enum Change: CaseIterable, Sendable {
        case removed, disabled, renamed, apiReworded, apiRemoved
    }

    @Test("What an operator writes of client or API ends what phones show of it; another's goes on, and so does a yes", arguments: Change.allCases)
    func ended(_ change: Change) async throws {
        let fixture = try await ProviderFixture()
        let (open, agreed) = (try await begin(fixture), try await begin(fixture))
        let (asked, said) = (try #require(try await ask(fixture, open)), try #require(try await ask(fixture, agreed)))
        let other = try await begin(fixture, ["client_id": nil, "audience": nil, "scope": "openid"], authorization: [Fixture.basic])
        let others = try #require(try await ask(fixture, other))
        let login = Fixture.login(at: fixture.now)
        fixture.memory.change { $0.sessions[said] = login }
        let registry = RegistryService(store: fixture.store, random: fixture.random)
        var client = try await registry.application(try fixture.client("mobile"), of: Fixture.server)
        var api = try await registry.api(fixture.timesheets, of: Fixture.server)
        switch change {
        case .removed: try await registry.remove(.application(client.id), at: Fixture.server, by: .operator, now: fixture.now)
        case .apiRemoved: try await registry.remove(.api(api.identifier), at: Fixture.server, by: .operator, now: fixture.now)
        case .disabled, .renamed:
            if change == .disabled { client.isEnabled = false } else { client.name = "Bank" }
            _ = try await registry.apply(RegistryDocument(applications: [client]), at: Fixture.server, by: .operator, now: fixture.now)
        case .apiReworded:
            api.scopes = api.scopes.map { APIScope($0.scope, words: "read everything") }
            _ = try await registry.apply(RegistryDocument(apis: [api]), at: Fixture.server, by: .operator, now: fixture.now)
        }
        func outcome(_ session: SessionID) async throws -> PushedOutcome? {
            try await fixture.store.read { rows in try rows.outcome(ofPushed: session, at: Fixture.server, now: fixture.now) }
        }
        #expect(try await outcome(asked) == .over)
        #expect(try await outcome(said) == .loggedIn(login))
        #expect(try await outcome(others) == .undecided)
    }

    @Test("A trial of what an operator would write ends nothing, and neither does writing what stands there")
    func trial() async throws {
        let fixture = try await ProviderFixture()
        let brought = try await begin(fixture)
        let session = try #require(try await ask(fixture, brought))
        let registry = RegistryService(store: fixture.store, random: fixture.random)
        var client = try await registry.application(try fixture.client("mobile"), of: Fixture.server)
        _ = try await registry.apply(RegistryDocument(applications: [client]), at: Fixture.server, by: .operator, now: fixture.now)
        client.name = "Bank"
        let renamed = RegistryDocument(applications: [client])
        _ = try await registry.apply(renamed, isTrial: true, at: Fixture.server, by: .operator, now: fixture.now)
        let outcome = try await fixture.store.read { rows in try rows.outcome(ofPushed: session, at: Fixture.server, now: fixture.now) }
        #expect(outcome == .undecided)
    }
}
