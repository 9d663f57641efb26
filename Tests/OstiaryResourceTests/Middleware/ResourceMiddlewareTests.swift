import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryResource
import OstiaryResourceHummingbird
import OstiaryTokens
import Testing

@Suite("The middleware of Hummingbird")
struct ResourceMiddlewareTests {
    /// As a developer would write it.
    private func router(_ api: TestAPI) -> Router<CallerContext> {
        let router = Router(context: CallerContext.self)
        let timesheets = router.group("timesheets")
        timesheets.add(middleware: ResourceMiddleware(api.verifier, .scope("read:timesheets"))).get { _, context in
            "the timesheets of \(try context.verifiedCaller().subject)"
        }
        // Behind both: what the group wants, and what this route wants.
        timesheets.group("approvals").add(middleware: ResourceMiddleware(api.verifier, .scope("approve:timesheets"))).get { _, context in
            "approved by \(try context.verifiedCaller().subject)"
        }
        router.get("open") { _, context in "\(context.caller == nil)" }
        router.get("forgotten") { _, context in try context.verifiedCaller().subject }
        return router
    }

    private func get(_ api: TestAPI, _ path: String = "/timesheets", _ fields: [(String, String)] = []) async throws -> TestResponse {
        var headers = HTTPFields()
        for (name, value) in fields { headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        let sent = headers
        return try await Hummingbird.Application(responder: router(api).buildResponder()).test(.router) { client in
            try await client.execute(uri: path, method: .get, headers: sent)
        }
    }

    private func text(_ response: TestResponse) -> String { String(buffer: response.body) }

    @Test("S3-05, S3-13, S3-14 a route is told who calls, when their token is good and has the scope")
    func good() async throws {
        let response = try await get(try TestAPI(), "/timesheets?week=34", [("Authorization", "Bearer \(try Fixture.token())")])
        #expect(response.status == .ok && text(response) == "the timesheets of alice")
    }

    @Test("S3-06 without a token, or with a bad one, the route is never asked")
    func refused() async throws {
        let none = try await get(try TestAPI())
        #expect(none.status == .unauthorized && text(none) == #"{"error_description":"Missing or invalid token"}"#)
        #expect(none.headers[values: .wwwAuthenticate].count == 2 && none.headers[.contentType] == "application/json")
        #expect(none.headers[.cacheControl] == "no-store")
        let bad = try await get(try TestAPI(), fields: [("Authorization", "Bearer \(try Fixture.token(by: Fixture.signer(8)))")])
        #expect(bad.status == .unauthorized && text(bad) == #"{"error":"invalid_token","error_description":"Missing or invalid token"}"#)
        let twice = try await get(
            try TestAPI(), fields: [("Authorization", "Bearer \(try Fixture.token())"), ("Authorization", "Bearer \(try Fixture.token())")])
        #expect(twice.status == .badRequest)
    }

    private func get(_ api: TestAPI, fields: [(String, String)]) async throws -> TestResponse { try await get(api, "/timesheets", fields) }

    @Test("S3-12 without the scope it is 403, which names it")
    func forbidden() async throws {
        let token = try Fixture.token { $0["scope"] = .string("create:timesheets") }
        let response = try await get(try TestAPI(), fields: [("Authorization", "Bearer \(token)")])
        #expect(response.status == .forbidden)
        #expect(response.headers[.wwwAuthenticate]?.hasSuffix(#"scope="read:timesheets""#) == true)
    }

    @Test("Two middlewares, one behind the other: the caller is verified once, so that its proof is, and has to meet both policies")
    func nested() async throws {
        let key = try Fixture.phone().key.thumbprint.text
        for (scopes, status) in [("read:timesheets approve:timesheets", 200), ("read:timesheets", 403), ("approve:timesheets", 403)] {
            let token = try Fixture.token { claims in
                claims["cnf"] = .object(JSONObject(["jkt": .string(key)]))
                claims["scope"] = .string(scopes)
            }
            let proof = try Fixture.proof(for: token) { $0["htu"] = .string(Fixture.base + "/timesheets/approvals") }
            let response = try await get(try TestAPI(), "/timesheets/approvals?a=b", [("Authorization", "DPoP \(token)"), ("DPoP", proof)])
            #expect(response.status.code == status)
        }
    }

    /// A group of one API, and routes of another behind it.
    private func status(_ outer: TestAPI, _ inner: TestAPI, _ fields: HTTPFields) async throws -> Int {
        let router = Router(context: CallerContext.self)
        let timesheets = router.group("timesheets").add(middleware: ResourceMiddleware(outer.verifier))
        timesheets.group("approvals").add(middleware: ResourceMiddleware(inner.verifier)).get { _, context in
            "approved by \(try context.verifiedCaller().subject)"
        }
        return try await Hummingbird.Application(responder: router.buildResponder()).test(.router) { client in
            try await client.execute(uri: "/timesheets/approvals", method: .get, headers: fields).status.code
        }
    }

    @Test("Two middlewares of two verifiers: whom the outer one let in is verified anew by the inner one, which wants another audience")
    func nestedAudiences() async throws {
        let other = "https://api.example.com/approvals"
        let dpop = try #require(HTTPField.Name("DPoP"))
        for (audiences, expected) in [([Fixture.api], 401), ([other], 401), ([Fixture.api, other], 200)] {
            let (outer, inner) = (try TestAPI(), try TestAPI { $0.provider?.audience = other })
            let token = try Fixture.token { $0["aud"] = .strings(audiences) }
            #expect(try await status(outer, inner, [.authorization: "Bearer \(token)"]) == expected)
            // Each remembers proofs by itself: the one that the outer has spent is not spent for the inner.
            let key = try Fixture.phone().key.thumbprint.text
            let bound = try Fixture.token { claims in
                claims["aud"] = .strings(audiences)
                claims["cnf"] = .object(JSONObject(["jkt": .string(key)]))
            }
            let proof = try Fixture.proof(for: bound) { $0["htu"] = .string(Fixture.base + "/timesheets/approvals") }
            #expect(try await status(outer, inner, [.authorization: "DPoP \(bound)", dpop: proof]) == expected)
        }
    }

    @Test("A proof for another path opens none")
    func otherRequest() async throws {
        let token = try Fixture.boundToken()
        let proof = try Fixture.proof(for: token) { $0["htu"] = .string(Fixture.base + "/timesheets/approvals") }
        let response = try await get(try TestAPI(), fields: [("Authorization", "DPoP \(token)"), ("DPoP", proof)])
        #expect(response.status == .unauthorized && response.headers[.wwwAuthenticate]?.hasPrefix("DPoP ") == true)
    }

    @Test("Where nonces are asked for, the refusal brings one and the answer the next")
    func nonces() async throws {
        let api = try TestAPI { $0.proofs.needNonce = true }
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        let token = try Fixture.boundToken()
        let first = try await get(api, fields: [("Authorization", "DPoP \(token)"), ("DPoP", try Fixture.proof(for: token, id: "a"))])
        let nonce = try #require(first.headers[name])
        #expect(first.status == .unauthorized)
        let proof = try Fixture.proof(for: token, id: "b") { $0["nonce"] = .string(nonce) }
        let second = try await get(api, fields: [("Authorization", "DPoP \(token)"), ("DPoP", proof)])
        #expect(second.status == .ok && second.headers[name] == nonce)
    }

    @Test("A route without a middleware knows no caller, and one that wants a caller all the same lets nobody in")
    func unguarded() async throws {
        let authorization = [("Authorization", "Bearer \(try Fixture.token())")]
        let open = try await get(try TestAPI(), "/open", authorization)
        #expect(text(open) == "true")
        #expect(try await get(TestAPI(), "/forgotten", authorization).status == .internalServerError)
    }

    @Test("A provider that is away is 503 with a time to come back")
    func outage() async throws {
        let api = try TestAPI()
        await api.provider.goes()
        let response = try await get(api, fields: [("Authorization", "Bearer \(try Fixture.token())")])
        #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == "2")
    }
}
