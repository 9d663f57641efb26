import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Provider's store: what was saved is found, and nothing of before", .againWithLostCommits)
struct ProviderStoreTests {
    typealias Backend = ProviderStoreBackend
    private static let other = ServerID(Sample.bytes(2, 16))!

    /// Each value in turn takes the place of the one before, known to its transaction or not.
    private func saves<Value: Equatable & Sendable>(
        _ values: [Value], in fixture: ProviderStoreFixture, by save: @Sendable @escaping (any OAuthRows, Value) throws -> Void,
        found: @Sendable @escaping (any OAuthRows) throws -> Value?
    ) async throws {
        for isKnown in [false, true] {
            for (index, value) in (values + values.reversed()).enumerated() {
                let after = try await fixture.store.write { rows -> Value? in
                    if isKnown { _ = try found(rows) }
                    try save(rows, value)
                    return try found(rows)
                }
                #expect(after == value, "save \(index), in the same transaction")
                #expect(try await fixture.read { rows in try found(rows) } == value, "save \(index)")
            }
        }
    }

    @Test("An application, bare and with everything", arguments: Backend.allCases)
    func applications(on backend: Backend) async throws {
        try await backend.run { fixture in
            var polling = Sample.application(.privateKeyJWT)
            polling.backchannel = .poll
            let values = [Sample.application(), try Sample.fullApplication(), polling]
            try await saves(values, in: fixture, by: { try $0.save($1) }, found: { try $0.application(Sample.client, of: Sample.server) })
            let elsewhere = try await fixture.read { rows in try rows.application(Sample.client, of: Self.other) }
            #expect(elsewhere == nil)
        }
    }

    @Test("An API, a role and a user; a name with spaces is one name", arguments: Backend.allCases)
    func registry(on backend: Backend) async throws {
        try await backend.run { fixture in
            var bare = ProtectedAPI(identifier: Sample.api, server: Sample.server, name: "Other")
            bare.form = .opaque
            bare.algorithm = .edDSA
            (bare.life, bare.sessionLife, bare.firstPartySkipsConsent, bare.checksPermissions) = (60, 30, false, true)
            bare.addedClaims = [ClaimName("https://api.example/email")!: .email, ClaimName("urn:verified")!: .emailVerified]
            let apis = [Sample.protectedAPI(), bare]
            try await saves(apis, in: fixture, by: { try $0.save($1) }, found: { try $0.api(Sample.api, of: Sample.server) })
            let roles = [
                Role(server: Sample.server, name: "Team lead", permissions: [Sample.api: Sample.scopes("read write"), APIIdentifier("urn:a")!: []]),
                Role(server: Sample.server, name: "Team lead", permissions: [:]),
            ]
            try await saves(roles, in: fixture, by: { try $0.save($1) }, found: { try $0.role("Team lead", of: Sample.server) })
            let profile = ProfileClaims(name: "Alice", picture: "https://p.example/a", email: "a@example.com", isEmailVerified: true)
            let users = [
                ProviderUser(server: Sample.server, userID: "alice", profile: profile, roles: ["Team lead", "Clerk"]),
                ProviderUser(server: Sample.server, userID: "alice"),
            ]
            try await saves(users, in: fixture, by: { try $0.save($1) }, found: { try $0.user("alice", of: Sample.server) })
        }
    }

    @Test("What roles permit somebody is one for all of their accounts, and nothing for an account that stands alone", arguments: Backend.allCases)
    func permissions(on backend: Backend) async throws {
        try await backend.run { fixture in
            for (account, user) in [(UInt8(1), "alice"), (2, "alice"), (3, nil)] { try await fixture.enrol(account, userID: user) }
            try await fixture.write { rows in
                try rows.save(Role(server: Sample.server, name: "A", permissions: [Sample.api: Sample.scopes("read")]))
                try rows.save(Role(server: Sample.server, name: "B b", permissions: [Sample.api: Sample.scopes("write read")]))
                try rows.save(ProviderUser(server: Sample.server, userID: "alice", roles: ["B b", "A", "none"]))
            }
            for (account, text) in [(UInt8(1), "read write"), (2, "read write"), (3, "")] {
                let permitted = try await fixture.read { rows in
                    try rows.permissions(of: Sample.accountID(account), at: Sample.api, server: Sample.server)
                }
                #expect(permitted == Sample.scopes(text))
            }
        }
    }

