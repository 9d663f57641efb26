import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("What has to happen before a code")
struct AuthorizeDecisionTests {
    private typealias Fixture = ProviderFixture

    /// What comes next for a request that came at the beginning of time, with a login.
    private func next(
        _ changes: KeyValuePairs<String, String?> = [:], login: Login? = Fixture.login(), consented: ScopeSet? = nil, isConfirmed: Bool = false,
        after seconds: UInt64 = 0, _ change: (ProviderFixture) async throws -> Void = { _ in }
    ) async throws -> AuthorizeStep {
        let fixture = try await ProviderFixture()
        try await change(fixture)
        let request = try await fixture.request(fixture.authorization(changes))
        fixture.clock.advance(seconds)
        fixture.logIn(login)
        return try await fixture.authorize.next(
            for: request, fixture.visit(askedAt: Fixture.start, consented: consented, isConfirmed: isConfirmed), now: fixture.now)
    }

    @Test("Without a login the phone is asked, as strongly as the request says")
    func noLogin() async throws {
        #expect(try await next(login: nil) == .logIn(.policy))
        #expect(try await next(["prompt": "login"], login: nil) == .logIn(.always))
        #expect(try await next(["max_age": "60"], login: nil) == .logIn(.fresh(60)))
        #expect(try await next(["acr_values": "mfa"], login: nil) == .logIn(.fresh(.max)))
        #expect(try await next(["acr_values": "sf mfa"], login: nil) == .logIn(.policy))
    }

    @Test("authz_prompt_none_not_logged_in: login_required")
    func promptNone() async throws {
        #expect(try await next(["prompt": "none"], login: nil) == .refuse(.loginRequired))
        #expect(AuthorizeRefusal.loginRequired.code == .loginRequired)
        // Somebody is, and there is nothing to ask.
        guard case .give = try await next(["prompt": "none"], login: Fixture.login(at: Fixture.start - 1_000)) else {
            Issue.record("the login was not taken")
            return
        }
    }

    @Test(
        "What a client would hear at the beginning is told on a page where it registered itself; what its person sees first is as for every other")
    func beginning() async throws {
        for isRegistered in [false, true] {
            let fixture = try await ProviderFixture()
            let client = try fixture.client("mobile")
            if isRegistered { try await fixture.store.write { rows in try rows.noteRegistered(client, of: Fixture.server, at: Fixture.start) } }
            func begin(_ prompt: String?, _ login: Login?) async throws -> AuthorizeBeginning {
                let request = try await fixture.request(fixture.authorization(["prompt": prompt]))
                fixture.logIn(login)
                return try await fixture.authorize.begin(request, fixture.visit(askedAt: Fixture.start), now: fixture.now)
            }
            #expect(try await begin("none", nil) == (isRegistered ? .page(.loginRequired) : .step(.refuse(.loginRequired))))
            #expect(try await begin(nil, nil) == .step(.logIn(.policy)))
            guard case .step(.give) = try await begin("none", Fixture.login(at: Fixture.start - 1_000)) else {
                Issue.record("the login was not taken")
                return
            }
        }
    }

    @Test("prompt=login and prompt=select_account want a login of their own")
    func freshLogin() async throws {
        let before = Fixture.login(at: Fixture.start - 1)
        for prompt in ["login", "select_account"] {
            guard case .logIn = try await next(["prompt": prompt], login: before) else {
                Issue.record("\(prompt) took a login of before")
                continue
            }
            guard case .give = try await next(["prompt": prompt], login: Fixture.login(at: Fixture.start + 5), after: 9) else {
                Issue.record("\(prompt) did not take a login of its own")
                continue
            }
        }
    }

    @Test("authz_max_age_1_forces_login: what counts is when the person proved themself, a remembered factor is as old as its proof")
    func maxAge() async throws {
        let old = Fixture.login(at: Fixture.start - 2)
        #expect(try await next(["max_age": "1"], login: old) == .logIn(.fresh(1)))
        guard case .give = try await next(["max_age": "10000"], login: old) else {
            Issue.record("a login of two seconds is too old for 10000")
            return
        }
        let remembered = Fixture.login(at: Fixture.start - 2, verifiedAt: Fixture.start - 500)
        #expect(try await next(["max_age": "60"], login: remembered) == .logIn(.fresh(60)))
        #expect(try await next(["max_age": "60", "prompt": "none"], login: remembered) == .refuse(.loginRequired))
    }

