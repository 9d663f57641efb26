import Authentication
import HTTPTypes
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Questions about tokens: userinfo, introspection, revocation")
struct ResourceRouteTests {
    private typealias Proof = OAuthFixture.Proof

    @Test("ui_sub_equals_id_token: userinfo by GET and by POST, in either spelling of the scheme")
    func userInfo() async throws {
        try await OAuthFixture().run { client in
            let token = try await client.accessToken()
            for (method, scheme) in [(HTTPRequest.Method.get, "Bearer"), (.post, "bearer")] {
                let answer = try await client.send(method, "/userinfo", authorization: ["\(scheme) \(token)"])
                #expect(answer.status == 200 && answer.isForNobodyElse && answer.json["sub"] == .string("alice"))
            }
        }
    }

    @Test("ui_no_token, ui_bad_token, ui_token_in_query_refused: status, challenge and word of RFC 6750, and JSON")
    func userInfoRefusals() async throws {
        try await OAuthFixture().run { client in
            let token = try await client.accessToken()
            let none = try await client.send(.get, "/userinfo")
            #expect(none.status == 401 && none.json.names.isEmpty && none.isForNobodyElse)
            let challenge = try #require(none.headers[.wwwAuthenticate])
            #expect(challenge.contains("Bearer realm=") && challenge.contains("DPoP algs=") && !challenge.contains("error"))
            for (path, authorization, status, word) in [
                ("/userinfo", ["Bearer nothing"], 401, "invalid_token"), ("/userinfo", ["Bearer"], 400, "invalid_request"),
                ("/userinfo?access_token=\(token)", [], 400, "invalid_request"),
                ("/userinfo?access%5Ftoken=\(token)", ["Bearer \(token)"], 400, "invalid_request"),
                ("/userinfo", ["Bearer \(token)", "Bearer \(token)"], 400, "invalid_request"),
            ] as [(String, [String], Int, String)] {
                let answer = try await client.send(.get, path, authorization: authorization)
                #expect(answer.status == status && answer.error == word && answer.headers[.wwwAuthenticate] != nil, "\(path) \(authorization)")
                if !authorization.isEmpty, status == 401 { #expect(answer.headers[.wwwAuthenticate]?.contains("error=\"\(word)\"") == true) }
            }
            // A token of a machine is nobody's: there is no openid in it.
            let machine = try await client.post(
                "/oauth/token",
                [
                    "grant_type": "client_credentials", "client_assertion": try OAuthFixture.assertion(at: client.fixture.now),
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                ])
            let foreign = try await client.send(.get, "/userinfo", authorization: ["Bearer \(try #require(machine.json["access_token"]?.string))"])
            #expect(foreign.status == 401 && foreign.error == "invalid_token")
        }
    }

    @Test("dpop_token_as_bearer_refused, dpop_no_proof, dpop_ath_missing, dpop_ath_wrong, dpop_other_key, dpop_jti_replay at userinfo")
    func userInfoProofs() async throws {
        try await OAuthFixture().run { client in
            let now = client.fixture.now
            let address = OAuthFixture.origin + "/userinfo"
            let token = try await client.accessToken(proofs: [try Proof().text(at: now)])
            #expect(try await client.send(.get, "/userinfo", authorization: ["Bearer \(token)"]).error == "invalid_token")
            let good = try Proof(method: "GET", address: address, id: "good", accessToken: token).text(at: now)
            for (name, proofs, word) in [
                ("dpop_no_proof", [], "invalid_dpop_proof"), ("dpop_two_headers", [good, good], "invalid_dpop_proof"),
                ("dpop_ath_missing", [try Proof(method: "GET", address: address, id: "1").text(at: now)], "invalid_dpop_proof"),
                ("dpop_ath_wrong", [try Proof(method: "GET", address: address, id: "2", accessToken: "x").text(at: now)], "invalid_dpop_proof"),
                ("dpop_htm_wrong", [try Proof(address: address, id: "3", accessToken: token).text(at: now)], "invalid_dpop_proof"),
                (
                    "dpop_other_key", [try Proof(method: "GET", address: address, id: "4", accessToken: token, key: 52).text(at: now)],
                    "invalid_token"
                ),
            ] as [(String, [String], String)] {
                let answer = try await client.send(.get, "/userinfo", authorization: ["DPoP \(token)"], proofs: proofs)
                #expect(answer.status == 401 && answer.error == word, "\(name)")
                #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("DPoP ") == true, "\(name)")
            }
            let count = await winners(of: 16) { _ in
                (try? await client.send(.get, "/userinfo", authorization: ["DPoP \(token)"], proofs: [good]))?.status == 200
            }
            #expect(count == 1)
        }
    }

    @Test("S0-23 introspection says what a token opens now, to whoever may know, and nothing else to anybody")
    func introspection() async throws {
        try await OAuthFixture().run { client in
            let token = try await client.accessToken()
            let asked = { @Sendable (token: String?, authorization: [String]) async throws -> OAuthClient.Answer in
                try await client.post("/oauth/introspect", ["token": token], authorization: authorization)
            }
            let known = try await asked(token, [OAuthClient.webBasic])
            #expect(known.status == 200 && known.isForNobodyElse && known.json["active"] == .bool(true))
            #expect(known.json["sub"] == .string("alice") && known.json["token_type"] == .string("Bearer"))
            for text in ["nothing", token + "x"] {
                let answer = try await asked(text, [OAuthClient.webBasic])
                #expect(answer.status == 200 && answer.json.names == ["active"] && answer.json["active"] == .bool(false))
            }
            #expect(try await asked(token, []).isError("invalid_client", 401))
            #expect(try await asked(nil, [OAuthClient.webBasic]).isError("invalid_request"))
            let open = try await client.post("/oauth/introspect", ["token": token, "client_id": "shop-1"])
            #expect(open.isError("unauthorized_client"))
            try await client.fixture.people.end(3, of: 1, at: client.fixture.now)
            #expect(try await asked(token, [OAuthClient.webBasic]).json["active"] == .bool(false))
        }
    }

    @Test("S3-46 revocation: 200 without a body whatever the token was, and what it was of is over")
    func revocation() async throws {
        try await OAuthFixture().run { client in
            let tokens = try await client.exchange(try await client.fixture.code(offline: true).text).json
            let refresh = try #require(tokens["refresh_token"]?.string)
            let access = try #require(tokens["access_token"]?.string)
            for (text, hint) in [
                ("nothing", nil), (refresh, "access_token"), (refresh, "refresh_token"), (access, "refresh_token"), (access, "unheard_of"),
            ] as [(String, String?)] {
                let answer = try await client.post("/oauth/revoke", ["token": text, "token_type_hint": hint, "client_id": "shop-1"])
                #expect(answer.status == 200 && answer.body.isEmpty && answer.headers[.cacheControl] == "no-store")
                // Whatever the hint is: it says where to begin to look (RFC 7009 §2.1).
                if text != "nothing" { #expect(try await client.refresh(refresh).isError("invalid_grant")) }
            }
            let left = try await client.post("/oauth/introspect", ["token": access], authorization: [OAuthClient.webBasic])
            #expect(left.json["active"] == .bool(false))
            #expect(try await client.post("/oauth/revoke", ["client_id": "shop-1"]).isError("invalid_request"))
            #expect(try await client.post("/oauth/revoke", ["token": refresh]).isError("invalid_client", 401))
        }
    }

    @Test("Another client's token is revoked by nobody else, who is answered the same")
    func foreignRevocation() async throws {
        try await OAuthFixture().run { client in
            let token = try await client.accessToken()
            let answer = try await client.post("/oauth/revoke", ["token": token], authorization: [OAuthClient.webBasic])
            #expect(answer.status == 200)
            #expect(try await client.send(.get, "/userinfo", authorization: ["Bearer \(token)"]).status == 200)
        }
    }
}
