import OAuthProvider
import OstiaryTokens
import Testing

@Suite("Scopes, RFC 6749 §3.3")
struct ScopeTests {
    private func error(_ text: String) -> ScopeError? {
        do { _ = try ScopeSet(parsing: text) } catch { return error }
        return nil
    }

    @Test("authz_scope_bad_grammar: words of visible characters with one space between two")
    func grammar() throws {
        #expect(try ScopeSet(parsing: "openid read:a openid").text == "openid read:a")
        #expect(try ScopeSet(parsing: "").isEmpty)
        for text in ["a  b", " a", "a ", "a\tb", "a\"b", "a\\b", "é"] { #expect(error(text) == .badGrammar) }
        #expect(error((0...64).map { "s\($0)" }.joined(separator: " ")) == .tooMany)
    }

    private func rule(_ change: (inout Application, inout ProtectedAPI) -> Void = { _, _ in }) async throws -> ScopeRule {
        let fixture = try await ProviderFixture()
        let (id, identifier) = (try fixture.client("mobile"), fixture.timesheets)
        let (application, api) = try await fixture.store.read { rows in
            (try rows.application(id, of: ProviderFixture.server), try rows.api(identifier, of: ProviderFixture.server))
        }
        var (mobile, timesheets) = (try #require(application), try #require(api))
        change(&mobile, &timesheets)
        return ScopeRule(application: mobile, api: timesheets)
    }

    @Test("S3-21, S3-22 what is granted was asked for, is known, may be asked by the client, and is permitted to the person")
    func intersection() async throws {
        let rule = try await rule()
        let allowed = rule.allowed(of: ProviderFixture.scope("openid read:timesheets batch:upload unknown approve:timesheets"))
        #expect(allowed.text == "openid read:timesheets approve:timesheets")
        #expect(rule.granted(of: allowed, permissions: ProviderFixture.scope("read:timesheets delete:timesheets")).text == "openid read:timesheets")
        #expect(rule.granted(of: allowed, permissions: []).text == "openid")
    }

    @Test("Where an API checks no permissions, a person may what their client may")
    func noPermissions() async throws {
        let rule = try await rule { _, api in api.checksPermissions = false }
        #expect(rule.granted(of: ProviderFixture.scope("read:timesheets"), permissions: []).text == "read:timesheets")
    }

    @Test(
        "S3-37 offline access: asked for, and allowed by the API", arguments: [true, false], [true, false])
    func offline(isAsked: Bool, isAllowed: Bool) async throws {
        let rule = try await rule { _, api in api.allowsOfflineAccess = isAllowed }
        let allowed = rule.allowed(of: ProviderFixture.scope(isAsked ? "openid offline_access" : "openid"))
        #expect(allowed.contains(.offlineAccess) == (isAsked && isAllowed))
    }

    @Test("A machine has nobody's identity")
    func machine() async throws {
        let rule = try await rule { application, _ in
            var machine = Application(
                id: application.id, server: application.server, kind: .machine, name: application.name, authentication: .basic)
            machine.apis = application.apis
            application = machine
        }
        #expect(rule.allowed(of: ProviderFixture.scope("openid profile offline_access read:timesheets")).text == "read:timesheets")
    }

    @Test("A client id has no colon and no space, an API's identifier is an absolute URI without a fragment")
    func names() {
        for text in ["", "a b", "a:b", "é", String(repeating: "a", count: 129)] { #expect(ClientID(text) == nil) }
        for text in ["", "timesheets", "https://a/#x", "1a:b", "https://a b", "a:"] { #expect(APIIdentifier(text) == nil) }
        for text in ["https://api.example.com/timesheets", "urn:example:api"] { #expect(APIIdentifier(text)?.text == text) }
    }
}
