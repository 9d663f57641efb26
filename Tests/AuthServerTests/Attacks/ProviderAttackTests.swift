import HTTPTypes
import HummingbirdTesting
import OAuthProvider
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTokens
import Testing

@testable import AuthServer

/// What is told of providers by name, over the routes and the real rows. An open redirect and a forged consent are tried where their pages are.
@Suite("Attacks on the provider", .timeLimit(.minutes(10)))
struct ProviderAttackTests {
    private static let otherFolder = "/oidc/\(OAuthFixture.other.text)"

    /// A second provider beside the first, at which the same client is registered.
    private func withOther(_ body: @Sendable @escaping (OAuthClient) async throws -> Void) async throws {
        let fixture = try await OAuthFixture()
        try await fixture.addOther()
        try await fixture.run(body)
    }

    @Test("The attack of a mix-up: what one issuer gave is worth nothing at another, is not spent there, and is good at its own", .onBothEngines)
    func mixUp() async throws {
        try await withOther { client in
            let code = try await client.fixture.code(offline: true).text
            let form: OAuthClient.Form = [
                "grant_type": "authorization_code", "client_id": "shop-1", "code_verifier": Sample.verifier, "code": code,
                "redirect_uri": "com.example.shop:/cb",
            ]
            #expect(try await client.post(Self.otherFolder + "/oauth/token", form).isError("invalid_grant"))
            let given = try await client.exchange(code).json
            let access = try #require(given["access_token"]?.string)
            let refresh = try #require(given["refresh_token"]?.string)
            let elsewhere = try await client.send(.get, Self.otherFolder + "/userinfo", authorization: ["Bearer \(access)"])
            #expect(elsewhere.status == 401 && elsewhere.error == "invalid_token")
            let renewal: OAuthClient.Form = ["grant_type": "refresh_token", "client_id": "shop-1", "refresh_token": refresh]
            #expect(try await client.post(Self.otherFolder + "/oauth/token", renewal).isError("invalid_grant"))
            #expect(try await client.send(.get, "/userinfo", authorization: ["Bearer \(access)"]).status == 200)
            #expect(try await client.refresh(refresh).status == 200)
        }
    }

