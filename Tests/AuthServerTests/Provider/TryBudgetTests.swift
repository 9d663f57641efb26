import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("What places try is counted in rows, for all nodes", .againWithLostCommits, .timeLimit(.minutes(5)))
struct TryBudgetTests {
    typealias Backend = ProviderStoreBackend
    private static let moment = ProviderAtWork.moment
    private static let here = CallPlace("2001:db8::/64", in: "2001:db8::/56", through: "10.0.0.1")

    /// What was answered for a code that was typed.
    private enum Answer: Hashable {
        case wrong, found
        case locked(UInt64)
    }

    private static func type(
        _ text: String, _ node: OAuthServices, from place: CallPlace = here, at now: Instant = moment
    ) async throws -> Answer {
        do {
            return try await node.devices.waiting(forTyped: text, from: place, at: Sample.server, now: now) == nil ? .wrong : .found
        } catch let locked as UserCodesLocked { return .locked(locked.seconds) }
    }

    private static func wrong(_ begun: DeviceService.Begun) -> String { begun.userCode.shown == "BBBB-BBBB" ? "CCCC-CCCC" : "BBBB-BBBB" }

    /// Some nodes over one database, which know nothing of each other, and a code that waits.
    private func run(
        on backend: Backend, _ body: @Sendable (ProviderStoreFixture, [OAuthServices], DeviceService.Begun) async throws -> Void
    ) async throws {
        try await backend.run { fixture in
            var application = Application(id: Sample.client, server: Sample.server, kind: .native, name: "App", authentication: .none)
            application.grantTypes = [.deviceCode]
            var policy = RegistrationPolicy(server: Sample.server)
            policy.mode = .open
            let (made, open) = (application, policy)
            try await fixture.write { rows in
                try rows.save(made)
                try rows.save(open)
            }
            let nodes = try (0..<3).map { _ in try ProviderAtWork(fixture).services }
            let call = TokenCall(
                server: Sample.server, method: "POST", contentType: "application/x-www-form-urlencoded",
                parameters: [Parameter("client_id", Sample.client.text), Parameter("scope", "openid")],
                target: try #require(HTTPTarget("https://login.example/oauth/device/code")))
            try await body(fixture, nodes, try await nodes[0].devices.begin(call, at: Self.moment))
        }
    }

    @Test(
        "A89 of 36 wrong codes at once from one place, spread over three nodes, five are looked for; the others are told how long to wait",
        arguments: Backend.allCases)
    func spread(on backend: Backend) async throws {
        try await run(on: backend) { _, nodes, begun in
            let wrong = Self.wrong(begun)
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for call in 0..<36 { group.addTask { try await Self.type(wrong, nodes[call % 3]) } }
                return try await group.reduce(into: [Answer: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(answers == [.wrong: 5, .locked(300): 31])
        }
    }

    @Test(
        "A89 a place that is locked is so at each node and after a restart of each, for the right code too, and for no longer",
        arguments: Backend.allCases)
    func restart(on backend: Backend) async throws {
        try await run(on: backend) { fixture, nodes, begun in
            let wrong = Self.wrong(begun)
            for call in 0..<5 { #expect(try await Self.type(wrong, nodes[call % 3], at: Self.moment + UInt64(call) * 10) == .wrong) }
            let later = Self.moment + 50
            for node in nodes + [try ProviderAtWork(fixture).services] {
                #expect(try await Self.type(begun.userCode.shown, node, at: later) == .locked(250))
                #expect(try await Self.type("no code", node, at: later) == .locked(250))
            }
            // Another place, and a /64 beside it.
            for place in [CallPlace("192.0.2.1"), CallPlace("2001:db8:0:1::/64", in: Self.here.network, through: Self.here.proxy)] {
                #expect(try await Self.type(begun.userCode.shown, nodes[0], from: place, at: later) == .found)
            }
            #expect(try await Self.type(begun.userCode.shown, nodes[1], at: Self.moment + 300) == .found)
        }
    }

    @Test(
        "A89 many right codes at once count for nothing, and beside wrong ones no more are looked for than may be wrong",
        arguments: Backend.allCases)
    func right(on backend: Backend) async throws {
        try await run(on: backend) { _, nodes, begun in
            let (right, wrong) = (begun.userCode.shown, Self.wrong(begun))
            try await withThrowingTaskGroup(of: Answer.self) { group in
                for call in 0..<12 { group.addTask { try await Self.type(right, nodes[call % 3]) } }
                for try await answer in group { #expect(answer == .found) }
            }
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for call in 0..<24 { group.addTask { try await Self.type(call % 2 == 0 ? wrong : right, nodes[call % 3]) } }
                return try await group.reduce(into: [Answer: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(answers[.wrong] == 5 && answers.values.reduce(0, +) == 24)
            #expect(try await Self.type(right, nodes[0]) == .locked(300))
        }
    }

    @Test(
        "A clock ten days ahead at one node locks nobody for longer than a right one, there and elsewhere, also after it was put right",
        arguments: Backend.allCases)
    func ahead(on backend: Backend) async throws {
        try await run(on: backend) { fixture, nodes, begun in
            let (wrong, day) = (Self.wrong(begun), UInt64(864_000))
            for _ in 0..<5 { #expect(try await Self.type(wrong, nodes[1], at: Self.moment + day) == .wrong) }
            // Seen by a node whose clock is right, by way of what can be no code.
            #expect(try await Self.type("no code", nodes[0]) == .locked(300))
            #expect(try await Self.type(wrong, nodes[2], at: Self.moment + 299) == .locked(1))
            for _ in 0..<5 { #expect(try await Self.type(wrong, nodes[0], at: Self.moment + 300) == .wrong) }
            #expect(try await Self.type(wrong, nodes[2], at: Self.moment + 300) == .locked(300))
            // Put right it is one of them.
            #expect(try await Self.type(wrong, nodes[1], at: Self.moment + 301) == .locked(299))
            try await (fixture.store as? any MomentKeeper)?.bringBack(from: Self.moment + 421, to: Self.moment + 301)
            #expect(try await Self.type(wrong, nodes[1], at: Self.moment + 302) == .locked(298))
        }
    }

    @Test(
        "Clients that register themselves are counted alike: of 24 at once at three nodes so many are registered, others are told to wait",
        arguments: Backend.allCases)
    func registrations(on backend: Backend) async throws {
        try await run(on: backend) { fixture, nodes, _ in
            let call = RegistrationCall(
                server: Sample.server, authorization: [], contentType: "application/json",
                body: Array(#"{"redirect_uris":["https://rp.example/cb"],"token_endpoint_auth_method":"none"}"#.utf8), from: CallPlace("192.0.2.1"))
            func register(_ node: OAuthServices, at now: Instant) async throws -> UInt64? {
                do { _ = try await node.registration.register(call, at: now) } catch RegistrationRefusal.tooOften(let seconds) { return seconds }
                return nil
            }
            let waits = try await withThrowingTaskGroup(of: UInt64?.self) { group in
                for number in 0..<24 { group.addTask { try await register(nodes[number % 3], at: Self.moment) } }
                return try await group.reduce(into: [UInt64?: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(waits == [nil: 20, 86_400: 4])
            #expect(try await fixture.read { rows in try rows.registeredCount(of: Sample.server) } == 20)
            let restarted = try ProviderAtWork(fixture).services
            #expect(try await register(restarted, at: Self.moment + 86_399) == 1)
            #expect(try await register(restarted, at: Self.moment + 86_400) == nil)
        }
    }

    @Test(
        "Housekeeping takes away what counts no more, in parts, and nothing before; what an odd clock kept goes after a day",
        arguments: Backend.databases)
    func forgotten(on backend: Backend) async throws {
        try await run(on: backend) { fixture, nodes, begun in
            let places = (0..<20).map { CallPlace("198.51.100.\($0)") }
            let wrong = Self.wrong(begun)
            for place in places { #expect(try await Self.type(wrong, nodes[0], from: place) == .wrong) }
            let odd = CallPlace("192.0.2.9")
            #expect(try await Self.type(wrong, nodes[1], from: odd, at: Self.moment + 864_000) == .wrong)
            func kept() async throws -> Int {
                try await fixture.read { rows in
                    try (places + [odd]).count { try !rows.tries(of: .userCode, from: .address($0.address ?? "")).tries.isEmpty }
                }
            }
            try await fixture.removeExpired(at: Self.moment + 300)
            #expect(try await kept() == 21)
            // Nine at a time, or twice as many where a commit was lost and is made again.
            for left in [12, 3, 1, 1] {
                try await fixture.removeExpired(at: Self.moment + 301)
                let kept = try await kept()
                #expect(kept == 1 || kept <= left && (left - kept).isMultiple(of: 9), "\(kept) of \(left)")
            }
            try await (fixture.store as? any MomentKeeper)?.bringBack(from: Self.moment + 421, to: Self.moment + 301)
            try await fixture.removeExpired(at: Self.moment + 301 + 86_400)
            #expect(try await kept() == 1)
            try await fixture.removeExpired(at: Self.moment + 302 + 86_400)
            #expect(try await kept() == 0)
        }
    }

    @Test("A row says what was kept of a place, and no more", arguments: Backend.allCases)
    func kept(on backend: Backend) async throws {
        try await backend.run { fixture in
            let tries = RecentTries([
                CountedTry(mark: Sample.bytes(1, 8), at: Sample.now),
                CountedTry(mark: Sample.bytes(2, 8), at: Sample.now + 900, noticedAt: Sample.now),
            ])
            for from in [TriedFrom.address(""), .address("a"), .network("a"), .proxy("a")] {
                #expect(try await fixture.read { rows in try rows.tries(of: .userCode, from: from) } == RecentTries())
                try await fixture.write { rows in try rows.save(tries, of: .userCode, from: from, until: Sample.now + 300) }
                #expect(try await fixture.read { rows in try rows.tries(of: .userCode, from: from) } == tries)
                #expect(try await fixture.read { rows in try rows.tries(of: .registration, from: from) } == RecentTries())
            }
        }
    }
}