    @Test("max_age=0 is prompt=login: who logged in before does it anew, and be it in this very second; who did it for the request need not")
    func maxAgeOfNothing() async throws {
        let fixture = try await ProviderFixture()
        fixture.logIn(Fixture.login(at: fixture.now))
        let (asked, silent) = (
            try await fixture.request(fixture.authorization(["max_age": "0"])),
            try await fixture.request(fixture.authorization(["max_age": "0", "prompt": "none"]))
        )
        // As `VisitArrival` has it of whoever was logged in when the request came.
        let before = fixture.visit(askedAt: fixture.now + 1)
        #expect(try await fixture.authorize.next(for: asked, before, now: fixture.now) == .logIn(.always))
        #expect(try await fixture.authorize.next(for: silent, before, now: fixture.now) == .refuse(.loginRequired))
        guard case .give = try await fixture.authorize.next(for: asked, fixture.visit(askedAt: fixture.now), now: fixture.now) else {
            Issue.record("a login for the request was not taken")
            return
        }
    }

    @Test("A login for the request is new enough, however long its person then reads")
    func reading() async throws {
        guard case .give = try await next(["max_age": "0"], login: Fixture.login(at: Fixture.start + 5), after: 300) else {
            Issue.record("the person would be asked again and again")
            return
        }
    }

    @Test("acr_values=phr is met by nothing weaker: first the phone is asked, then the client is told")
    func strength() async throws {
        let scanned = Fixture.login(at: Fixture.start - 5)
        #expect(try await next(["acr_values": "phr"], login: scanned) == .logIn(.fresh(.max)))
        #expect(try await next(["acr_values": "phr"], login: Fixture.login(at: Fixture.start + 5)) == .refuse(.requirementsUnmet))
        let sameDevice = Fixture.login(at: Fixture.start - 5, binding: .returnCode)
        guard case .give = try await next(["acr_values": "phr"], login: sameDevice) else {
            Issue.record("a login by the same device is phr")
            return
        }
        #expect(AuthorizeRefusal.requirementsUnmet.code == .unmetAuthenticationRequirements)
    }

    @Test(
        "A24 an offline code is one factor: it is no second one, never phishing-resistant, whatever came back, and not enough for who asks for more")
    func offline() async throws {
        let login = Fixture.login(at: Fixture.start - 5, methods: [], binding: nil, isOffline: true)
        #expect(AuthenticationClaims(of: login) == AuthenticationClaims(time: Fixture.start - 5, acr: "sf", amr: ["otp"]))
        for asked in ["mfa", "phr", "phr mfa"] {
            #expect(try await next(["acr_values": asked], login: login) == .logIn(.fresh(.max)), "\(asked)")
        }
        guard case .give = try await next([:], login: login), case .give = try await next(["acr_values": "sf"], login: login) else {
            Issue.record("one factor was asked for")
            return
        }
    }

    @Test("A81 max_age: a login by an offline code is new enough for nobody, however new it is; one by the phone's key alone is")
    func offlineMaxAge() async throws {
        let typed = Fixture.login(at: Fixture.start - 5, methods: [], binding: nil, isOffline: true)
        #expect(try await next(["max_age": "3600"], login: typed) == .logIn(.fresh(3600)))
        #expect(try await next(["max_age": "3600", "prompt": "none"], login: typed) == .refuse(.loginRequired))
        guard case .give = try await next(["max_age": "3600"], login: Fixture.login(at: Fixture.start - 5, methods: [])) else {
            Issue.record("a login by the phone's key was not taken")
            return
        }
    }

