import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryResource
import OstiaryResourceHummingbird
import OstiaryTesting
import OstiaryTokens
import Testing

/// What docs/protect-an-api.md shows does what it says. Its Swift stands in Documentation/.
@Suite("The guide to protecting an API")
struct GuideTests {
    @Test("Five lines protect a route")
    func fiveLinesProtect() async throws {
        let router = Router(context: CallerContext.self)
        try protect(router)
        try await Hummingbird.Application(responder: router.buildResponder()).test(.router) { client in
            let response = try await client.execute(uri: "/timesheets", method: .get)
            #expect(response.status == .unauthorized && String(buffer: response.body).contains("Missing or invalid token"))
        }
    }

    @Test("Without a framework: the request in, a caller or an answer out")
    func withoutFramework() async throws {
        let verifier = try TestAPI().verifier
        func heard(_ authorization: String) async -> [String] {
            var heard: [String] = []
            await serve(authorization, behind: verifier, show: { heard.append($0) }, refuse: { heard.append("\($0.status)") })
            return heard
        }
        let token = try Fixture.token()
        #expect(await heard("Bearer \(token)") == ["alice"])
        #expect(await heard("Bearer junk") == ["401"])
        let narrow = try Fixture.token { $0["scope"] = .string("create:timesheets") }
        #expect(await heard("Bearer \(narrow)") == ["403"])
    }

    @Test("Its settings take what they say, and its policies are met by whom they say")
    func policiesAndSettings() async throws {
        let (settings, _) = try everything(secret: "secret", serverID: "AAAAAAAAAAAAAAAAAAAAAA", key: "key")
        let api = try TestAPI { $0 = settings }
        await api.provider.answers(FixtureProvider.introspection, Self.told())
        let caller = try await api.caller(try Fixture.token(Self.staff))
        #expect(caller.provedBy == .jwt && caller.subject == "alice")
        #expect(try await api.caller("2YotnFZFEjr1zCsicMWpAA").provedBy == .introspection)
        for policy in policies { try api.verifier.check(policy, of: caller) }
        let other = try await api.caller(try Fixture.token { $0["scope"] = nil })
        for policy in policies { #expect(throws: ResourceRefusal.self) { try api.verifier.check(policy, of: other) } }
    }

    @Test("A provider without RFC 9068 is taken with three settings, and no longer by the two algorithms that it has not")
    func plainProvider() async throws {
        let rsa = try LocalSigner(.rs256, stored: try LocalSigner.drawn(.rs256, using: SeededRandom("plain")))
        let api = try TestAPI(keys: [rsa.key, Fixture.signer().key]) { plain(&$0) }
        let caller = try await api.caller(try Fixture.token(by: rsa, as: .idToken) { $0["roles"] = .strings(["approve"]) })
        #expect(caller.has(permission: "approve"))
        #expect(try await api.refusal(Fixture.token(as: .idToken)) == .token(.algorithmNotAllowed))
    }

    @Test("A key that openssl wrote to a file is the API's in the place of a secret")
    func key() throws {
        let folder = try TemporaryFolder()
        #expect(try introspection(keyFile: folder.write(Self.pem, to: "client.pem")).clientID == "timesheets-api")
        #expect(throws: ResourceSettingsError.clientKeyWrong) { try introspection(keyFile: try folder.write("secret", to: "other.pem")) }
    }

    /// For tests and nothing else.
    private static let pem = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEINDbQQIJ1YFqVmK1n6+wt/iwufoXob9onp3sR2zOyIUv
        -----END PRIVATE KEY-----
        """

    private static func staff(_ claims: inout JSONObject) {
        claims["staff"] = .bool(true)
        claims["permissions"] = .strings(["approve"])
        claims["scope"] = .string("read:timesheets create:timesheets approve:timesheets")
    }

    private static func told() -> JSONObject {
        Fixture.claims { claims in
            staff(&claims)
            claims["active"] = .bool(true)
        }
    }
}
