import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryResource
import OstiaryResourceHummingbird
import OstiaryTokens
import Testing

/// What docs/protect-an-api.md shows, as a developer has it: by the public modules alone.
@Suite("The guide to protecting an API")
struct GuideTests {
    @Test("Five lines protect a route")
    func fiveLines() async throws {
        let verifier = try ResourceVerifier(
            issuer: "https://login.example", audience: "https://api.example.com/timesheets", base: "https://api.example.com")
        let router = Router(context: CallerContext.self)
        router.group("timesheets").add(middleware: ResourceMiddleware(verifier, .scope("read:timesheets"))).get { _, context in
            "the timesheets of \(try context.verifiedCaller().subject)"
        }
        try await Hummingbird.Application(responder: router.buildResponder()).test(.router) { client in
            let response = try await client.execute(uri: "/timesheets", method: .get)
            #expect(response.status == .unauthorized && String(buffer: response.body).contains("Missing or invalid token"))
        }
    }

    @Test("Without a framework: the request in, a caller or an answer out")
    func withoutFramework() async throws {
        let verifier = try TestAPI().verifier
        func status(_ authorization: String) async -> Int {
            let request = ResourceRequest(method: "GET", target: "/timesheets?week=34", fields: [("Authorization", authorization)])
            do {
                let caller = try await verifier.caller(of: request)
                try verifier.check(.scope("read:timesheets"), of: caller)
                return 200
            } catch {
                let answer = verifier.answer(to: error, for: request)
                return answer.status
            }
        }
        let token = try Fixture.token()
        #expect(await status("Bearer \(token)") == 200)
        #expect(await status("Bearer junk") == 401)
    }

    @Test("Its policies and settings are what they say")
    func policiesAndSettings() async throws {
        let policies: [AccessPolicy] = [
            .scope("read:timesheets"), .allScopes("read:timesheets", "create:timesheets"),
            .any([.scope("read:timesheets"), .provedBy(.webNonce)]),
            .all([.scope("create:timesheets"), .login(atLeast: "mfa", maxAge: 300)]), .rule("staff") { $0.claims["staff"]?.bool == true },
        ]
        let api = try TestAPI { settings in
            settings.provider?.introspection = IntrospectionSettings(clientID: "timesheets-api", clientSecret: "secret")
            settings.provider?.jwt?.recheckedEvery = 60
            settings.webNonce = WebNonceSettings(restAddress: "http://127.0.0.1:8081", server: "AAAAAAAAAAAAAAAAAAAAAA", apiKey: "key")
            settings.provider?.jwt?.profile = .plain
            settings.provider?.jwt?.algorithms = [.es256]
            settings.provider?.permissionsClaim = "roles"
        }
        await api.provider.answers(
            FixtureProvider.introspection, Fixture.claims { $0["active"] = .bool(true) })
        let caller = try await api.caller(
            try Fixture.token {
                $0["staff"] = .bool(true)
                $0["roles"] = .strings(["approve"])
            })
        for policy in policies + [.permission("approve")] { try api.verifier.check(policy, of: caller) }
    }
}
