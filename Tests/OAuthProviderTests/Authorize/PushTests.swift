import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("Requests that are sent ahead, RFC 9126")
struct PushTests {
    private typealias Fixture = ProviderFixture
    private static let endpoint = "https://login.example/oauth/par"

    private func push(
        _ fixture: ProviderFixture, _ changes: KeyValuePairs<String, String?> = [:], proofs: [String] = [], method: String = "POST"
    ) async throws -> String {
        let call = try Fixture.post(fixture.authorization(changes), proofs: proofs, address: Self.endpoint, method: method)
        return try await fixture.services.push.push(call, at: fixture.now).requestURI
    }

    private func use(_ uri: String, client: String = "mobile", and more: [Parameter] = []) -> [Parameter] {
        [Parameter("client_id", client), Parameter("request_uri", uri)] + more
    }

    @Test("A browser brings the name of the request, and what was sent is what counts")
    func good() async throws {
        let fixture = try await ProviderFixture()
        let uri = try await push(fixture)
        #expect(uri.hasPrefix("urn:ietf:params:oauth:request_uri:"))
        let request = try await fixture.request(use(uri))
        #expect(request.scopes.text == Fixture.fullScope)
        #expect(request.state == "state-1")
    }

    @Test("par_params_outside_ignored")
    func outside() async throws {
        let fixture = try await ProviderFixture()
        let more = [Parameter("scope", "openid"), Parameter("redirect_uri", "https://evil.example/"), Parameter("state", "other")]
        let request = try await fixture.request(use(try await push(fixture), and: more))
        #expect(request.scopes.text == Fixture.fullScope)
        #expect(request.redirect.text == Fixture.callback)
        #expect(request.state == "state-1")
    }

    @Test("A browser brings one name and one client")
    func twice() async throws {
        let fixture = try await ProviderFixture()
        let uri = try await push(fixture)
        #expect(try await fixture.outcome(use(uri, and: [Parameter("request_uri", uri)])).refusal == .parameterRepeated("request_uri"))
        guard case .page(.parameterRepeated("client_id")) = try await fixture.outcome(use(uri, and: [Parameter("client_id", "web")])) else {
            Issue.record("one of two clients was chosen")
            return
        }
    }

