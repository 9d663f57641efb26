import Authentication
import HTTPTypes
import Logging
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import AuthServer

@Suite("POST /oauth/token")
struct TokenRouteTests {
    private func run(asksNonce: Bool = false, _ body: @Sendable @escaping (OAuthClient) async throws -> Void) async throws {
        try await OAuthFixture(asksNonce: asksNonce).run(body)
    }

    @Test("S3-30 … S3-36, S3-38 … S3-40 the exchange of the reference is answered as the reference says, and nobody in between keeps it")
    func exchange() async throws {
        try await run { client in
            let answer = try await client.exchange(try await client.fixture.code(offline: true).text)
            #expect(answer.status == 200 && answer.isForNobodyElse)
            #expect(answer.json.names == ["access_token", "token_type", "expires_in", "scope", "refresh_token", "id_token"])
            #expect(answer.json["token_type"] == .string("Bearer") && answer.json["expires_in"] == .integer(86_400))
            #expect(answer.json["scope"] == .string("openid read offline_access"))
            let token = try #require(answer.json["access_token"]?.string)
            let keys = try await client.fixture.keyring.keys(of: Sample.server).published
            let claims = try AccessTokenClaims(try UnverifiedJWS(compact: token).verified(by: keys, as: .accessToken).claims)
            #expect(claims.issuer == OAuthFixture.origin && claims.audiences.contains(Sample.api.text) && claims.boundKey == nil)
            #expect(claims.subject == "alice" && claims.clientID == "shop-1")
        }
    }

