import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import AuthServer

/// Over the whole token endpoint and a real database: what two may not have, one has.
@Suite(.timeLimit(.minutes(attackMinutes)))
struct ProviderConcurrencyTests {
    typealias Backend = ProviderStoreBackend

    private static let rounds = attackRounds(20)

    /// Lends a provider with one application and one API, and Alice logged in by session 3.
    private func run(on backend: Backend, _ body: @Sendable (ProviderAtWork) async throws -> Void) async throws {
        try await backend.runWithAlice { fixture in try await body(try ProviderAtWork(fixture)) }
    }

    /// A new grant of Alice's, with what a test hangs on it.
    private func begin(
        _ round: Int, offline: Bool = false, in provider: ProviderAtWork, _ body: @Sendable @escaping (any OAuthRows, Grant) throws -> Void
    ) async throws -> Grant {
        let former = Sample.grant(1, on: 3, of: 1, offline: offline)
        let id = GrantID(Array(SHA("grant-\(round)".utf8).prefix(16)))!
        let grant = Grant(
            id: id, server: former.server, client: former.client, holder: former.holder, scopes: former.scopes, api: former.api,
            authentication: former.authentication, nonce: nil, session: former.session, createdAt: former.createdAt)
        try await provider.fixture.write { rows in
            try rows.save(grant)
            try body(rows, grant)
        }
        return grant
    }

    private func parallelCodes(_ rounds: Int, callers: Int, on backend: Backend) async throws {
        try await run(on: backend) { provider in
            for round in 0..<rounds {
                let text = "code-\(round)"
                let challenge = try CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
                let grant = try await begin(round, in: provider) { rows, grant in
                    try rows.save(
                        AuthorizationCode(
                            hash: AuthorizationCode.hash(of: text), server: Sample.server, client: Sample.client, grant: grant.id, redirectURI: nil,
                            challenge: challenge, boundKey: nil, expiresAt: ProviderAtWork.moment))
                }
                let parameters = [
                    Parameter("grant_type", "authorization_code"), Parameter("code", text), Parameter("code_verifier", Sample.verifier),
                ]
                let count = await winners(of: callers) { _ in (try? await provider.answer(parameters)) != nil }
                #expect(count == 1, "round \(round)")
                // The others were a second use, which takes back what the code gave.
                #expect(try await !provider.fixture.stands(grant))
            }
        }
    }

    @Test("tok_parallel_same_code_one_winner: of 64 at once one has tokens")
    func codes() async throws { try await parallelCodes(Self.rounds, callers: 64, on: .sqliteFile) }

    @Test("The same while commits are lost: who won and did not hear of it looks again and has tokens", .againWithLostCommits)
    func lostCodes() async throws { try await parallelCodes(8, callers: 16, on: .sqliteInMemory) }

    private func parallelRefreshes(_ rounds: Int, callers: Int, on backend: Backend) async throws {
        try await run(on: backend) { provider in
            let derivation = TokenDerivation(secret: ProviderAtWork.secret)
            for round in 0..<rounds {
                let grant = try await begin(round, offline: true, in: provider) { rows, grant in
                    try rows.save(
                        RefreshFamily(
                            grant: grant.id, server: grant.server, client: grant.client, binding: .none, life: .unlimited, createdAt: Sample.now))
                }
                let parameters = [
                    Parameter("grant_type", "refresh_token"),
                    Parameter("refresh_token", derivation.refreshToken(of: grant.id, generation: 0).text),
                ]
                let given = Mutex<[String?]>([])
                let count = await winners(of: callers) { _ in
                    guard let response = try? await provider.answer(parameters) else { return false }
                    given.withLock { $0.append(response.refreshToken) }
                    return true
                }
                #expect(count == callers, "round \(round)")
                let texts = given.withLock { Set($0) }
                #expect(texts == [derivation.refreshToken(of: grant.id, generation: 1).text])
                #expect(try await provider.fixture.stands(grant))
            }
        }
    }