    @Test("A84 whoever is logged in by an offline code is asked for no offline access and gives none, also where they agreed to it before")
    func offlineAccess() async throws {
        let typed = Fixture.login(at: Fixture.start - 5, methods: [], binding: nil, isOffline: true)
        guard case .give(let scopes) = try await next(login: Fixture.login(at: Fixture.start - 5)),
            case .give(let less) = try await next(login: typed),
            case .consent(let asked) = try await next(["prompt": "consent"], login: typed),
            case .give(let agreed) = try await next(["prompt": "consent"], login: typed, consented: scopes)
        else {
            Issue.record("not given")
            return
        }
        #expect(scopes.contains(.offlineAccess))
        for kept in [less, asked, agreed] { #expect(kept == scopes.subtracting([.offlineAccess])) }
    }

    @Test("acr, amr and auth_time say only what happened")
    func claims() {
        let device = AuthenticationClaims(of: Fixture.login(methods: []))
        #expect(device == AuthenticationClaims(time: Fixture.start, acr: "sf", amr: ["pop"]))
        let remembered = AuthenticationClaims(of: Fixture.login(verifiedAt: Fixture.start - 60))
        #expect(remembered == AuthenticationClaims(time: Fixture.start - 60, acr: "mfa", amr: ["mfa", "pin", "pop"]))
        #expect(AuthenticationClaims(of: Fixture.login(binding: .returnCode)).acr == "phr")
        // The browser did not come back: nobody knows that it is the one.
        #expect(AuthenticationClaims(of: Fixture.login(binding: .returnCode, hasReturned: false)).acr == "mfa")
        #expect(AuthenticationClaims(of: Fixture.login(methods: [], binding: .returnCode)).acr == "sf")
    }

    @Test("id_token_hint: another person than the client means has to log in as the right one")
    func hint() async throws {
        let fixture = try await ProviderFixture()
        let hint = try #require(try await fixture.tokens().idToken)
        guard case .logIn = try await next(["id_token_hint": hint], login: Fixture.login(Fixture.manager)) else {
            Issue.record("the manager was taken for alice")
            return
        }
        #expect(try await next(["id_token_hint": hint, "prompt": "none"], login: Fixture.login(Fixture.manager)) == .refuse(.loginRequired))
    }

    @Test("A sub in the claims request is answered with a code for that person and for nobody else (OpenID Connect Core §3.1.2.2)")
    func requestedSubject() async throws {
        let claims = #"{"id_token":{"sub":{"value":"alice"}}}"#
        guard case .give = try await next(["claims": claims]) else {
            Issue.record("alice was not taken for alice")
            return
        }
        guard case .logIn = try await next(["claims": claims], login: Fixture.login(Fixture.manager)) else {
            Issue.record("the manager was taken for alice")
            return
        }
        #expect(try await next(["claims": claims, "prompt": "none"], login: Fixture.login(Fixture.manager)) == .refuse(.loginRequired))
        let fixture = try await ProviderFixture()
        let hint = try #require(try await fixture.tokens().idToken)
        let others = #"{"id_token":{"sub":{"value":"mary"}}}"#
        #expect(try await fixture.outcome(fixture.authorization(["claims": others, "id_token_hint": hint])).refusal == .hintWrong)
        #expect(try await fixture.outcome(fixture.authorization(["claims": claims, "id_token_hint": hint])).refusal == nil)
        let number = #"{"id_token":{"sub":{"value":1}}}"#
        #expect(try await fixture.outcome(fixture.authorization(["claims": number])).refusal == .claimsWrong)
    }

    @Test("Whoever may not log in any more is not logged in")
    func blocked() async throws {
        #expect(try await next { fixture in fixture.memory.block(Fixture.alice, at: fixture.now) } == .logIn(.policy))
    }

    @Test("S3-21 a person gives what their role permits")
    func permissions() async throws {
        let all = "openid read:timesheets approve:timesheets"
        #expect(try await next(["scope": all]) == .give(Fixture.scope("openid read:timesheets")))
        #expect(
            try await next(["scope": all], login: Fixture.login(Fixture.manager)) == .give(Fixture.scope("openid read:timesheets approve:timesheets"))
        )
        #expect(try await next(["scope": "approve:timesheets"]) == .refuse(.nothingToGrant))
    }

    @Test("A third party's application needs consent, the operator's own only where the API wants it")
    func consent() async throws {
        let scopes = Fixture.scope("openid read:timesheets")
        func asThirdParty(_ fixture: ProviderFixture) async throws { try await fixture.change("mobile") { $0.isFirstParty = false } }
        let asked: KeyValuePairs<String, String?> = ["scope": "openid read:timesheets"]
        #expect(try await next(asked) == .give(scopes))
        #expect(try await next(asked, asThirdParty) == .consent(scopes))
        #expect(try await next(asked, consented: scopes, asThirdParty) == .give(scopes))
        #expect(try await next(asked, consented: Fixture.scope("openid"), asThirdParty) == .consent(Fixture.scope("read:timesheets")))
        #expect(try await next(["scope": "openid read:timesheets", "prompt": "none"], asThirdParty) == .refuse(.consentRequired))
        #expect(try await next(["scope": "openid read:timesheets", "prompt": "consent"]) == .consent(scopes))
        #expect(try await next(asked) { try await $0.changeAPI { $0.firstPartySkipsConsent = false } } == .consent(scopes))
    }

    @Test("What was consented to and given is remembered, and more is asked for")
    func remembered() async throws {
        let fixture = try await ProviderFixture()
        _ = try await fixture.code(for: fixture.webAuthorization(), consented: Fixture.scope("openid read:timesheets profile"))
        func next(_ scope: String, consented: ScopeSet? = nil, prompt: String? = nil) async throws -> AuthorizeStep {
            try await fixture.authorize.next(
                for: try await fixture.request(fixture.webAuthorization(["scope": scope, "prompt": prompt])), fixture.visit(consented: consented),
                now: fixture.now)
        }
        #expect(try await next("openid read:timesheets") == .give(Fixture.scope("openid read:timesheets")))
        #expect(try await next("openid profile") == .consent(Fixture.scope("profile")))
        // What they said to that question and what they said before are the whole.
        #expect(try await next("openid profile", consented: Fixture.scope("profile")) == .give(Fixture.scope("openid profile")))
        // Asked for everything anew, they answer everything anew.
        #expect(try await next("openid profile", consented: Fixture.scope("profile"), prompt: "consent") == .consent(Fixture.scope("openid")))
    }