    @Test("A grant keeps what its client asked for by name, and where it may see it", arguments: Backend.allCases)
    func askedClaims(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            try await fixture.logIn(3, as: 1)
            let all = Set(PersonClaim.allCases)
            let asked = [AskedClaims.none, AskedClaims(idToken: all), AskedClaims(idToken: [.emailVerified], userInfo: [.email, .name])]
            for (number, claims) in asked.enumerated() {
                let grant = Sample.grant(UInt8(5 + number), on: 3, of: 1, asked: claims)
                try await fixture.write { rows in try rows.save(grant) }
                #expect(try await fixture.read { rows in try rows.grant(grant.id) } == grant)
                #expect(try await fixture.stands(grant))
            }
        }
    }

    @Test("A code, a family, an opaque token and a request that was sent ahead", arguments: Backend.allCases)
    func tokens(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            try await fixture.logIn(3, as: 1)
            let grant = Sample.grant(5, on: 3, of: 1)
            try await fixture.write { rows in try rows.save(grant) }
            let code = try Sample.code(1, for: grant)
            var spent = AuthorizationCode(
                hash: code.hash, server: code.server, client: code.client, grant: code.grant, redirectURI: "https://shop.example/cb",
                challenge: code.challenge, boundKey: Sample.thumbprint, expiresAt: code.expiresAt)
            spent.redeemedBy = Sample.redemption(9)
            try await saves([code, spent], in: fixture, by: { try $0.save($1) }, found: { try $0.code(hash: code.hash, of: Sample.server) })
            let elsewhere = try await fixture.read { rows in try rows.code(hash: code.hash, of: Self.other) }
            #expect(elsewhere == nil)
            let families = [RefreshFamily.Binding.none, .client, .key(Sample.thumbprint)].map { binding in
                RefreshFamily(
                    grant: grant.id, server: Sample.server, client: Sample.client, binding: binding, life: RefreshLife(absolute: 9, idle: nil),
                    createdAt: Sample.now, generation: .max, renewedAt: Sample.now + 1, usedAt: Sample.now + 2)
            }
            try await saves(families, in: fixture, by: { try $0.save($1) }, found: { try $0.family(of: grant.id) })
            let claims = AccessTokenClaims(
                issuer: "https://login.example", subject: "alice", audiences: [Sample.api.text, "https://login.example"], clientID: "shop-1",
                issuedAt: Sample.now, expiresAt: Sample.now + 60, id: "x.y", scope: "read", authentication: grant.authentication,
                boundKey: Sample.thumbprint)
            let tokens = [grant.id, nil].map { OpaqueToken(hash: Sample.bytes(4), claims: claims, grant: $0) }
            try await saves(
                tokens, in: fixture, by: { try $0.save($1, of: Sample.server) },
                found: { try $0.opaqueToken(hash: Sample.bytes(4), of: Sample.server) })
            let ends: [(isSpent: Bool, refusedBy: RefusalID?)] = [
                (false, nil), (true, nil), (false, RefusalID(Sample.bytes(7, 16))), (true, RefusalID(Sample.bytes(8, 16))),
            ]
            let requests = ends.map { end in
                PushedRequest(
                    hash: Sample.bytes(5), server: Sample.server, client: Sample.client,
                    parameters: [Parameter("resource", "urn:a"), Parameter("resource", "ü \"\n\u{0}"), Parameter("", "")], expiresAt: Sample.now,
                    isSpent: end.isSpent, refusedBy: end.refusedBy)
            }
            try await saves(
                requests, in: fixture, by: { try $0.save($1) }, found: { try $0.pushedRequest(hash: Sample.bytes(5), of: Sample.server) })
        }
    }

    @Test("A polled authorization in every state, with its secrets", arguments: Backend.allCases)
    func polled(on backend: Backend) async throws {
        try await backend.run { fixture in
            let states: [PolledAuthorization.State] = [
                .pending, .approved(Sample.grantID(1)), .denied, .redeemed(Sample.grantID(1), by: Sample.redemption(2)),
            ]
            let ways: [PolledAuthorization.Way] = [.device(userCodeHash: Sample.bytes(6)), .backchannel(Sample.accountID(1)), .backchannel(nil)]
            let values = states.flatMap { state in ways.flatMap { [Sample.polled(1, $0, state: state, pinged: true)] } }
            let hash = values[0].hash
            try await saves(values, in: fixture, by: { try $0.save($1) }, found: { try $0.polled(hash: hash, of: Sample.server) })
            let found = try #require(try await fixture.read { rows in try rows.polled(hash: hash, of: Sample.server) }?.notification)
            let secrets = [try found.token.bytes(), try found.requestID.bytes()]
            #expect(secrets == [Sample.bytes(0x21), Sample.bytes(0x22)])
        }
    }

    @Test("A user code finds what waits with it, the newest of two, and nothing that is decided", arguments: Backend.allCases)
    func userCodes(on backend: Backend) async throws {
        try await backend.run { fixture in
            let (waiting, decided) = (
                Sample.polled(1, .device(userCodeHash: Sample.bytes(6))), Sample.polled(2, .device(userCodeHash: Sample.bytes(7)), state: .denied)
            )
            try await fixture.write { rows in for each in [waiting, decided] { try rows.save(each) } }
            #expect(try await fixture.read { rows in try rows.polled(userCodeHash: Sample.bytes(6), of: Sample.server) } == waiting)
            #expect(try await fixture.read { rows in try rows.polled(userCodeHash: Sample.bytes(6), of: Self.other) } == nil)
            #expect(try await fixture.read { rows in try rows.polled(userCodeHash: Sample.bytes(7), of: Sample.server) } == nil)
        }
    }

    @Test("A user code that ran out undecided is told from a guess until its row goes, on both engines", arguments: Backend.allCases)
    func overUserCode(on backend: Backend) async throws {
        try await backend.run { fixture in
            let over = Sample.polled(1, .device(userCodeHash: Sample.bytes(6)), createdAt: Sample.now - 1_000)
            try await fixture.write { rows in try rows.save(over) }
            let found = try await fixture.read { rows in try rows.polled(userCodeHash: Sample.bytes(6), of: Sample.server) }
            #expect(found == over && found?.isWaiting(at: Sample.now) == false)
        }
    }

    @Test("What a client asked of an account is counted for this client and this account, since a moment", arguments: Backend.allCases)
    func backchannel(on backend: Backend) async throws {
        try await backend.run { fixture in
            let (mine, bank) = (PolledAuthorization.Way.backchannel(Sample.accountID(1)), ClientID("bank")!)
            let counted = [Sample.polled(2, mine, state: .denied, createdAt: Sample.now - 5), Sample.polled(1, mine)]
            let others = [
                Sample.polled(3, mine, createdAt: Sample.now - 6), Sample.polled(4, mine, client: bank),
                Sample.polled(5, .backchannel(Sample.accountID(2))), Sample.polled(6, .device(userCodeHash: Sample.bytes(1))),
            ]
            try await fixture.write { rows in for each in counted + others { try rows.save(each) } }
            let found = try await fixture.read { rows in
                try rows.backchannelRequests(of: Sample.client, for: Sample.accountID(1), since: Sample.now - 5)
            }
            #expect(found == counted)
        }
    }

    @Test("A consent is one account's, to one client, for one API or for none", arguments: Backend.allCases)
    func consents(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            for api in [nil, Sample.api] {
                let said: [(scopes: String, at: Instant)] = [
                    ("openid", Instant(0)), ("openid profile", Sample.now), ("openid profile", Sample.now + 1),
                ]
                let values = said.map {
                    Consent(account: Sample.accountID(1), client: Sample.client, api: api, scopes: Sample.scopes($0.scopes), givenAt: $0.at)
                }
                try await saves(
                    values, in: fixture, by: { try $0.save($1, of: Sample.server) },
                    found: { try $0.consent(of: Sample.accountID(1), to: Sample.client, for: api, server: Sample.server) })
            }
            let found = try await fixture.read { rows in
                try rows.consent(of: Sample.accountID(2), to: Sample.client, for: nil, server: Sample.server)
            }
            #expect(found == nil)
        }
    }

    @Test("What may be shown once is taken from one call, and from that call again when it looks again", arguments: Backend.allCases)
    func spent(on backend: Backend) async throws {
        try await backend.run { fixture async throws in
            func spend(by call: UInt8) async throws -> Bool {
                try await fixture.store.write { rows in
                    try rows.spend(Sample.bytes(1), by: Sample.redemption(call), until: Sample.now + UInt64(call))
                }
            }
            #expect(try await spend(by: 1))
            #expect(try await spend(by: 1))
            #expect(try await !spend(by: 2))
        }
    }

    @Test("A token that was revoked by itself is known at its own server, also when it is revoked twice", arguments: Backend.allCases)
    func revoked(on backend: Backend) async throws {
        try await backend.run { fixture in
            for _ in 0..<2 { try await fixture.write { rows in try rows.revoke(tokenID: "x.y", of: Sample.server, until: Sample.now) } }
            #expect(try await fixture.read { rows in try rows.isRevoked(tokenID: "x.y", of: Sample.server) })
            #expect(try await !fixture.read { rows in try rows.isRevoked(tokenID: "x.y", of: Self.other) })
            #expect(try await !fixture.read { rows in try rows.isRevoked(tokenID: "x.z", of: Sample.server) })
        }
    }
}