    @Test("The attack of a mix-up: a client that compares iss (RFC 9207) knows who answers, with a code and with an error")
    func mixUpInBrowser() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let good = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            let wrong = try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, ["response_type": "token"]))
            #expect(Browser.parameter("code", of: good.headers[.location]) != nil && Browser.parameter("error", of: wrong.headers[.location]) != nil)
            for answer in [good, wrong] {
                #expect(Browser.parameter("iss", of: answer.headers[.location]) == AuthorizeResponse.escaped(AuthorizeFixture.origin))
            }
        }
    }

    @Test(
        "The attack of an injected code: by another client, with another verifier or address it gives nothing, and is over for its owner too",
        .onBothEngines)
    func injectedCode() async throws {
        try await OAuthFixture().run { client in
            let injections: [(OAuthClient.Form, [String])] = [
                (["client_id": nil], [OAuthClient.webBasic]), (["code_verifier": String(repeating: "a", count: 43)], []),
                (["redirect_uri": "com.example.thief:/cb"], []),
            ]
            for (number, injection) in injections.enumerated() {
                let (code, grant) = try await client.fixture.code(UInt8(10 + number))
                #expect(try await client.exchange(code, injection.0, authorization: injection.1).isError("invalid_grant"), "\(injection)")
                #expect(try await client.exchange(code).isError("invalid_grant"), "\(injection)")
                #expect(try await !client.fixture.people.stands(grant, at: client.fixture.now), "\(injection)")
            }
        }
    }

    @Test("The attack of a PKCE downgrade: no request goes without a challenge of S256, and no code without its verifier")
    func pkceDowngrade() async throws {
        let pages = try await AuthorizeFixture()
        try await pages.run { (browser) async throws in
            for changes in [
                ["code_challenge": nil, "code_challenge_method": nil], ["code_challenge": nil], ["code_challenge_method": nil],
                ["code_challenge_method": "plain"], ["code_challenge": "", "code_challenge_method": ""],
            ] as [KeyValuePairs<String, String?>] {
                let answer = try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, changes))
                #expect(Browser.parameter("error", of: answer.headers[.location]) == "invalid_request", "\(changes)")
                #expect(browser.visits.isEmpty)
            }
        }
        try await OAuthFixture().run { client in
            let code = try await client.fixture.code(10).text
            for changes in [["code_verifier": nil], ["code_verifier": ""]] as [OAuthClient.Form] {
                #expect(try await client.exchange(code, changes).isError("invalid_request"), "\(changes)")
            }
            // What says nothing of the code spends nothing; the challenge in the place of its verifier does.
            #expect(try await client.exchange(code).status == 200)
            let plain = try await client.fixture.code(11).text
            #expect(try await client.exchange(plain, ["code_verifier": Browser.challenge]).isError("invalid_grant"))
        }
    }

    @Test("The attack with a confused token: alg, typ, kid, jku, jwk, crit and empty signatures open nothing, at any endpoint that reads tokens")
    func confusedToken() async throws {
        try await OAuthFixture().run { client in
            let given = try await client.exchange(try await client.fixture.code().text).json
            let good = try #require(given["access_token"]?.string)
            let forgery = try Forgery(of: good, by: try LocalSigner(.es256, stored: Sample.bytes(31)))
            let other = ["rs_id_token_refused": try #require(given["id_token"]?.string), "rs_token_1MB": String(repeating: "a", count: 1_048_576)]
            for (name, token) in try forgery.all + forgery.otherTypes + other.map({ ($0.key, $0.value) }) {
                let answer = try await client.send(.get, "/userinfo", authorization: ["Bearer \(token)"])
                #expect(answer.status == 401 && answer.error == "invalid_token", "\(name)")
                guard token.utf8.count < 16_000 else { continue }
                let told = try await client.post("/oauth/introspect", ["token": token], authorization: [OAuthClient.webBasic])
                #expect(told.status == 200 && told.json["active"] == .bool(false), "\(name)")
                let revoked = try await client.post("/oauth/revoke", ["token": token, "client_id": "shop-1"])
                #expect(revoked.status == 200, "\(name)")
            }
            // It was none of what stands around: the same signed as it should be is good, and none of those revocations touched it.
            for token in [good, try forgery.again()] {
                #expect(try await client.send(.get, "/userinfo", authorization: ["Bearer \(token)"]).status == 200)
            }
        }
    }

    @Test("The attack with a confused assertion: no client is known by one, and what was tried spends none")
    func confusedAssertion() async throws {
        try await OAuthFixture().run { client in
            let ask = { @Sendable (assertion: String) async throws -> OAuthClient.Answer in
                try await client.post(
                    "/oauth/token",
                    [
                        "grant_type": "client_credentials", "client_assertion": assertion,
                        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    ])
            }
            let good = try OAuthFixture.assertion(at: client.fixture.now)
            let forgery = try Forgery(of: good, by: try LocalSigner(.es256, stored: Sample.bytes(61)))
            for (name, assertion) in try forgery.all { #expect(try await ask(assertion).isError("invalid_client", 401), "\(name)") }
            #expect(try await ask(try forgery.again()).status == 200)
        }
    }
}

/// What is made of a good token to be taken for one.
private struct Forgery {
    let signer: LocalSigner
    let thief: LocalSigner
    let header: OstiaryTokens.JSONObject
    let claims: OstiaryTokens.JSONObject
    /// Claims and signature as they came.
    let payload: String
    let signature: String

    init(of good: String, by signer: LocalSigner) throws {
        let parts = good.split(separator: ".").map(String.init)
        self.signer = signer
        thief = try LocalSigner(.es256, stored: Sample.bytes(66))
        header = try JSONReader.object(try #require(Base64URL.decode(parts[0])))
        claims = try JSONReader.object(try #require(Base64URL.decode(parts[1])))
        (payload, signature) = (parts[1], parts[2])
    }

    /// The good one, signed once more.
    func again() throws -> String { try signer.sign(claims, header: header) }

    var all: [(String, String)] {
        get throws { try unsigned + confusedKeys() + [("empty signature", try bare(header) + ".")] + ownHeaders() }
    }

    /// By the right key, of another type.
    var otherTypes: [(String, String)] {
        get throws {
            try ["JWT", "logout+jwt", "dpop+jwt", "token-introspection+jwt", nil].map { type in
                ("rs_typ_JWT_refused_strict \(type ?? "none")", try signer.sign(claims, header: changed("typ", type.map { .string($0) })))
            }
        }
    }

    private func changed(_ name: String, _ value: JSONValue?) -> OstiaryTokens.JSONObject {
        var header = header
        header[name] = value
        return header
    }

    private func bare(_ header: OstiaryTokens.JSONObject) throws -> String { "\(Base64URL.encode(header.encoded)).\(payload)" }

    /// Under a header that asks for no signature, or for another algorithm than made it.
    private var unsigned: [(String, String)] {
        get throws {
            try ["none", "None", "NONE", "nOnE", "RS256", "EdDSA", "ES384", ""].flatMap { name in
                let bare = try bare(changed("alg", .string(name)))
                return [("rs_alg_none \(name), unsigned", bare + "."), ("rs_alg_none \(name), signed", "\(bare).\(signature)")]
            }
        }
    }

    /// The public key as the secret of an HMAC, in each form in which anybody has it.
    private func confusedKeys() throws -> [(String, String)] {
        let bare = try bare(changed("alg", .string("HS256")))
        let (x, y) = (try coordinate("x"), try coordinate("y"))
        return [signer.key.json.encoded, x + y, [4] + x + y, []].enumerated().map { number, secret in
            let tag = HMACSHA256.tag(over: Array(bare.utf8), key: secret)
            return ("rs_alg_confusion_HS256_with_pubkey \(number)", "\(bare).\(Base64URL.encode(tag))")
        }
    }

    private func coordinate(_ name: String) throws -> [UInt8] {
        let text = try #require(signer.key.json[name]?.string)
        return try #require(Base64URL.decode(text))
    }

    /// What the header says beside: of the thief's key, signed with it; and what has to be understood, by the right one.
    private func ownHeaders() throws -> [(String, String)] {
        let brought: [(String, JSONValue)] = [
            ("jwk", .object(thief.key.json)), ("jku", .string("https://thief.example/keys")), ("x5u", .string("https://thief.example/x")),
        ]
        var tokens = try brought.map { ("rs_\($0.0)_ignored", try thief.sign(claims, header: changed($0.0, $0.1))) }
        for kid in ["../../etc/passwd", "' OR 1=1 --", "https://thief.example/keys", ""] {
            tokens.append(("rs_kid_path_injection \(kid)", try signer.sign(claims, header: changed("kid", .string(kid)))))
        }
        for crit in [JSONValue.strings(["exp"]), .strings([]), .string("b64")] {
            tokens.append(("rs_crit_header", try signer.sign(claims, header: changed("crit", crit))))
        }
        return tokens
    }
}