    @Test("par_request_uri_reuse_after_login, but par_reload_before_login_ok")
    func once() async throws {
        let fixture = try await ProviderFixture()
        let uri = try await push(fixture)
        for _ in 0..<3 { #expect(try await fixture.outcome(use(uri)).refusal == nil) }
        let request = try await fixture.request(use(uri))
        _ = try await fixture.code(for: use(uri))
        #expect(try await fixture.outcome(use(uri)).refusal == .requestURISpent)
        // A page that was loaded before finds the same, and nobody tells the client.
        await #expect(throws: AuthorizeRefusal.requestURISpent) { try await fixture.authorize.give(request, fixture.visit(), now: fixture.now) }
    }

    @Test("Of two browsers that bring one name one has the code, also when they do at once: the other is told on a page, and the client nothing")
    func broughtTwice() async throws {
        let fixture = try await ProviderFixture()
        let login = VisitLogin(session: Fixture.session, startedAt: fixture.now, account: Fixture.alice)
        for isAtOnce in [false, true] {
            let request = use(try await push(fixture))
            let win = { @Sendable () async throws -> Void in
                let begun = try await fixture.services.visits.begin(request, by: login, at: Fixture.server, now: fixture.now)
                guard case .leave(let response, nil) = begun.turn.step else {
                    Issue.record("\(begun)")
                    return
                }
                #expect(Fixture.parameter("code", of: response.location) != nil)
            }
            if !isAtOnce { try await win() }
            let late = isAtOnce ? fixture.services(overtakenBy: win) : fixture.services
            await #expect(throws: VisitEnd.over) { try await late.visits.begin(request, by: login, at: Fixture.server, now: fixture.now) }
        }
    }

    @Test("A code for a request that was sent ahead is given also when nobody heard that it was kept")
    func rerun() async throws {
        let fixture = try await ProviderFixture(rerunning: true)
        let uri = try await push(fixture)
        #expect(try await fixture.answer(fixture.exchange(try await fixture.code(for: use(uri)))).idToken != nil)
    }

    @Test("par_request_uri_expired, par_request_uri_other_client, and one that nobody sent")
    func refused() async throws {
        let fixture = try await ProviderFixture()
        let uri = try await push(fixture)
        #expect(try await fixture.outcome(use(uri, client: "web")).refusal == .requestURIOfAnother)
        #expect(try await fixture.outcome([Parameter("request_uri", uri)]).refusal == .requestURIOfAnother)
        #expect(try await fixture.outcome(use(uri + "x")).refusal == .requestURIUnknown)
        fixture.clock.advance(PushedRequest.life)
        #expect(try await fixture.outcome(use(uri)).refusal == nil)
        fixture.clock.advance(1)
        #expect(try await fixture.outcome(use(uri)).refusal == .requestURIExpired)
        // A page that was opened in time goes on.
        let reloaded = try await fixture.authorize.check(use(uri), at: Fixture.server, askedAt: fixture.now - 60)
        #expect(reloaded.refusal == nil)
    }

    @Test("par_request_uri_in_par_refused, par_wrong_verb, and par-ensure-pkce-required: what a browser may not bring is not kept")
    func checked() async throws {
        let fixture = try await ProviderFixture()
        let uri = try await push(fixture)
        await #expect(throws: AuthorizeRefusal.foreignRequestURI) { try await push(fixture, ["request_uri": uri]) }
        await #expect(throws: AuthorizeRefusal.challengeMissing) { try await push(fixture, ["code_challenge": nil]) }
        await #expect(throws: AuthorizeRefusal.challengeMethodWrong) { try await push(fixture, ["code_challenge_method": "plain"]) }
        await #expect(throws: AuthorizeRefusal.redirectNotRegistered) { try await push(fixture, ["redirect_uri": "https://evil.example/"]) }
        await #expect(throws: TokenRefusal.parameterWrong("method")) { try await push(fixture, method: "GET") }
        await #expect(throws: TokenRefusal.client(.methodWrong)) { try await push(fixture, ["client_id": "web"]) }
    }

    @Test("par_dpop_jkt_mismatch: the key of the proof is the key of the code")
    func boundKey() async throws {
        let fixture = try await ProviderFixture()
        let thumbprint = try Fixture.phoneKey(51).key.thumbprint
        let uri = try await push(fixture, proofs: [try fixture.proof(51, address: Self.endpoint)])
        #expect(try await fixture.request(use(uri)).boundKey == thumbprint)
        let named = try await push(fixture, ["dpop_jkt": thumbprint.text])
        #expect(try await fixture.request(use(named)).boundKey == thumbprint)
        await #expect(throws: AuthorizeRefusal.boundKeyWrong) {
            try await push(fixture, ["dpop_jkt": thumbprint.text], proofs: [try fixture.proof(52, address: Self.endpoint)])
        }
        await #expect(throws: AuthorizeRefusal.boundKeyWrong) { try await push(fixture, ["dpop_jkt": "short"]) }
    }

    @Test("A client that sends its requests ahead is asked by no other way")
    func required() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("mobile") { $0.requiresPushedRequests = true }
        #expect(try await fixture.outcome(fixture.authorization()).refusal == .pushedRequestNeeded)
        #expect(try await fixture.outcome(use(try await push(fixture))).refusal == nil)
    }

    @Test("No secret of a client is kept with its request, and nothing that no rule reads")
    func credentials() async throws {
        let fixture = try await ProviderFixture()
        let parameters = fixture.webAuthorization(["ui_locales": "nl", "display": "popup"]) + [Parameter("client_secret", Fixture.secret)]
        let call = try Fixture.post(parameters, address: Self.endpoint)
        let uri = try await fixture.services.push.push(call, at: fixture.now).requestURI
        let hash = try #require(PushedRequest.hash(ofURI: uri))
        let kept = try await fixture.store.read { rows in try rows.pushedRequest(hash: hash, of: Fixture.server) }
        let asked = fixture.webAuthorization(["ui_locales": "nl"]).map(\.name)
        #expect(kept.map { Set($0.parameters.map(\.name)) } == Set(asked))
        #expect(kept?.client.text == "web")
    }
}