    @Test("Tokens and refusals have each header once, those of whatever a browser gets here among them")
    func headersOnce() async throws {
        try await run { client in
            let token = try await client.exchange(try await client.fixture.code().text)
            for headers in [token.headers, try await client.exchange("wrong").headers] {
                let names = headers.map(\.name.canonicalName)
                #expect(Set(names).count == names.count, "\(names)")
                #expect(headers[.contentSecurityPolicy] == PageFrame.policy([]) && headers[HTTPField.Name("X-Frame-Options")!] == "DENY")
                #expect(headers[.xContentTypeOptions] == "nosniff" && headers[.strictTransportSecurity] != nil)
                // What an endpoint says of these itself stays: browsers of other sites may read it.
                #expect(headers[.crossOriginResourcePolicy] == "cross-origin" && headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test("S3-37 without offline_access no refresh token; S3-39 with a proof the token is of its key, and says so")
    func bound() async throws {
        try await run { client in
            let proof = try OAuthFixture.Proof().text(at: client.fixture.now)
            let answer = try await client.exchange(try await client.fixture.code().text, proofs: [proof])
            #expect(answer.status == 200 && answer.json["token_type"] == .string("DPoP") && answer.json["expires_in"] == .integer(300))
            #expect(answer.json["refresh_token"] == nil && answer.headers[.dpopNonce] == nil)
        }
    }

    @Test("S3-47 … S3-49 a refresh by the names of the reference; rt_retry_returns_same_successor")
    func refresh() async throws {
        try await run { client in
            let first = try await client.exchange(try await client.fixture.code(offline: true).text).json["refresh_token"]?.string
            let second = try await client.refresh(first)
            #expect(second.status == 200 && second.json["access_token"]?.string != nil && second.isForNobodyElse)
            #expect(second.json["refresh_token"]?.string != first)
            #expect(try await client.refresh(first).json["refresh_token"] == second.json["refresh_token"])
        }
    }

    @Test("tok_error_is_json_400_invalid_grant_no_store: what is wrong with a code is told in the words of the RFC")
    func codes() async throws {
        try await run { client in
            let fixture = client.fixture
            let others: [OAuthClient.Form] = [
                ["code_verifier": String(repeating: "a", count: 43)], ["redirect_uri": "com.example.shop:/other"], ["redirect_uri": nil],
                ["code": "another"],
            ]
            for (number, changes) in others.enumerated() {
                let answer = try await client.exchange(try await fixture.code(UInt8(10 + number)).text, changes)
                #expect(answer.isError("invalid_grant") && answer.headers[.wwwAuthenticate] == nil, "\(changes)")
            }
            for changes in [["code_verifier": nil], ["code_verifier": "short"], ["code": nil]] as [OAuthClient.Form] {
                let answer = try await client.exchange(try await fixture.code(20).text, changes)
                #expect(answer.status == 400 && ["invalid_request", "invalid_grant"].contains(answer.error), "\(changes)")
            }
            let late = try await fixture.code(21).text
            fixture.clock.advance(AuthorizationCode.life + 1)
            #expect(try await client.exchange(late).isError("invalid_grant"), "tok_code_expired_60s")
        }
    }

    @Test("tok_code_replay_revokes: a code that comes twice is refused, ends what it gave, and an operator reads of it, without the code")
    func replay() async throws {
        try await run { client in
            let (code, grant) = try await client.fixture.code()
            #expect(try await client.exchange(code).status == 200)
            #expect(try await client.exchange(code).isError("invalid_grant"))
            #expect(try await !client.fixture.people.stands(grant, at: client.fixture.now))
            let line = try client.fixture.log.onlyLine("a code or token was used twice")
            #expect(line.level == .warning && line.facts["reason"] == "codeSpent")
            #expect(line.facts["server"] == Sample.server.text && line.facts["requestId"] != nil)
            #expect(!client.fixture.log.text.contains(code))
            // The line may be held back or lost; the audit trail has it with the rows that ended.
            guard case .database(let accounts) = client.fixture.people.people else { preconditionFailure("the fixture has a database") }
            let trail = try await accounts.read { rows in try rows.auditEntries(of: Sample.server, limit: 9) }
            let expected = AuditEntry(.grantsEndedByReuse, server: Sample.server, account: Sample.accountID(1), by: .server, at: client.fixture.now)
            #expect(trail == [expected])
        }
    }

    @Test("tok_parallel_same_code_one_winner: of 64 calls at once one has tokens, the others are a second use, and all are answered as the RFC says")
    func parallel() async throws {
        try await run { client in
            for round in UInt8(5)..<10 {
                let (code, grant) = try await client.fixture.code(round)
                let refused = Mutex(0)
                let count = await winners(of: 64) { _ in
                    guard let answer = try? await client.exchange(code) else { return false }
                    if answer.isError("invalid_grant") { refused.withLock { $0 += 1 } }
                    return answer.status == 200
                }
                #expect(count == 1 && refused.withLock { $0 } == 63, "round \(round)")
                #expect(try await !client.fixture.people.stands(grant, at: client.fixture.now))
            }
        }
    }

    @Test("tok_assertion_jti_reused: of 32 calls at once with one assertion one has a token")
    func parallelAssertions() async throws {
        try await run { client in
            let form: OAuthClient.Form = [
                "grant_type": "client_credentials", "client_assertion": try OAuthFixture.assertion(at: client.fixture.now),
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ]
            let count = await winners(of: 32) { _ in (try? await client.post("/oauth/token", form))?.status == 200 }
            #expect(count == 1)
        }
    }

    @Test(
        "tok_basic_not_base64, tok_basic_no_colon, and who shows nothing, something wrong or another way: 401, with the way that is asked for",
        arguments: ["Basic !!!", "Basic d2ViLTE=", "Basic d2ViLTE6d3Jvbmc=", "Basic bm9ib2R5OmE=", "Bearer abc", nil])
    func clients(authorization: String?) async throws {
        try await run { client in
            let form: OAuthClient.Form = ["grant_type": "refresh_token", "refresh_token": "abc"]
            let answer = try await client.post("/oauth/token", form, authorization: authorization.map { [$0] } ?? [])
            #expect(answer.isError("invalid_client", 401) && answer.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
        }
    }

    @Test("A secret with a colon, a space and an ampersand comes through the header and through the form; both at once are one too many")
    func secrets() async throws {
        try await run { client in
            let form: OAuthClient.Form = ["grant_type": "refresh_token", "refresh_token": "abc"]
            let basic = try await client.post("/oauth/token", form, authorization: [OAuthClient.webBasic])
            #expect(basic.isError("invalid_grant"))
            let posted: OAuthClient.Form = [
                "grant_type": "refresh_token", "refresh_token": "abc", "client_id": "web-1", "client_secret": OAuthFixture.secret,
            ]
            #expect(try await client.post("/oauth/token", posted).isError("invalid_grant"))
            #expect(try await client.post("/oauth/token", posted, authorization: [OAuthClient.webBasic]).isError("invalid_request"))
            let twice = try await client.post("/oauth/token", form, authorization: [OAuthClient.webBasic, OAuthClient.webBasic])
            #expect(twice.isError("invalid_request"), "tok_double_client_auth")
            let other: OAuthClient.Form = ["grant_type": "refresh_token", "refresh_token": "abc", "client_id": "shop-1"]
            let differs = try await client.post("/oauth/token", other, authorization: [OAuthClient.webBasic])
            #expect(differs.isError("invalid_request"), "tok_body_id_differs")
        }
    }

    @Test("tok_assertion: for the issuer and once; tok_assertion_jti_reused, tok_assertion_wrong_aud, tok_assertion_exp_past")
    func assertions() async throws {
        try await run { client in
            let now = client.fixture.now
            let ask = { @Sendable (assertion: String) async throws -> OAuthClient.Answer in
                try await client.post(
                    "/oauth/token",
                    [
                        "grant_type": "client_credentials", "client_assertion": assertion,
                        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    ])
            }
            let good = try OAuthFixture.assertion(at: now)
            let answer = try await ask(good)
            #expect(answer.status == 200 && answer.json["scope"] == .string("read write") && answer.json["refresh_token"] == nil)
            #expect(try await ask(good).isError("invalid_client", 401))
            for wrong in [
                try OAuthFixture.assertion(at: now, audience: OAuthFixture.origin + "/oauth/token", id: "2"),
                try OAuthFixture.assertion(at: now - 600, id: "3"), try OAuthFixture.assertion(at: now, id: "4", life: 7_200), "a.b.c",
            ] {
                #expect(try await ask(wrong).isError("invalid_client", 401))
            }
        }
    }

    @Test("tok_json_body_refused, another charset, a broken escape and bytes that are no text: invalid_request, and nothing is spent")
    func forms() async throws {
        try await run { client in
            let code = try await client.fixture.code().text
            let body =
                "grant_type=authorization_code&client_id=shop-1&redirect_uri=com.example.shop%3A%2Fcb"
                + "&code_verifier=\(Sample.verifier)&code=\(code)"
            for type in ["application/json", "text/plain", nil, "\(OAuthClient.formType); charset=iso-8859-1", "multipart/form-data; boundary=x"] {
                #expect(try await client.send(.post, "/oauth/token", body, contentType: type).isError("invalid_request"), "\(type ?? "none")")
            }
            for broken in [body + "&x=%", body + "&x=%4", body + "&x=%zz", body + "&%ff=1", body + "&code=\(code)", body + "&code=other"] {
                #expect(try await client.send(.post, "/oauth/token", broken, contentType: OAuthClient.formType).isError("invalid_request"))
            }
            // What stands in the address is none of the form's.
            let inAddress = try await client.send(.post, "/oauth/token?\(body)", "", contentType: OAuthClient.formType)
            #expect(inAddress.isError("invalid_client", 401))
            let good = try await client.send(.post, "/oauth/token", body + "&unknown=1&scope=", contentType: "\(OAuthClient.formType);charset=UTF-8")
            #expect(good.status == 200)
        }
    }

    @Test("A form of 16 KiB is read, and a larger one is not")
    func sizes() async throws {
        try await run { client in
            let body = { (size: Int) in "client_id=shop-1&x=" + String(repeating: "a", count: size - 19) }
            #expect(try await client.send(.post, "/oauth/token", body(16_384), contentType: OAuthClient.formType).isError("invalid_request"))
            let large = try await client.send(.post, "/oauth/token", body(16_385), contentType: OAuthClient.formType)
            #expect(large.status == 413 && large.error == "content_too_large" && large.headers[.cacheControl] == "no-store")
        }
    }

    @Test("unsupported_grant_type, unauthorized_client, invalid_scope and invalid_target by their words")
    func words() async throws {
        try await run { client in
            let token = try await client.exchange(try await client.fixture.code(offline: true).text).json["refresh_token"]?.string
            for (form, word) in [
                (["grant_type": "password", "client_id": "shop-1", "username": "alice", "password": "x"], "unsupported_grant_type"),
                (["grant_type": "client_credentials", "client_id": "shop-1"], "unauthorized_client"),
                (["grant_type": "refresh_token", "client_id": "shop-1", "refresh_token": token, "scope": "read write"], "invalid_scope"),
                (["grant_type": "refresh_token", "client_id": "shop-1", "refresh_token": token, "scope": "re\"ad"], "invalid_scope"),
                (["grant_type": "refresh_token", "client_id": "shop-1", "refresh_token": token, "resource": "urn:other"], "invalid_target"),
                (["grant_type": "refresh_token", "client_id": "shop-1"], "invalid_request"), (["client_id": "shop-1"], "invalid_request"),
                (["grant_type": "refresh_token", "client_id": "shop-1", "refresh_token": "x"], "invalid_grant"),
            ] as [(OAuthClient.Form, String)] {
                #expect(try await client.post("/oauth/token", form).isError(word), "\(word)")
            }
        }
    }
}