    @Test(
        "A native app at a place that any program of the machine could take is confirmed by the person, each time",
        arguments: [
            ("com.example.app:/cb", "com.example.app:/cb"), ("http://127.0.0.1/cb", "http://127.0.0.1:51004/cb"),
            ("http://[::1]/cb", "http://[::1]/cb"), ("http://localhost:3000/cb", "http://localhost:3000/cb"),
        ])
    func claimable(registered: String, presented: String) async throws {
        func step(isConfirmed: Bool, prompt: String? = nil) async throws -> AuthorizeStep {
            try await next(["redirect_uri": presented, "scope": "openid", "prompt": prompt], isConfirmed: isConfirmed) { fixture in
                try await fixture.change("mobile") { $0.redirectURIs.append(try RedirectURI(registering: registered, ofApp: true)) }
            }
        }
        #expect(try await step(isConfirmed: false) == .confirm)
        #expect(try await step(isConfirmed: true) == .give(Fixture.scope("openid")))
        #expect(try await step(isConfirmed: false, prompt: "none") == .refuse(.interactionRequired))
    }

    @Test("A website that somebody works on at this machine is not confirmed", arguments: ["http://localhost:3000/cb", "http://127.0.0.1:3000/cb"])
    func siteUnderWork(address: String) async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("web") {
            $0.redirectURIs = [try RedirectURI(registering: address, ofApp: false)]
            $0.isFirstParty = true
        }
        let request = try await fixture.request(fixture.webAuthorization(["redirect_uri": address, "prompt": "none"]))
        #expect(
            try await fixture.authorize.next(for: request, fixture.visit(), now: fixture.now) == .give(Fixture.scope("openid read:timesheets")))
    }

    @Test("The attack of a forged consent: a code is not given while a step is open, whoever asks for it")
    func openStep() async throws {
        let fixture = try await ProviderFixture()
        let request = try await fixture.request(fixture.webAuthorization())
        await #expect(throws: AuthorizeStepOpen(step: .consent(Fixture.scope("openid read:timesheets")))) {
            try await fixture.authorize.give(request, fixture.visit(isConfirmed: true), now: fixture.now)
        }
    }

    @Test("A session that ended while its person read gives no code, for offline access neither")
    func endedSession() async throws {
        let fixture = try await ProviderFixture()
        let request = try await fixture.request(fixture.authorization())
        #expect(try await fixture.authorize.next(for: request, fixture.visit(), now: fixture.now) == .give(request.scopes))
        fixture.logIn(nil)
        await #expect(throws: AuthorizeStepOpen(step: .logIn(.policy))) {
            try await fixture.authorize.give(request, fixture.visit(), now: fixture.now)
        }
    }

    @Test("A code goes to no client that was disabled, and to no address that was taken away, since the request was checked")
    func changed() async throws {
        let changes: [@Sendable (inout Application) throws -> Void] = [
            { $0.isEnabled = false },
            { $0.redirectURIs = [try RedirectURI(registering: "https://app.example/other", ofApp: true)] },
            { $0.apis = [:] },
        ]
        for change in changes {
            let fixture = try await ProviderFixture()
            let request = try await fixture.request(fixture.authorization())
            try await fixture.change("mobile", change)
            await #expect(throws: AuthorizationRequestChanged()) { try await fixture.authorize.give(request, fixture.visit(), now: fixture.now) }
        }
        let fixture = try await ProviderFixture()
        let request = try await fixture.request(fixture.authorization())
        try await fixture.changeAPI { $0.allowsOfflineAccess = false }
        await #expect(throws: AuthorizationRequestChanged()) { try await fixture.authorize.give(request, fixture.visit(), now: fixture.now) }
    }

    @Test("authz_user_rejects: the client hears access_denied")
    func rejected() async throws {
        let fixture = try await ProviderFixture()
        let response = try await fixture.request(fixture.authorization()).refused(.denied, issuer: Fixture.issuer)
        #expect(Fixture.parameter("error", of: response.location) == "access_denied")
        #expect(Fixture.parameter("state", of: response.location) == "state-1")
        #expect(Fixture.parameter("code", of: response.location) == nil)
    }
}
