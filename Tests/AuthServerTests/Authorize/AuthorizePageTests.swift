import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("The authorization endpoint as a browser sees it", .timeLimit(.minutes(10)))
struct AuthorizePageTests {
    @Test("S3-18, S3-27, S3-28 a browser without a login goes to a login page, comes back with its code, and its client has tokens")
    func reference() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let answer = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            #expect(answer.status == .seeOther)
            let location = try #require(answer.headers[.location])
            #expect(location.hasPrefix("\(AuthorizeFixture.callback)?code="))
            #expect(Browser.parameter("state", of: location) == "state-1")
            #expect(Browser.parameter("iss", of: location) == AuthorizeResponse.escaped(AuthorizeFixture.origin))
            #expect(answer.headers[.cacheControl] == "no-store")
            let tokens = try await fixture.tokens(location)
            #expect(tokens.idToken != nil && tokens.refreshToken == nil)
            // The visit is over, the login stays.
            #expect(browser.visits.isEmpty && browser.logins.count == 1)
        }
    }

    @Test("qr_context_shown_matches_request: the phone shows the client and what it asks for in words, and proves what the request demands")
    func shown() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            let cases: [(KeyValuePairs<String, String?>, FactorDemand)] = [
                (["scope": "openid read"], .policy), (["prompt": "login"], .always), (["max_age": "600"], .fresh(600)),
                (["acr_values": "mfa"], .fresh(.max)),
            ]
            for (changes, demand) in cases {
                let visit = try await browser.openLogin(try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, changes)))
                let asked = try await fixture.session(visit.nonce).request
                #expect(asked.client == RelyingParty(name: "Shop", origin: "https://shop.example", clientID: "shop"))
                #expect(asked.shown.info == [Announcement(key: "It may", text: "know who you are; read your things")])
                #expect(asked.demand == demand)
            }
        }
    }

    @Test("login-hint: the page shows whom the client expects, whether or not anybody knows them; it selects nobody, and asks nobody anew")
    func expected() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        @Sendable func request(_ hint: String?) -> String { Browser.request("shop", AuthorizeFixture.callback, ["login_hint": hint]) }
        try await fixture.run { (first) async throws in
            for (hint, shown) in [("alice", "alice"), ("nobody@example.com", "nobody@example.com"), ("Call 555 at once", nil), (nil, nil)] {
                let browser = first.another()
                let visit = try await browser.openLogin(try await browser.authorize(request(hint)))
                let page = try await browser.openPage()
                #expect(page.text("state") == "waiting" && page.text("name") == shown, "\(hint ?? "")")
                #expect(try await fixture.session(visit.nonce).request.account == nil)
            }
            // Whoever logs in is taken, and stays.
            for answer in [
                try await first.logIn(try await first.authorize(request("bob")), as: alice), try await first.authorize(request("bob")),
            ] {
                #expect(Browser.parameter("code", of: answer.headers[.location]) != nil)
            }
        }
    }

    @Test("ui_locales says the language of the page and of what the phone shows; more than one announcement holds has another")
    func language() async throws {
        let fixture = try await AuthorizeFixture()
        let words = String(repeating: "w", count: 120)
        let many = try (0..<20).map { APIScope(try #require(Scope("s\($0)")), words: words) }
        let server = fixture.server
        try await fixture.oauthStore.write { rows in
            var api = try #require(try rows.api(AuthorizeFixture.api, of: server))
            api.scopes = many
            try rows.save(api)
        }
        try await fixture.change("shop") { $0.apis = [AuthorizeFixture.api: ScopeSet(many.map(\.scope))] }
        try await fixture.run { (browser) async throws in
            let scope = (["openid"] + many.map(\.scope.text)).joined(separator: " ")
            let request = Browser.request("shop", AuthorizeFixture.callback, ["scope": scope, "ui_locales": "tlh nl-BE en"])
            let answer = try await browser.authorize(request)
            #expect(answer.headers[.location]?.hasPrefix("\(AuthorizeFixture.origin)/login?lang=nl#") == true)
            let info = try await fixture.session(try await browser.openLogin(answer).nonce).request.shown.info
            #expect(info.map(\.key) == ["Het mag", "Het mag (2)", "Het mag (3)"])
            #expect(info.map(\.text).joined(separator: "; ") == (["weten wie u bent"] + many.map(\.words)).joined(separator: "; "))
            #expect(info.allSatisfy { $0.text.utf8.count <= 1_024 })
        }
    }

    @Test("authz_unregistered_redirect_no_redirect, and an unknown client: people are told on a page, and nothing is kept")
    func people() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            for (request, sentence) in [
                (Browser.request("nobody"), "there is no such client"),
                (Browser.request("shop", "https://evil.example/"), "redirect_uri is not registered"),
                (Browser.request() + "&client_id=app", "client_id is missing"), ("", "client_id is missing"), ("client_id=%zz", "percent-encoded"),
            ] {
                let answer = try await browser.authorize(request)
                #expect(answer.status == .badRequest && answer.headers[.location] == nil, "\(request)")
                #expect(answer.headers[.contentType] == "text/html; charset=utf-8" && answer.headers[.cacheControl] == "no-store")
                #expect(answer.headers[HTTPField.Name("X-Frame-Options")!] == "DENY")
                let html = String(buffer: answer.body)
                #expect(html.contains(sentence) && !html.contains("evil.example"), "\(request)")
            }
            #expect(browser.cookies.isEmpty)
        }
        for table in ["oauth_pushed", "page"] { #expect(try await fixture.count(table) == 0) }
    }

    @Test("What is wrong with a request is told to its client, with state and iss, and nothing is kept")
    func clients() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            for (changes, error) in [
                (["code_challenge_method": "plain"], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
                (["scope": "nothing"], "invalid_scope"), (["prompt": "none"], "login_required"), (["prompt": "none login"], "invalid_request"),
            ] as [(KeyValuePairs<String, String?>, String)] {
                let answer = try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, changes))
                let location = try #require(answer.headers[.location])
                #expect(answer.status == .seeOther && location.hasPrefix("\(AuthorizeFixture.callback)?error=\(error)&"))
                #expect(Browser.parameter("state", of: location) == "state-1" && Browser.parameter("iss", of: location) != nil)
            }
        }
        for table in ["oauth_pushed", "page"] { #expect(try await fixture.count(table) == 0) }
    }

    @Test("What a client is told by redirect, or its person on a page, is a line of the log that names client and reason, and nothing that was sent")
    func logged() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            for changes in [["code_challenge": nil], ["prompt": "none"]] as [KeyValuePairs<String, String?>] {
                _ = try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, changes))
            }
            _ = try await browser.authorize(Browser.request("shop", "https://evil.example/cb"))
        }
        let sent = fixture.log.lines("authorization refused").map { [$0.facts["reason"], $0.facts["client"], $0.facts["error"]] }
        #expect(sent == [["challengeMissing", "shop", "invalid_request"]], "that nobody is logged in is an answer")
        let shown = fixture.log.lines("request refused").map { [$0.facts["reason"], $0.facts["client"]] }
        #expect(shown == [["redirectNotRegistered", "shop"]])
        #expect(!fixture.log.text.contains("evil"))
    }

    @Test("A request that is posted is the same at the same address by GET; one that is no form is refused")
    func posted() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            let answer = try await browser.postForm("/authorize", Browser.request() + "&ui_locales=nl+en")
            #expect(answer.status == .seeOther)
            let location = try #require(answer.headers[.location])
            #expect(location.hasPrefix("/authorize?client_id=shop&") && location.hasSuffix("&ui_locales=nl%20en"))
            _ = try await browser.openLogin(try await browser.get(location))
            #expect(try await browser.postForm("/authorize", "{}", type: "application/json").status == .badRequest)
            let long = try await browser.postForm(
                "/authorize", Browser.request("shop", AuthorizeFixture.callback, ["claims": String(repeating: "x", count: 9_000)]))
            #expect(long.status == .badRequest && long.headers[.location] == nil)
        }
    }

    @Test("No secret of a visit stands in an address or a body, and no cookie can be read by scripts or sent by other sites' forms")
    func secrets() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let first = try await browser.authorize(Browser.reports())
            let visit = try await browser.openLogin(first)
            let second = try await browser.comeBack(visit, try await fixture.approve(alice, visit.nonce))
            let third = try await browser.get("/authorize/state?visit=\(visit.id.text)")
            for answer in [first, second, third] {
                #expect(answer.headers[.location]?.contains(visit.secret.text) != true && !String(buffer: answer.body).contains(visit.secret.text))
            }
            let set = [first, second].flatMap { $0.headers[values: .setCookie] }
            #expect(set.count >= 3)
            for cookie in set {
                #expect(cookie.hasPrefix("__Host-ostiary-") && cookie.contains("; Path=/; HttpOnly; SameSite=Lax; Secure"), "\(cookie)")
                #expect(!cookie.contains("Domain"))
            }
            #expect(set.contains { $0.hasPrefix("__Host-ostiary-logins-\(fixture.server.text)=") && !$0.contains("Max-Age") })
        }
    }

    @Test("qr_relayed_other_origin: the attack of a code that is brought to another browser ends the login, and gives nobody a code")
    func otherBrowser() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (attacker) async throws in
            let visit = try await attacker.openLogin(try await attacker.authorize(Browser.request()))
            let code = try await fixture.approve(alice, visit.nonce)
            let victim = attacker.another()
            let answer = try await victim.comeBack(visit, code)
            #expect(answer.status == .badRequest && answer.headers[.location] == nil && victim.cookies.isEmpty)
            // Nor in the one that began.
            #expect(try await attacker.comeBack(visit, code).headers[.location] == nil)
            #expect(try await fixture.session(visit.nonce).settled(at: fixture.clock.now).login == nil)
        }
        #expect(try await fixture.count("oauth_code") == 0)
    }

    @Test("One visit ends in one code: the address that is loaded again, or 16 times at once, gives no other")
    func once() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let visit = try await browser.openLogin(try await browser.authorize(Browser.request()))
            let code = try await fixture.approve(alice, visit.nonce)
            let told = try await browser.atOnce(16) { tab, _ in try await tab.comeBack(visit, code) }.compactMap { $0.headers[.location] }
            #expect(told.count == 1 && Browser.parameter("code", of: told.first) != nil, "\(told)")
            #expect(try await browser.comeBack(visit, code).status == .badRequest)
        }
        #expect(try await fixture.count("oauth_code") == 1)
    }

    @Test("Whoever leaves the login page is brought back to the client, which hears that they said no")
    func cancelled() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            let visit = try await browser.openLogin(try await browser.authorize(Browser.request()))
            let location = try await browser.get("/authorize/cancel?visit=\(visit.id.text)").headers[.location]
            #expect(Browser.parameter("error", of: location) == "access_denied" && Browser.parameter("state", of: location) == "state-1")
            #expect(browser.visits.isEmpty)
            #expect(try await browser.another().get("/authorize/cancel?visit=\(visit.id.text)").status == .badRequest)
        }
    }

    @Test("A visit is over after half an hour, and a client that was disabled meanwhile is told of by nobody")
    func late() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let visit = try await browser.openLogin(try await browser.authorize(Browser.reports()))
            fixture.clock.advance(200)
            // The request was kept for longer than one that a client sends ahead may wait for its browser.
            _ = try await browser.question(try await browser.comeBack(visit, try await fixture.approve(alice, visit.nonce)))
            try await fixture.change("reports") { $0.isEnabled = false }
            #expect(try await browser.get("/authorize/continue?visit=\(visit.id.text)").status == .badRequest)
            try await fixture.change("reports") { $0.isEnabled = true }
            fixture.clock.advance(PushedRequest.visitLife)
            #expect(try await browser.get("/authorize/continue?visit=\(visit.id.text)").status == .badRequest)
        }
    }

    @Test("Who logs in and is not whom the client means gets no code, and is not asked again and again")
    func anotherPerson() async throws {
        let fixture = try await AuthorizeFixture()
        let (alice, bob) = (try await fixture.addAccount(), try await fixture.addAccount("bob"))
        try await fixture.run { (browser) async throws in
            let first = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            let hint = try await fixture.tokens(first.headers[.location]).idToken
            let other = browser.another()
            let request = Browser.request("shop", AuthorizeFixture.callback, ["id_token_hint": hint])
            let location = try await other.logIn(try await other.authorize(request), as: bob).headers[.location]
            #expect(Browser.parameter("error", of: location) == "login_required")
        }
    }

    @Test("A login that is weaker than the client asks for ends in unmet_authentication_requirements")
    func weak() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let request = Browser.request("shop", AuthorizeFixture.callback, ["acr_values": "mfa"])
            let location = try await browser.logIn(try await browser.authorize(request), as: alice, methods: []).headers[.location]
            #expect(Browser.parameter("error", of: location) == "unmet_authentication_requirements")
        }
    }

    @Test("Another virtual server's provider is below its folder, and nowhere where there is none")
    func folders() async throws {
        let fixture = try await AuthorizeFixture()
        let folder = "/oidc/\(AuthorizeFixture.other.text)"
        try await fixture.run { (browser) async throws in
            for path in [
                "\(folder)/authorize?\(Browser.request())", "\(folder)/device", "\(folder)/logout", "/oidc/\(fixture.server.text)/authorize",
            ] {
                #expect(try await browser.get(path).status == .notFound, "\(path)")
            }
            let application = try fixture.application("shop", .web, AuthorizeFixture.callback, isFirstParty: true, at: AuthorizeFixture.other)
            try await fixture.oauthStore.write { rows in try rows.save(application) }
            fixture.tokenKeyring.open(AuthorizeFixture.other)
            let request = Browser.request("shop", AuthorizeFixture.callback, ["audience": nil, "prompt": "none"])
            let location = try await browser.authorize(request, at: folder).headers[.location]
            #expect(Browser.parameter("iss", of: location) == AuthorizeResponse.escaped(AuthorizeFixture.origin + folder))
        }
    }

    @Test("Nothing of it is for programs of other sites: no answer allows an origin")
    func otherSites() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            for path in ["/authorize?\(Browser.request())", "/authorize/state?visit=x", "/device", "/logout"] {
                for method in [HTTPRequest.Method.get, .options] {
                    let answer = try await browser.client.execute(uri: path, method: method, headers: [.origin: "https://shop.example"])
                    #expect(answer.headers[.accessControlAllowOrigin] == nil, "\(path)")
                }
            }
        }
    }

    @Test("HEAD does nothing where GET begins, gives or ends something: whoever looks at a link has no code, spends none, and logs nobody out")
    func head() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        @Sendable func rows() async throws -> [Int] {
            var counts: [Int] = []
            for table in ["oauth_pushed", "oauth_code", "oauth_grant", "page"] { counts.append(try await fixture.count(table)) }
            return counts
        }
        @Sendable func look(_ path: String, _ browser: Browser) async throws {
            let before = (try await rows(), browser.cookies)
            let answer = try await browser.head(path)
            #expect(answer.status == .ok && answer.body.readableBytes == 0, "\(path)")
            #expect(answer.headers[.location] == nil && answer.headers[.setCookie] == nil && answer.headers[.cacheControl] == "no-store")
            #expect(try await rows() == before.0 && browser.cookies == before.1, "\(path)")
        }
        try await fixture.run { (browser) async throws in
            try await look("/authorize?\(Browser.request())", browser)
            let visit = try await browser.openLogin(try await browser.authorize(Browser.request()))
            let code = try await fixture.approve(alice, visit.nonce)
            try await look("/authorize/cancel?visit=\(visit.id.text)", browser)
            try await look("/authorize/continue?visit=\(visit.id.text)&returncode=\(code.text)", browser)
            try await look("/authorize/continue?visit=\(visit.id.text)&returncode=\(code.text)", browser.another())
            #expect(Browser.parameter("code", of: try await browser.comeBack(visit, code).headers[.location]) != nil)
            // Whoever is logged in would have a code at once, and be logged out at once.
            try await look("/authorize?\(Browser.request())", browser)
            let silent = try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, ["prompt": "none"])).headers[.location]
            let hint = try #require(try await fixture.tokens(silent).idToken)
            try await look("/logout?id_token_hint=\(hint)", browser)
            let nonce = try #require(browser.logins.first)
            #expect(try await fixture.session(nonce).login != nil)
            // Where nothing happens HEAD is GET without the body, and where there is no provider there is nothing.
            #expect(try await browser.head("/device").headers[.contentLength] == browser.get("/device").headers[.contentLength])
            #expect(try await browser.head("/oidc/\(AuthorizeFixture.other.text)/authorize").status == .notFound)
            let options = try await browser.client.execute(uri: "/authorize", method: .options)
            #expect(options.headers[.allow] == "GET, HEAD, OPTIONS, POST")
        }
    }

    @Test("A browser keeps eight visits, and gives up the oldest")
    func many() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            var first: Visit?
            for _ in 0..<9 {
                _ = try await browser.authorize(Browser.request())
                if first == nil { first = browser.visits.first }
                fixture.clock.advance(1)
            }
            let gone = try #require(first)
            #expect(browser.visits.count == 8 && !browser.visits.contains { $0.id == gone.id })
        }
    }
}
