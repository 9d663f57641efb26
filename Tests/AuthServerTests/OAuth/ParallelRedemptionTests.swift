import Database
import Foundation
import HTTPTypes
import HummingbirdTesting
import OAuthProvider
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// What counts once, shown by 64 calls at once over the routes and the rows of a file or of PostgreSQL, as an operator has them.
@Suite("64 redemptions at once", .onBothEngines, .timeLimit(.minutes(attackMinutes)))
struct ParallelRedemptionTests {
    private static let callers = 64
    /// No more than there are bytes that name what a test makes.
    private static var rounds: UInt8 { UInt8(min(200, attackRounds(3))) }

    /// Each round has a byte of its own.
    private func rounds(_ round: @Sendable @escaping (OAuthClient, UInt8) async throws -> Void) async throws {
        try await withSeparateConnections { database in
            try await OAuthFixture(over: database).run { client in
                for number in 0..<Self.rounds { try await round(client, number + 5) }
            }
        }
    }

    /// What a call is answered that 64 make at once.
    private func atOnce(_ call: @Sendable @escaping () async throws -> OAuthClient.Answer) async throws -> [OAuthClient.Answer] {
        try await withThrowingTaskGroup(of: OAuthClient.Answer.self) { group in
            for _ in 0..<Self.callers { group.addTask { try await call() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// The one answer with tokens; all others are the same refusal, without a hint who was first.
    private func winner(of answers: [OAuthClient.Answer], others word: String, _ status: Int = 400) throws -> OAuthClient.Answer {
        #expect(answers.count == Self.callers && answers.count { $0.isError(word, status) } == Self.callers - 1)
        #expect(Set(answers.filter { $0.status != 200 }.map(\.body)).count == 1)
        return try #require(answers.first { $0.status == 200 })
    }

    /// Nothing that an answer gave opens anything.
    private func expectTakenBack(_ answer: OAuthClient.Answer, _ client: OAuthClient) async throws {
        let token = try #require(answer.json["access_token"]?.string)
        let told = try await client.post("/oauth/introspect", ["token": token], authorization: [OAuthClient.webBasic])
        #expect(told.json["active"] == .bool(false))
        #expect(try await client.send(.get, "/userinfo", authorization: ["Bearer \(token)"]).status == 401)
        guard let refresh = answer.json["refresh_token"]?.string else { return }
        #expect(try await client.refresh(refresh).isError("invalid_grant"))
    }

    @Test("tok_parallel_same_code_one_winner: one exchange of a code has tokens, and the others end them: access, refresh and all")
    func codes() async throws {
        try await rounds { client, byte in
            let (code, grant) = try await client.fixture.code(byte, offline: true)
            let won = try winner(of: try await atOnce { try await client.exchange(code) }, others: "invalid_grant")
            #expect(won.json["refresh_token"]?.string != nil)
            try await expectTakenBack(won, client)
            #expect(try await !client.fixture.people.stands(grant, at: client.fixture.now))
        }
    }

    @Test("rt_parallel_one_family: a refresh token has one successor, whoever asks, and nobody is logged out")
    func refreshes() async throws {
        try await rounds { client, byte in
            let (code, grant) = try await client.fixture.code(byte, offline: true)
            let first = try #require(try await client.exchange(code).json["refresh_token"]?.string)
            let answers = try await atOnce { try await client.refresh(first) }
            #expect(answers.allSatisfy { $0.status == 200 })
            let successors = Set(answers.compactMap { $0.json["refresh_token"]?.string })
            #expect(successors.count == 1 && !successors.contains(first))
            #expect(try await client.refresh(successors.first).status == 200)
            #expect(try await client.fixture.people.stands(grant, at: client.fixture.now))
        }
    }

    /// A client's question that a person has said yes to, and how the client asks.
    private struct Poll {
        let client: ClientID
        let way: PolledAuthorization.Way
        let form: OAuthClient.Form
        let authorization: [String]

        static func device(_ code: String) -> Self {
            Self(
                client: Sample.client, way: .device(userCodeHash: SHA([1])),
                form: ["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "shop-1", "device_code": code], authorization: [])
        }

        static func backchannel(_ code: String) throws -> Self {
            Self(
                client: try #require(ClientID("web-1")), way: .backchannel(Sample.accountID(1)),
                form: ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": code], authorization: [OAuthClient.webBasic])
        }

        /// Asks 64 times at once.
        func save(_ code: String, _ byte: UInt8, in fixture: OAuthFixture) async throws -> Grant {
            let grant = Sample.grant(byte, on: 3, of: 1, client: client)
            let approved = PolledAuthorization(
                hash: SHA(code.utf8), server: Sample.server, client: client, way: way, scopes: grant.scopes, api: grant.api, createdAt: Sample.now,
                life: 600, state: .approved(grant.id))
            try await fixture.people.write { rows in
                try rows.save(grant)
                try rows.save(approved)
            }
            return grant
        }
    }

    private func polls(_ make: @Sendable @escaping (String) throws -> Poll) async throws {
        try await rounds { client, byte in
            let code = "polled-\(byte)"
            let poll = try make(code)
            let grant = try await poll.save(code, byte, in: client.fixture)
            let answers = try await atOnce { try await client.post("/oauth/token", poll.form, authorization: poll.authorization) }
            try await expectTakenBack(try winner(of: answers, others: "invalid_grant"), client)
            #expect(try await !client.fixture.people.stands(grant, at: client.fixture.now))
        }
    }

    @Test("dev_code_used_twice: one poll with a device code has tokens, and the others end them")
    func deviceCodes() async throws { try await polls { .device($0) } }

    @Test("ciba_consumed_twice_revokes: one poll with an auth_req_id has tokens, and the others end them")
    func requestIDs() async throws { try await polls { try .backchannel($0) } }

    @Test("dpop_jti_replay: one call with a proof is answered, and the others learn nothing and move nothing")
    func proofs() async throws {
        try await rounds { client, byte in
            let code = try await client.fixture.code(byte, offline: true).text
            let token = try #require(try await client.exchange(code).json["refresh_token"]?.string)
            let proof = try OAuthFixture.Proof(id: "proof-\(byte)").text(at: client.fixture.now)
            let won = try winner(of: try await atOnce { try await client.refresh(token, proofs: [proof]) }, others: "invalid_dpop_proof")
            #expect(try await client.refresh(won.json["refresh_token"]?.string).status == 200)
        }
    }

    @Test("tok_assertion_jti_reused: one call with an assertion has a token")
    func assertions() async throws {
        try await rounds { client, byte in
            let form: OAuthClient.Form = [
                "grant_type": "client_credentials", "client_assertion": try OAuthFixture.assertion(at: client.fixture.now, id: "assertion-\(byte)"),
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ]
            _ = try winner(of: try await atOnce { try await client.post("/oauth/token", form) }, others: "invalid_client", 401)
        }
    }

    @Test("par_request_uri_reuse_after_login: one browser that brings a request has a code, and no second is written, nor told to the client")
    func requestURIs() async throws {
        try await withSeparateConnections { database in
            let fixture = try await AuthorizeFixture(over: database)
            let alice = try await fixture.addAccount()
            try await fixture.run { (browser) async throws in
                _ = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
                for _ in 0..<Self.rounds {
                    let before = try await fixture.count("oauth_code")
                    let path = "/authorize?client_id=shop&request_uri=\(AuthorizeResponse.escaped(try await push(to: fixture)))"
                    let heard = try await browser.atOnce(Self.callers) { tab, _ in try await tab.get(path) }
                    let told = heard.compactMap { $0.headers[.location] }
                    #expect(told.count == 1 && Browser.parameter("code", of: told.first) != nil, "\(told)")
                    #expect(heard.count { $0.status == .badRequest } == Self.callers - 1)
                    #expect(try await fixture.count("oauth_code") == before + 1)
                }
            }
        }
    }

    /// Sends a request ahead.
    /// - Returns: the name by which a browser brings it.
    private func push(to fixture: AuthorizeFixture) async throws -> String {
        let call = TokenCall(
            server: fixture.server, method: "POST", contentType: OAuthClient.formType,
            parameters: [
                Parameter("client_id", "shop"), Parameter("redirect_uri", AuthorizeFixture.callback), Parameter("response_type", "code"),
                Parameter("scope", "openid read"), Parameter("audience", AuthorizeFixture.api.text),
                Parameter("code_challenge", Browser.challenge), Parameter("code_challenge_method", "S256"),
            ], target: try #require(HTTPTarget(AuthorizeFixture.origin + "/oauth/par")))
        return try await fixture.oauth.push.push(call, at: fixture.clock.now).requestURI
    }
}
