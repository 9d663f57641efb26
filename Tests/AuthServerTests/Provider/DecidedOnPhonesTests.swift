import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Provider's store: what phones decided is looked at once, for clients that are told by ping", .againWithLostCommits)
struct DecidedOnPhonesTests {
    typealias Backend = ProviderStoreBackend
    /// All questions end at this moment, and 70 seconds after it, with an interval of 10, a yes of before is over.
    private static let end = Sample.now + 300

    /// A question whose phone said yes at that moment.
    /// - Parameter hasty: how often its client asked too early before.
    private func approve(_ number: UInt8, at moment: Instant, hasty: Int = 0, in fixture: ProviderStoreFixture) async throws -> PolledAuthorization {
        let session = Sample.sessionID(number)
        let asked = Sample.polled(number, .backchannel(Sample.accountID(1)), pinged: true, session: session)
        let question = (0..<hasty).reduce(asked) { $0.polled(by: Sample.redemption($1.isMultiple(of: 2) ? 4 : 5), at: Sample.now + 1).1 }
        let login = Login(
            account: Sample.accountID(1), binding: .push, at: moment, methods: .pin, verifiedAt: moment, decision: Sample.bytes(7),
            deadline: Sample.now + 9_000, lastPing: moment, lastStamp: moment)
        switch fixture.people {
        case .memory(let store): store.change { $0.sessions[session] = login }
        case .database(let store):
            let pushed = Session(
                id: session, server: Sample.server, nonceHash: nil, stream: nil, purpose: .login,
                request: LoginRequest(account: Sample.accountID(1)), startedAt: Sample.now, push: SessionPush(), state: .loggedIn(login))
            try await store.write { rows in try rows.save(pushed) }
        }
        try await fixture.write { rows in try rows.save(question) }
        return question
    }

    private func decided(_ fixture: ProviderStoreFixture, at now: Instant, limit: Int) async throws -> Set<[UInt8]> {
        try await fixture.read { rows in Set(try rows.decidedOnPhones(at: now, limit: limit).map(\.hash)) }
    }

    @Test("A yes that nobody may be given any more keeps no other from being looked at, though it ended before", arguments: Backend.allCases)
    func tooLate(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            // The server was away for a while: nobody looked while these were good.
            for number in UInt8(1)...3 { _ = try await approve(number, at: Self.end - 1, in: fixture) }
            let late = try await approve(4, at: Self.end + 150, in: fixture)
            #expect(try await decided(fixture, at: Self.end + 70, limit: 9).count == 4, "each is good up to its last second")
            #expect(try await decided(fixture, at: Self.end + 160, limit: 3) == [late.hash])
            #expect(try await decided(fixture, at: Self.end + 220, limit: 3) == [late.hash])
            #expect(try await decided(fixture, at: Self.end + 221, limit: 3).isEmpty)
        }
    }

    @Test("A70: a yes that its client has not fetched is ended by whom it is of, once, up to its last second", arguments: Backend.allCases)
    func ended(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            try await fixture.write { rows in try rows.save(Sample.application()) }
            let registry = RegistryService(store: fixture.store, random: SystemRandomSource())
            func end(_ selection: GivenSelection, at now: Instant) async throws -> Int {
                try await registry.endGrants(selection, at: Sample.server, by: .operator, now: now)
            }
            let alice = Sample.accountID(1)
            let selections: [GivenSelection] = [.byUser("alice", to: nil), .byAccount(alice, to: Sample.client), .toClient(Sample.client)]
            for (number, selection) in zip(UInt8(1)..., selections) {
                let question = try await approve(number, at: Self.end - 1, in: fixture)
                #expect(try await end(.byUser("mary", to: nil), at: Self.end) == 0)
                #expect(try await end(.byAccount(alice, to: ClientID("other")!), at: Self.end) == 0)
                #expect(try await end(selection, at: Self.end + 71) == 0, "it is nobody's any more")
                #expect(try await end(selection, at: Self.end + 70) == 1)
                #expect(try await fixture.read { rows in try rows.polled(hash: question.hash, of: Sample.server)?.state } == .denied)
                #expect(try await end(selection, at: Self.end + 70) == 0)
            }
        }
    }

    @Test("A71: of a client that asked too often a yes is looked at for no longer than a minute more", arguments: Backend.allCases)
    func hasty(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            let question = try await approve(1, at: Self.end - 1, hasty: 40, in: fixture)
            #expect(question.interval == 210)
            #expect(try await decided(fixture, at: Self.end + 120, limit: 3) == [question.hash])
            #expect(try await decided(fixture, at: Self.end + 121, limit: 3).isEmpty)
        }
    }

    @Test("What a run writes down is looked at no more, a yes after the end as well, and its client is told", arguments: Backend.allCases)
    func once(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            for (number, moment) in [(UInt8(1), Self.end - 1), (2, Self.end + 150)] { _ = try await approve(number, at: moment, in: fixture) }
            let services = try ProviderAtWork(fixture).services
            let now = Self.end + 160
            #expect(try await services.pushedDecisions.run(at: now) == 1)
            #expect(try await services.pushedDecisions.run(at: now) == 0)
            #expect(try await fixture.read { rows in try rows.duePings(at: now, limit: 9) }.count == 1)
        }
    }
}