    @Test("rt_parallel_one_family: 64 at once have one successor, and nobody is logged out")
    func refreshes() async throws { try await parallelRefreshes(Self.rounds, callers: 64, on: .sqliteFile) }

    @Test("The same while commits are lost", .againWithLostCommits)
    func lostRefreshes() async throws { try await parallelRefreshes(8, callers: 16, on: .sqliteInMemory) }

    /// How a client asks for what a person decides elsewhere.
    private struct Poll: Sendable {
        let way: PolledAuthorization.Way
        let type: GrantType
        let parameter: String

        static let device = Poll(way: .device(userCodeHash: SHA([1])), type: .deviceCode, parameter: "device_code")
        static let backchannel = Poll(way: .backchannel(Sample.accountID(1)), type: .backchannel, parameter: "auth_req_id")
    }

    private func parallelPolls(_ rounds: Int, by poll: Poll = .device, callers: Int, on backend: Backend) async throws {
        try await run(on: backend) { provider in
            var application = Sample.application()
            application.grantTypes.insert(poll.type)
            let asking = application
            try await provider.fixture.write { rows in try rows.save(asking) }
            for round in 0..<rounds {
                let code = "polled-\(round)"
                let grant = try await begin(round, in: provider) { rows, grant in
                    try rows.save(
                        PolledAuthorization(
                            hash: SHA(code.utf8), server: Sample.server, client: Sample.client, way: poll.way, scopes: grant.scopes, api: grant.api,
                            createdAt: Sample.now, life: 600, state: .approved(grant.id)))
                }
                let parameters = [Parameter("grant_type", poll.type.rawValue), Parameter(poll.parameter, code)]
                let count = await winners(of: callers) { _ in (try? await provider.answer(parameters)) != nil }
                #expect(count == 1, "round \(round)")
                // The others were a second use, which takes back what it gave.
                #expect(try await !provider.fixture.stands(grant))
            }
        }
    }

    @Test("dev_code_used_twice: of 64 polls at once one has tokens")
    func polls() async throws { try await parallelPolls(Self.rounds, callers: 64, on: .sqliteFile) }

    @Test("The same while commits are lost, with the device code", .againWithLostCommits)
    func lostPolls() async throws { try await parallelPolls(8, callers: 16, on: .sqliteInMemory) }

    @Test("ciba_consumed_twice_revokes: of 64 polls with one auth_req_id at once one has tokens, and the others end them")
    func requestIDs() async throws { try await parallelPolls(Self.rounds, by: .backchannel, callers: 64, on: .sqliteFile) }

    @Test("The same while commits are lost, with the auth_req_id", .againWithLostCommits)
    func lostRequestIDs() async throws { try await parallelPolls(8, by: .backchannel, callers: 16, on: .sqliteInMemory) }

    @Test("dpop_jti_replay, par_request_uri_reuse: of 64 at once one spends a proof, and one a request")
    func once() async throws {
        try await run(on: .sqliteFile) { provider in
            let store = provider.fixture.store
            for round in 0..<Self.rounds {
                let key = SHA("round-\(round)".utf8)
                try await provider.fixture.write { rows in
                    try rows.save(
                        PushedRequest(hash: key, server: Sample.server, client: Sample.client, parameters: [], expiresAt: Sample.now))
                }
                let proofs = await winners(of: 64) { caller in
                    let call = Sample.redemption(UInt8(caller))
                    return (try? await store.write { rows in try rows.spend(key, by: call, until: Sample.now) }) == true
                }
                let requests = await winners(of: 64) { _ in
                    let won = try? await store.write { rows -> Bool in
                        guard var request = try rows.pushedRequest(hash: key, of: Sample.server), !request.isSpent else { return false }
                        request.isSpent = true
                        try rows.save(request)
                        return true
                    }
                    return won == true
                }
                #expect(proofs == 1 && requests == 1, "round \(round)")
            }
        }
    }
}
