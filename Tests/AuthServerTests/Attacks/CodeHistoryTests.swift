import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// Codes of `/authorize` at three nodes of the real provider: once as they are, and with stores planted that are wrong about them.
@Suite("Attack 13 with planted faults: histories of codes of /authorize", .timeLimit(.minutes(10)))
struct CodeHistoryTests {
    private static let names = ["A", "B", "C"]

    /// What everybody was told of codes, and of what was given by them.
    private struct Seen: Sendable {
        let codes: HistoryRecorder<RedeemedOnce>
        let grants: HistoryRecorder<AliveUntilStopped>
        let now: @Sendable () -> Duration

        init() {
            let start = ContinuousClock.now
            let now: @Sendable () -> Duration = { ContinuousClock.now - start }
            (codes, grants, self.now) = (HistoryRecorder(now: now), HistoryRecorder(now: now), now)
        }

        /// A code is shown at a node by whoever has this number. Who is refused has ended what the code gave.
        /// - Returns: the access token.
        @discardableResult
        func redeem(_ code: String, by number: Int, at node: Int, _ clients: [OAuthClient]) async throws -> String? {
            let (caller, invoked) = ("client \(number) at \(CodeHistoryTests.names[node])", now())
            let answer = try await clients[node].exchange(code)
            let moment = now()
            let isGiven = answer.status == 200
            try #require(isGiven || answer.isError("invalid_grant"), "\(answer.status) \(answer.error ?? "")")
            codes.note(
                ObservedCall(
                    caller, code, RedeemedOnce.Action(request: number), invoked: invoked, .answered(isGiven ? .given : .refused, at: moment)))
            grants.note(
                ObservedCall(caller, code, isGiven ? .begin : .stop, invoked: invoked, .answered(isGiven ? .alive : .over, at: moment)))
            return answer.json["access_token"]?.string
        }

        /// Whether a token opens something, by each node.
        func read(_ token: String, of code: String, _ clients: [OAuthClient]) async throws {
            for (node, client) in clients.enumerated() {
                let invoked = now()
                let told = try await client.post("/oauth/introspect", ["token": token], authorization: [OAuthClient.webBasic])
                let answer: AliveUntilStopped.Answer = told.json["active"] == .bool(true) ? .alive : .over
                grants.note(
                    ObservedCall(
                        "API at \(CodeHistoryTests.names[node])", code, .read, invoked: invoked, .answered(answer, at: now())))
            }
        }
    }

    /// One code that is redeemed at three nodes at once, another at one after the other; then two, one of which would outlive its login, whose login
    /// is ended before.
    private static func history(_ fault: NegligentDatabase.Fault?) async throws -> Seen {
        let seen = Seen()
        try await withSeparateConnections { database in
            try await OAuthFixture.run(over: names.map { _ in NegligentDatabase(database, fault) }) { clients in
                let people = clients[0].fixture.people
                // Everybody has looked who is logged in.
                for client in clients {
                    let now = client.fixture.now
                    let login = try await client.fixture.people.read { rows in try rows.login(of: Sample.sessionID(3), at: Sample.server, now: now) }
                    #expect(login != nil)
                }
                try await atOnce(try await clients[0].fixture.code(5).text, clients, seen)
                try await inTurn(try await clients[0].fixture.code(6, offline: true).text, clients, seen)
                let codes = [try await clients[0].fixture.code(7).text, try await clients[0].fixture.code(8, offline: true).text]
                let invoked = seen.now()
                try await people.end(3, of: 1)
                for code in codes {
                    seen.grants.note(ObservedCall("phone", code, .stop, invoked: invoked, .answered(.over, at: seen.now())))
                }
                for code in codes { try await seen.redeem(code, by: 0, at: 1, clients) }
            }
        }
        return seen
    }

    private static func atOnce(_ code: String, _ clients: [OAuthClient], _ seen: Seen) async throws {
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for node in clients.indices { group.addTask { try await seen.redeem(code, by: node, at: node, clients) } }
            return try await group.reduce(into: [String]()) { if let token = $1 { $0.append(token) } }
        }
        for token in tokens { try await seen.read(token, of: code, clients) }
    }

    private static func inTurn(_ code: String, _ clients: [OAuthClient], _ seen: Seen) async throws {
        let token = try #require(try await seen.redeem(code, by: 0, at: 0, clients))
        try await seen.read(token, of: code, clients)
        try await seen.redeem(code, by: 1, at: 1, clients)
        try await seen.read(token, of: code, clients)
    }

    /// Whose answers nothing explains.
    private static func culprits<Model: SequentialModel>(_ model: Model, _ calls: [Model.Call]) -> [Model.Call] {
        OrderSearch(model).faults(in: calls).compactMap { if case .violated(let found) = $0 { found.culprit } else { nil } }
    }

    private static func culprits(_ seen: Seen) -> (codes: [RedeemedOnce.Call], grants: [AliveUntilStopped.Call]) {
        (
            culprits(RedeemedOnce(mayRefuse: true), seen.codes.calls),
            culprits(AliveUntilStopped(initial: .notBegun, mayEndByItself: true), seen.grants.calls)
        )
    }

    @Test(
        "A100 codes of /authorize at three nodes: each is given once, whoever shows it again ends that, and none is given when its login is over",
        .onBothEngines)
    func asItIs() async throws {
        let seen = try await Self.history(nil)
        let (codes, grants) = Self.culprits(seen)
        #expect(codes.isEmpty && grants.isEmpty)
        #expect(seen.codes.calls.filter { $0.answer == .given }.map(\.key).sorted() == ["code-5", "code-6"])
        for answer in [AliveUntilStopped.Answer.alive, .over] {
            #expect(seen.grants.calls.contains { $0.action == .read && $0.key == "code-6" && $0.answer == answer })
        }
    }

    @Test(
        "A100 planted: a store that marks a code as spent too late, leaves what it gave, or remembers who is logged in, is found",
        .onBothEngines, arguments: NegligentDatabase.Fault.allCases)
    func planted(_ fault: NegligentDatabase.Fault) async throws {
        let (codes, grants) = Self.culprits(try await Self.history(fault))
        switch fault {
        case .spentLater:
            #expect(Set(codes.map(\.key)) == ["code-5", "code-6"] && codes.allSatisfy { $0.answer == .given })
        case .neverEnded:
            #expect(codes.isEmpty && Set(grants.map(\.key)) == ["code-5", "code-6"])
            #expect(grants.allSatisfy { $0.action == .read && $0.answer == .alive })
        case .loginRemembered:
            #expect(codes.isEmpty && grants.map(\.key) == ["code-8"] && grants.allSatisfy { $0.action == .begin && $0.answer == .alive })
        }
    }
}
