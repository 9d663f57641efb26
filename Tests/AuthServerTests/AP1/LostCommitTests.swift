import Authentication
import Database
import HTTPTypes
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("A connection to a database that is lost at a commit", .onBothEngines)
struct LostCommitTests {
    enum Side: CaseIterable, Sendable { case authentication, secondFactor }

    private static let undisturbed = Task {
        let lines = Lines()
        // Whatever engine the first test runs on that asks: on the other nothing else is said.
        try await DatabaseEngine.sqlite.run {
            try await ServersFixture.run { servers in
                await lines.keep(try await Self.travel(servers))
            }
        }
        return await lines.kept
    }

    /// What a journey says; one that breaks off says where.
    private static func travel(_ servers: ServersFixture) async throws -> [String] {
        var journey = Journey(servers)
        do { try await journey.travel() } catch { Issue.record("\(error) after \(journey.lines.last ?? "nothing")") }
        return journey.lines
    }

    private actor Lines {
        private(set) var kept: [String] = []
        func keep(_ lines: [String]) { kept = lines }
    }

    @Test(
        "Whatever a person does, everybody answers and keeps what they would have, though each commit of a server was lost once",
        arguments: Side.allCases, LosingDatabase.Loss.allCases)
    func journey(of side: Side, _ loss: LosingDatabase.Loss) async throws {
        let expected = try await Self.undisturbed.value
        #expect(expected.count > 60)
        try await ServersFixture.run { servers in
            let commits = side == .authentication ? servers.commits : servers.secondFactorCommits
            commits.lose(.each(loss))
            let lines = try await Self.travel(servers)
            for (line, other) in zip(expected, lines) { #expect(line == other) }
            #expect(expected.count == lines.count)
            #expect(commits.losses > 20)
        }
    }

    /// A commit of a login by PIN.
    enum Step: CaseIterable, Sendable {
        case numbering, settling, login
        case counting, proof

        var side: Side {
            switch self {
            case .numbering, .settling, .login: .authentication
            case .counting, .proof: .secondFactor
            }
        }

        /// Which commit of its server.
        var place: Int { (Self.allCases.filter { $0.side == side }.firstIndex(of: self) ?? 0) + 1 }
    }

    @Test("A login by PIN counts one try, whichever of its commits was lost", arguments: Step.allCases, LosingDatabase.Loss.allCases)
    func oneTry(losing step: Step, _ loss: LosingDatabase.Loss) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            let commits = [servers.commits, servers.secondFactorCommits]
            for each in commits { each.lose(.none) }
            commits[step.side == .authentication ? 0 : 1].lose(.only(step.place, loss))
            #expect(try await shown.logInByPIN().result == .loggedIn)
            #expect(commits.map(\.losses) == (step.side == .authentication ? [1, 0] : [0, 1]))
            #expect(commits.map(\.transactions) == (step.side == .authentication ? [4, 2] : [3, 3]), "each step has one commit")
            let counted = try await servers.counted()
            #expect(counted.highest == 1 && counted.proven == 1)
        }
    }

    @Test(
        "Where the second look is lost as well, or refused, the phone is told to try again; the same attempt is then counted once",
        arguments: LosingDatabase.Loss.allCases, [nil, .busy, .unavailable] as [SQLError?])
    func lostTwice(_ loss: LosingDatabase.Loss, _ refusal: SQLError?) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            let attempt = try shown.attempt()
            servers.commits.lose(refusal.map { LosingDatabase.Plan.refusing(loss, $0) } ?? .all(loss))
            let sealed = try phone.phone.seal(try phone.phone.m1(attempt).message.bytes, attempt.ephemeral)
            #expect(try await servers.post(sealed.bytes).status == .serviceUnavailable)
            servers.commits.lose(.none)
            servers.secondFactorCommits.lose(.all(loss))
            #expect(try await phone.phone.evaluate(attempt).status == .secondFactorUnavailable)
            servers.secondFactorCommits.lose(.none)
            let evaluated = try await phone.phone.evaluate(attempt)
            #expect(evaluated.status == .ok && evaluated.m2?.tries.failed == 1)
            let proof = try phone.phone.prove(attempt)
            #expect(try await shown.send(try shown.decision(attempt: attempt.id, method: .pin, proof: proof)).result == .loggedIn)
            let counted = try await servers.counted()
            #expect(counted.highest == 1 && counted.proven == 1)
        }
    }
}
