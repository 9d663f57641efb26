import Authentication
import OAuthProvider
import OstiaryTesting
import Testing

@Suite("response_mode=form_post, OAuth 2.0 Form Post Response Mode")
struct FormPostTests {
    private typealias Fixture = ProviderFixture

    private func response(_ changes: KeyValuePairs<String, String?>, _ fixture: ProviderFixture) async throws -> AuthorizeResponse? {
        guard case .redirect(_, let response) = try await fixture.outcome(fixture.authorization(changes)) else { return nil }
        return response
    }

    @Test("The answer is for the address as it was registered, and has what it would have in a query, as it is")
    func answered() async throws {
        let fixture = try await Fixture()
        let request = try await fixture.request(fixture.authorization(["response_mode": "form_post", "state": "a&b=\"c\" <d>"]))
        #expect(request.mode == .formPost && request.redirect.formOrigin?.text == "https://app.example")
        let visit = AuthorizeVisit(askedAt: Fixture.start, session: Fixture.session, consented: request.scopes, isConfirmed: true)
        let given = try await fixture.authorize.give(request, visit, now: fixture.now)
        #expect(given.mode == .formPost && given.redirect.text == Fixture.callback)
        #expect(given.parameters.map(\.name) == ["code", "state", "iss"])
        #expect(given.parameters[1].value == "a&b=\"c\" <d>" && given.parameters[2].value == Fixture.issuer)
        let refused = request.refused(.denied, issuer: Fixture.issuer)
        #expect(refused.mode == .formPost && refused.parameters.map(\.name) == ["error", "error_description", "state", "iss"])
        #expect(refused.parameters[0].value == "access_denied")
    }

    @Test("What is wrong with a request is told the way that it names; without one, or by none of ours, in the query")
    func refused() async throws {
        let fixture = try await Fixture()
        #expect(try await response(["response_mode": "form_post", "prompt": "now"], fixture)?.mode == .formPost)
        #expect(try await response(["response_mode": "query", "prompt": "now"], fixture)?.mode == .query)
        #expect(try await response(["prompt": "now"], fixture)?.mode == .query)
        for mode in ["fragment", "form_post.jwt", "FORM_POST", "form_post "] {
            #expect(try await fixture.outcome(fixture.authorization(["response_mode": mode])).refusal == .responseModeUnsupported)
            #expect(try await response(["response_mode": mode], fixture)?.mode == .query)
        }
        let twice = fixture.authorization(["response_mode": "form_post"]) + [Parameter("response_mode", "form_post")]
        guard case .redirect(let refusal, let answer) = try await fixture.outcome(twice) else {
            Issue.record("one of two was chosen")
            return
        }
        #expect(refusal == .parameterRepeated("response_mode") && answer.mode == .query)
    }

    @Test(
        "Nothing is posted to an app's own scheme, nor to a host that a page's policy can't name",
        arguments: [
            ("com.example.app:/cb", nil), ("http://[::1]/cb", nil), ("https://a_b.example/cb", nil), ("https://a;b.example/cb", nil),
            ("https://a,b/cb", nil), ("https://*.example/cb", nil), ("https://app.example:0/cb", nil), ("http://127.0.0.1/cb", "http://127.0.0.1"),
            ("https://App.example:8443/cb?a=b", "https://app.example:8443"), ("https://app.example?x=/", "https://app.example"),
        ])
    func addresses(address: String, origin: String?) async throws {
        let fixture = try await Fixture()
        // Which of them may be registered is another rule's; here all that can be must do no harm.
        guard let registered = try? RedirectURI(registering: address, ofApp: true) else { return }
        try await fixture.change("mobile") { $0.redirectURIs = [registered] }
        let changes: KeyValuePairs<String, String?> = ["response_mode": "form_post", "redirect_uri": address]
        let outcome = try await fixture.outcome(fixture.authorization(changes))
        if let origin {
            guard case .request(let request) = outcome else {
                Issue.record("\(address) was refused")
                return
            }
            #expect(request.mode == .formPost && request.redirect.formOrigin?.text == origin)
        } else {
            #expect(outcome.refusal == .responseModeUnsupported)
        }
    }

    @Test("It stands in a request that was sent ahead as well")
    func sentAhead() async throws {
        let fixture = try await Fixture()
        let request = try await fixture.request(fixture.webAuthorization(["response_mode": "form_post"]))
        #expect(request.mode == .formPost && request.redirect.formOrigin?.text == "https://reports.example")
        let parameters = fixture.webAuthorization(["response_mode": "form_post"])
        let kept = try await fixture.authorize.keep(parameters, of: request, from: .unknown, at: fixture.now)
        guard case .request(let resumed) = try await fixture.authorize.resume(kept, at: Fixture.server, now: fixture.now).outcome else {
            Issue.record("the request was lost")
            return
        }
        #expect(resumed.mode == .formPost)
    }
}
