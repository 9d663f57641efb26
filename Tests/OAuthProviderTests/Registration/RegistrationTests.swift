import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("What an operator may write")
struct RegistrationTests {
    private typealias Fixture = ProviderFixture

    private func application(_ id: String) async throws -> Application {
        let fixture = try await ProviderFixture()
        let client = try fixture.client(id)
        return try #require(try await fixture.store.read { rows in try rows.application(client, of: Fixture.server) })
    }

    private func refusal(_ id: String, _ change: (inout Application) throws -> Void = { _ in }) async throws -> ApplicationRefusal? {
        var application = try await application(id)
        try change(&application)
        do { try ApplicationRules.check(application) } catch { return error }
        return nil
    }

    private func remade(_ application: Application, kind: Application.Kind, _ method: ClientAuthenticationMethod) -> Application {
        var remade = Application(id: application.id, server: application.server, kind: kind, name: application.name, authentication: method)
        remade.redirectURIs = application.redirectURIs
        remade.grantTypes = application.grantTypes
        remade.secrets = application.secrets
        remade.backchannel = application.backchannel
        return remade
    }

    @Test("S3-50 the applications of the reference may be written", arguments: ["mobile", "web", "batch"])
    func good(id: String) async throws {
        #expect(try await refusal(id) == nil)
    }

    @Test("Who keeps no secret gets nothing for itself and asks nobody's phone")
    func credentials() async throws {
        #expect(try await refusal("batch") { $0 = remade($0, kind: .machine, .none) } == .machineWithoutCredentials)
        #expect(try await refusal("batch") { $0.secrets = [] } == .secretMissing)
        #expect(try await refusal("batch") { $0 = remade($0, kind: .machine, .privateKeyJWT) } == .keyMissing)
        #expect(try await refusal("mobile") { $0.grantTypes.insert(.clientCredentials) } == .grantTypeWrong(.clientCredentials))
        #expect(try await refusal("mobile") { $0.grantTypes.insert(.backchannel) } == .grantTypeWrong(.backchannel))
        #expect(try await refusal("batch") { $0.grantTypes.insert(.refreshToken) } == .grantTypeWrong(.refreshToken))
        #expect(try await refusal("mobile") { $0.grantTypes = [.refreshToken, .tokenExchange] } == .refreshAlone)
    }

    @Test("An address is there where codes are, and of the kind that the application is")
    func redirects() async throws {
        let own = try RedirectURI(registering: "com.example.app:/cb", ofApp: true)
        #expect(try await refusal("mobile") { $0.redirectURIs = [] } == .redirectMissing)
        #expect(try await refusal("mobile") { $0.grantTypes = [.deviceCode] } == .redirectUnneeded)
        #expect(try await refusal("mobile") { $0.redirectURIs.append(own) } == nil)
        #expect(try await refusal("web") { $0.redirectURIs.append(own) } == .redirectWrong("com.example.app:/cb"))
        let loopback = try RedirectURI(registering: "http://127.0.0.1/cb", ofApp: true)
        #expect(try await refusal("mobile") { $0.redirectURIs.append(loopback) } == nil)
        #expect(try await refusal("web") { $0.redirectURIs.append(loopback) } == .redirectWrong("http://127.0.0.1/cb"))
        // Of a client that registers itself it is refused (ClientMetadataTests).
        for ofApp in [false, true] {
            let localhost = try RedirectURI(registering: "http://localhost:3000/cb", ofApp: ofApp)
            #expect(try await refusal(ofApp ? "mobile" : "web") { $0.redirectURIs.append(localhost) } == nil)
            #expect(localhost.kind == .localhost && localhost.isMatched(by: "http://localhost:3000/cb"))
            for other in ["http://localhost:3001/cb", "http://localhost/cb", "http://127.0.0.1:3000/cb", "http://LOCALHOST:3000/cb"] {
                #expect(!localhost.isMatched(by: other), "\(other)")
            }
        }
        let former = RedirectURI(stored: "https://app.example:99999/cb", ofApp: true)
        for id in ["mobile", "web"] {
            #expect(try await refusal(id) { $0.redirectURIs.append(former) } == .redirectUnusable("https://app.example:99999/cb"))
        }
        let one = try RedirectURI(registering: "https://app.example/cb", ofApp: true)
        #expect(try await refusal("web") { $0.redirectURIs = Array(repeating: one, count: 51) } == .tooManyRedirects)
    }

