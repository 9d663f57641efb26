import Authentication
import HTTPTypes
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Requests that wait for a person: sent ahead, on a device, on a phone")
struct RequestRouteTests {
    /// A request of the website, sent ahead.
    static func push(
        _ changes: OAuthClient.Form = [:], by client: OAuthClient, authorization: [String] = [OAuthClient.webBasic], proofs: [String] = []
    ) async throws -> OAuthClient.Answer {
        let usual: OAuthClient.Form = [
            "response_type": "code", "redirect_uri": "https://reports.example/cb", "scope": "openid read",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256", "state": "s",
        ]
        return try await client.send(
            .post, "/oauth/par", OAuthClient.encoded(usual, changed: changes), authorization: authorization, proofs: proofs,
            contentType: OAuthClient.formType)
    }

    @Test("A request that was sent ahead is 201, with a name for a minute and a half")
    func push() async throws {
        try await OAuthFixture().run { client in
            let answer = try await Self.push(by: client)
            #expect(answer.status == 201 && answer.isForNobodyElse && answer.json.names == ["request_uri", "expires_in"])
            #expect(answer.json["request_uri"]?.string?.hasPrefix("urn:ietf:params:oauth:request_uri:") == true)
            #expect(answer.json["expires_in"] == .integer(90))
        }
    }

    @Test("What is wrong with a request is told at once, as JSON: par_request_uri_in_par_refused, authz_pkce_plain and others by their words")
    func pushRefusals() async throws {
        try await OAuthFixture().run { client in
            for (changes, word) in [
                (["request_uri": "urn:ietf:params:oauth:request_uri:x"], "request_uri_not_supported"),
                (["request": "a.b.c"], "request_not_supported"),
                (["code_challenge_method": "plain"], "invalid_request"), (["code_challenge": nil], "invalid_request"),
                (["redirect_uri": "https://reports.example/cb?a=b"], "invalid_request"),
                (["redirect_uri": "https://evil.example/"], "invalid_request"),
                (["response_type": "token"], "unsupported_response_type"), (["scope": "no\"ne"], "invalid_scope"),
                (["audience": "https://other.example"], "invalid_target"), (["prompt": "none login"], "invalid_request"),
                (["state": String(repeating: "a", count: 1_025)], "invalid_request"),
            ] as [(OAuthClient.Form, String)] {
                let answer = try await Self.push(changes, by: client)
                #expect(answer.isError(word), "\(changes)")
                #expect(answer.headers[.location] == nil)
            }
            #expect(try await Self.push(by: client, authorization: []).isError("invalid_client", 401))
        }
    }

    @Test("par_dpop_jkt_mismatch: a proof at the endpoint is for it, and of the key that the request names")
    func pushProofs() async throws {
        try await OAuthFixture().run { client in
            let now = client.fixture.now
            let address = OAuthFixture.origin + "/oauth/par"
            let send = { @Sendable (key: String?, proof: OAuthFixture.Proof) async throws -> OAuthClient.Answer in
                try await Self.push(["dpop_jkt": key], by: client, proofs: [try proof.text(at: now)])
            }
            let own = try OAuthFixture.thumbprint().text
            let other = try OAuthFixture.thumbprint(52).text
            #expect(try await send(other, OAuthFixture.Proof(address: address, id: "1")).isError("invalid_request"))
            #expect(try await send(own, OAuthFixture.Proof(id: "2")).isError("invalid_dpop_proof"))
            #expect(try await send(own, OAuthFixture.Proof(address: address, id: "3")).status == 201)
            #expect(try await send(nil, OAuthFixture.Proof(address: address, id: "3")).isError("invalid_dpop_proof"), "dpop_jti_replay")
        }
    }

    @Test("dev_pending, dev_slow_down, dev_expired: a device has two codes and an address, and is told to wait by the words of RFC 8628")
    func device() async throws {
        try await OAuthFixture().run { client in
            let form: OAuthClient.Form = ["client_id": "shop-1", "scope": "openid read", "audience": Sample.api.text]
            let answer = try await client.post("/oauth/device/code", form)
            #expect(answer.status == 200 && answer.isForNobodyElse)
            let userCode = try #require(answer.json["user_code"]?.string)
            #expect(UserCode(typed: userCode)?.shown == userCode)
            #expect(answer.json["verification_uri"] == .string("https://login.example/device"))
            #expect(answer.json["verification_uri_complete"] == .string("https://login.example/device?user_code=\(userCode)"))
            #expect(answer.json["expires_in"] == .integer(600) && answer.json["interval"] == .integer(5))
            let poll: OAuthClient.Form = [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "shop-1",
                "device_code": answer.json["device_code"]?.string,
            ]
            #expect(try await client.post("/oauth/token", poll).isError("authorization_pending"))
            #expect(try await client.post("/oauth/token", poll).isError("slow_down"))
            client.fixture.clock.advance(601)
            #expect(try await client.post("/oauth/token", poll).isError("expired_token"))
        }
    }

