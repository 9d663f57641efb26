import Foundation
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import OstiaryMobile

@Suite("ID tokens that lie: a login by one is none", .timeLimit(.minutes(10)))
struct IDTokenLieTests {
    private typealias Claims = @Sendable (inout JSONObject) -> Void

    private func outcome(_ lies: TokenServer.Lies) async throws -> TokenError? {
        let world = try TokenFixture()
        world.server.with { $0.lies = lies }
        do throws(TokenError) {
            try await world.process().logIn(in: world.browser)
            return nil
        } catch {
            #expect(try world.stored.logins.isEmpty)
            return error
        }
    }

    private func outcome(_ claims: @escaping Claims) async throws -> TokenError? {
        var lies = TokenServer.Lies()
        lies.claims = claims
        return try await outcome(lies)
    }

    @Test("S3-42 each claim that is not as it has to be is refused for its own reason")
    func claims() async throws {
        let (alice, past, ahead) = ("alice", Instant(1_799_999_000), Instant(1_800_001_000))
        let lies: [(IDTokenFault, Claims)] = [
            (.issuer, { $0["iss"] = .string("https://evil.example") }), (.issuer, { $0["iss"] = .string("https://login.example/") }),
            (.issuer, { $0["iss"] = nil }), (.audience, { $0["aud"] = .string("another") }), (.audience, { $0["aud"] = .strings(["another"]) }),
            (.malformed, { $0["aud"] = .strings([]) }), (.malformed, { $0["aud"] = nil }),
            (.authorizedParty, { $0["aud"] = .strings(["timesheets", "another"]) }), (.authorizedParty, { $0["azp"] = .string("another") }),
            (.authorizedParty, { $0["azp"] = .integer(1) }), (.nonce, { $0["nonce"] = .string("of-another-login") }), (.nonce, { $0["nonce"] = nil }),
            (.accessTokenHash, { $0["at_hash"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 16))) }),
            (.accessTokenHash, { $0["at_hash"] = .string("") }), (.expired, { $0["exp"] = .moment(past) }), (.malformed, { $0["exp"] = nil }),
            (.malformed, { $0["exp"] = .string("1900000000") }), (.issuedLater, { $0["iat"] = .moment(ahead) }), (.malformed, { $0["iat"] = nil }),
            (.malformed, { $0["sub"] = nil }), (.malformed, { $0["sub"] = .string("") }), (.malformed, { $0["sub"] = .integer(7) }),
            (.malformed, { $0["sub"] = .string(String(repeating: alice, count: 52)) }), (.malformed, { $0["email"] = .integer(7) }),
        ]
        for (fault, lie) in lies { #expect(try await outcome(lie) == .idToken(fault)) }
    }

    @Test("What may be otherwise is taken: two audiences with this client as its party, no hash, a clock a minute off, a name that is missing")
    func allowed() async throws {
        let variants: [Claims] = [
            {
                $0["aud"] = .strings(["timesheets", "another"])
                $0["azp"] = .string("timesheets")
            },
            { $0["aud"] = .strings(["timesheets"]) }, { $0["at_hash"] = nil }, { $0["iat"] = .moment(Instant(1_800_000_050)) },
            { $0["exp"] = .moment(Instant(1_799_999_950)) }, { $0["name"] = nil }, { $0["email"] = nil },
        ]
        for variant in variants { #expect(try await outcome(variant) == nil) }
    }

    @Test("A picture that no app should fetch is left out, and the rest of the profile counts")
    func picture() async throws {
        for address in ["http://login.example/alice.png", "file:///etc/passwd", "javascript:alert(1)"] {
            let world = try TokenFixture()
            world.server.with { $0.lies.claims = { $0["picture"] = .string(address) } }
            let profile = try #require(try await world.process().logIn(in: world.browser).profile)
            #expect(profile.picture == nil && profile.name == "Alice Example")
        }
    }

    @Test("S0-21 no signature, a shared secret made of the public key, an algorithm that the provider does not use, another key under the same name")
    func signatures() async throws {
        let server = try TokenServer(clock: TestClock())
        let thief = try LocalSigner(.es256, stored: [UInt8](repeating: 9, count: 32))
        let edwards = try LocalSigner(.edDSA, stored: [UInt8](repeating: 9, count: 32))

        var lies = TokenServer.Lies()
        lies.idToken = { Self.with(header: #"{"alg":"none","typ":"JWT"}"#, $0, signature: "") }
        #expect(try await outcome(lies) == .idToken(.algorithm))
        let point = server.signer.key.json.encoded
        lies.idToken = { text in
            let kid = server.signer.key.id ?? ""
            let header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT","kid":"\#(kid)"}"#.utf8))
            let input = header + "." + text.split(separator: ".")[1]
            return input + "." + Base64URL.encode(HMACSHA256.tag(over: Array(input.utf8), key: point))
        }
        #expect(try await outcome(lies) == .idToken(.algorithm))
        lies.idToken = nil

        lies.signer = edwards
        lies.keys = JWKSet([edwards.key, server.signer.key])
        #expect(try await outcome(lies) == .idToken(.algorithm), "its key is published, and the provider does not say that it uses it")
        lies.keys = nil
        lies.signer = thief
        #expect(try await outcome(lies) == .idToken(.key))
        lies.keys = JWKSet([JWK(server.signer.key.material, id: thief.key.id)])
        #expect(try await outcome(lies) == .idToken(.signature))
    }

    @Test("A token that is none: three parts, base64url, JSON, a name twice, an access token in its place, a changed byte, none at all")
    func malformed() async throws {
        let lies: [(IDTokenFault, @Sendable (String) -> String)] = [
            (.malformed, { _ in "abc" }), (.malformed, { $0 + ".x" }), (.malformed, { $0.replacingOccurrences(of: ".", with: ".=") }),
            (.malformed, { Self.with(header: #"{"alg":"ES256","alg":"ES256"}"#, $0) }),
            (.malformed, { Self.with(header: #"{"alg":"ES256","typ":"at+jwt"}"#, $0) }),
            (.malformed, { Self.with(header: #"{"alg":"ES256","crit":["x"]}"#, $0) }), (.signature, { Self.with(header: #"{"alg":"ES256"}"#, $0) }),
        ]
        for (fault, lie) in lies {
            var wrong = TokenServer.Lies()
            wrong.idToken = lie
            #expect(try await outcome(wrong) == .idToken(fault))
        }
        var wrong = TokenServer.Lies()
        wrong.answer = { $0["id_token"] = nil }
        #expect(try await outcome(wrong) == .idToken(.missing))
        #expect(TokenError.idToken(.signature).advice == .askDeveloper && TokenError.idToken(.expired).advice == .askUser)
    }

    @Test("A key that the provider began to use since is fetched once, and names that nobody has are not fetched twice by one token")
    func rotation() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        #expect(world.server.calls(to: "/keys") == 1)
        try await client.logIn(in: world.browser)
        #expect(world.server.calls(to: "/keys") == 1)
        let next = try LocalSigner(.es256, stored: [UInt8](repeating: 8, count: 32))
        world.server.with { state in
            state.lies.signer = next
            state.lies.keys = JWKSet([next.key])
        }
        try await client.logIn(in: world.browser)
        #expect(world.server.calls(to: "/keys") == 2)
    }

    /// A token with another header, and with another signature if one is given.
    private static func with(header: String, _ text: String, signature: String? = nil) -> String {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return [Base64URL.encode(Array(header.utf8)), String(parts[1]), signature ?? String(parts[2])].joined(separator: ".")
    }
}