    @Test("What we call or send browsers to is over TLS, or on this machine")
    func addresses() async throws {
        for address in ["http://reports.example/logout", "https://reports.example/logout#x", "reports.example", ""] {
            #expect(try await refusal("web") { $0.backchannelLogoutURI = address } == .addressWrong(.logoutNotice, address))
            #expect(try await refusal("web") { $0.backchannel = .ping(address) } == .addressWrong(.ping, address))
            #expect(try await refusal("web") { $0.postLogoutRedirectURIs = [address] } == .addressWrong(.afterLogout, address))
        }
        #expect(try await refusal("web") { $0.backchannelLogoutURI = "http://127.0.0.1:8080/logout" } == nil)
        // A port that there can't be ends the process of whoever calls it.
        let wrong = "https://reports.example:65536/logout"
        #expect(try await refusal("web") { $0.backchannelLogoutURI = wrong } == .addressWrong(.logoutNotice, wrong))
        #expect(try await refusal("web") { $0.backchannel = .ping(wrong) } == .addressWrong(.ping, wrong))
        #expect(try await refusal("web") { $0.backchannel = nil } == .deliveryMissing)
        #expect(try await refusal("web") { $0.refreshLife = RefreshLife(absolute: 0, idle: nil) } == .lifeWrong)
        #expect(try await refusal("web") { $0.refreshLife = RefreshLife(absolute: nil, idle: 0) } == .idleLifeWrong)
    }

    @Test("A name is one line, because the phone shows it")
    func names() async throws {
        for name in ["", "two\nlines", "turned \u{202E}around", String(repeating: "a", count: 81)] {
            #expect(try await refusal("web") { $0.name = name } == .nameWrong)
        }
        #expect(try await refusal("web") { $0.siteURL = "a\u{2028}b" } == .siteWrong)
    }

    @Test("A site is where browsers may be sent: https, or this machine; what else it could say stands on the phone as if it were one")
    func sites() async throws {
        for site in ["", "https://reports.example", "https://reports.example/eu", "http://localhost:3000", "http://127.0.0.1:3000/"] {
            #expect(try await refusal("web") { $0.siteURL = site } == nil)
            #expect(try await refusal("mobile") { $0.siteURL = site } == nil)
        }
        for site in [
            "http://reports.example", "javascript:alert(1)", "data:text/html,x", "com.example.app:/home", "reports.example", "Your bank",
            "https://bank.example@reports.example", "https://reports.example/#bank", "https://reports.example:0", "https://r\u{00E9}ports.example",
            "https://" + String(repeating: "a", count: 248),
        ] {
            #expect(try await refusal("web") { $0.siteURL = site } == .siteWrong, "\(site)")
            #expect(try await refusal("mobile") { $0.siteURL = site } == .siteWrong, "\(site)")
        }
    }

    @Test("Nothing is named by dots, which a proxy takes out of an address: DELETE …/applications/../ would be one of the virtual server")
    func dots() throws {
        for dots in [".", ".."] {
            #expect(ClientID(dots) == nil)
            #expect(throws: RoleRefusal.nameWrong) { try RoleRules.check(Role(server: Fixture.server, name: dots, permissions: [:])) }
            #expect(throws: UserRefusal.idWrong) { try UserRules.check(ProviderUser(server: Fixture.server, userID: dots)) }
        }
        for name in ["...", ".a", "a.", "a.b", "-"] { #expect(ClientID(name)?.text == name) }
    }

    @Test("S3-50 an API has an identifier and a switch for offline access; its scopes are its own, each once, in words for people")
    func apis() async throws {
        let fixture = try await ProviderFixture()
        let identifier = fixture.timesheets
        let saved = try await fixture.store.read { rows in try rows.api(identifier, of: Fixture.server) }
        let api = try #require(saved)
        func refusal(_ change: (inout ProtectedAPI) -> Void) -> APIRefusal? {
            var changed = api
            change(&changed)
            do { try APIRules.check(changed) } catch { return error }
            return nil
        }
        #expect(api.allowsOfflineAccess && refusal { $0.allowsOfflineAccess = false } == nil)
        #expect(refusal { $0.name = "" } == .nameWrong)
        for life in [UInt64(0), 29, 2_592_001] {
            #expect(refusal { $0.life = life } == .lifeWrong)
            #expect(refusal { $0.sessionLife = life } == .sessionLifeWrong)
        }
        #expect(refusal { $0.scopes.append(APIScope(.openID, words: "log you in")) } == .scopeReserved(.openID))
        let twice = try #require(api.scopes.first)
        #expect(refusal { $0.scopes.append(twice) } == .scopeTwice(twice.scope))
        let more = try #require(Scope("more"))
        for words in ["", "two\nlines"] { #expect(refusal { $0.scopes.append(APIScope(more, words: words)) } == .wordsWrong(more)) }
        #expect(refusal { api in api.scopes = (0..<65).compactMap { Scope("s\($0)").map { APIScope($0, words: "x") } } } == .tooManyScopes)
    }
}