    @Test("A client that may not use devices, a scope of which nothing is its own, and an API that is another's")
    func deviceRefusals() async throws {
        try await OAuthFixture().run { client in
            let web = try await client.post("/oauth/device/code", [:], authorization: [OAuthClient.webBasic])
            #expect(web.isError("unauthorized_client"))
            #expect(try await client.post("/oauth/device/code", ["client_id": "shop-1", "scope": "write"]).isError("invalid_scope"))
            #expect(try await client.post("/oauth/device/code", ["client_id": "shop-1", "resource": "urn:x"]).isError("invalid_target"))
            #expect(try await client.post("/oauth/device/code", ["scope": "openid"]).isError("invalid_client", 401))
        }
    }

    @Test("ciba_unknown_user_no_enumeration: somebody and nobody are asked the same, and waiting is told by the words of CIBA")
    func backchannel() async throws {
        try await OAuthFixture().run { client in
            for user in ["alice", "nobody"] {
                let form: OAuthClient.Form = ["scope": "openid read", "audience": Sample.api.text, "login_hint": user, "binding_message": "W4-12"]
                let answer = try await client.post("/oauth/bc-authorize", form, authorization: [OAuthClient.webBasic])
                #expect(answer.status == 200 && answer.isForNobodyElse && answer.json.names == ["number", "auth_req_id", "expires_in", "interval"])
                #expect(answer.json["number"]?.string?.utf8.count == 3)
                #expect(answer.json["expires_in"] == .integer(300) && answer.json["interval"] == .integer(5))
                let poll: OAuthClient.Form = ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": answer.json["auth_req_id"]?.string]
                // ciba_poll_too_fast: the second comes in the same second.
                for word in ["authorization_pending", "slow_down"] {
                    #expect(try await client.post("/oauth/token", poll, authorization: [OAuthClient.webBasic]).isError(word))
                }
            }
        }
    }

    @Test("ciba_no_hint, ciba_two_hints, ciba_binding_message_long_or_emoji, ciba_requested_expiry, and a request object, by their words")
    func backchannelRefusals() async throws {
        try await OAuthFixture().run { client in
            for (form, word) in [
                (["scope": "openid"], "invalid_request"), (["scope": "openid", "login_hint": "a", "id_token_hint": "b"], "invalid_request"),
                (["scope": "openid", "login_hint_token": "a"], "invalid_request"),
                (["scope": "openid", "id_token_hint": "a.b.c"], "invalid_request"),
                (["scope": "read", "login_hint": "alice"], "invalid_scope"), (["login_hint": "alice"], "invalid_scope"),
                (["scope": "openid", "login_hint": "alice", "binding_message": String(repeating: "a", count: 65)], "invalid_binding_message"),
                (["scope": "openid", "login_hint": "alice", "binding_message": "a\nb"], "invalid_binding_message"),
                (["scope": "openid", "login_hint": "alice", "requested_expiry": "-1"], "invalid_request"),
                (["scope": "openid", "login_hint": "alice", "user_code": "1"], "invalid_request"),
                (["scope": "openid", "login_hint": "alice", "request": "a.b.c"], "invalid_request"),
                (["scope": "openid", "login_hint": "alice", "audience": "urn:x"], "invalid_target"),
            ] as [(OAuthClient.Form, String)] {
                let answer = try await client.post("/oauth/bc-authorize", form, authorization: [OAuthClient.webBasic])
                #expect(answer.isError(word), "\(form)")
            }
            let open: OAuthClient.Form = ["client_id": "shop-1", "scope": "openid", "login_hint": "alice"]
            #expect(try await client.post("/oauth/bc-authorize", open).isError("unauthorized_client"))
            let emoji: OAuthClient.Form = ["scope": "openid", "login_hint": "alice", "binding_message": "🐢 12 €"]
            #expect(try await client.post("/oauth/bc-authorize", emoji, authorization: [OAuthClient.webBasic]).status == 200)
        }
    }
}
