import OstiaryMobile
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryPhone

/// What people notice who log in by phone while a node dies.
@Suite("Logins while a node is killed", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL is installed"), .timeLimit(.minutes(10)))
struct KilledNodeLoginTests {
    /// Of a whole login, with what a phone computes for its PIN.
    private static let longest = Duration.seconds(15)

    private struct Somebody {
        let name: String
        let phone: FixturePhone
        let way: RoamingTransport
    }

    private struct Login: Sendable {
        let name: String
        let begun: ContinuousClock.Instant
        let took: Duration
        let end: FixturePhone.End
        let answers: [SecondFactorInfo]

        /// One PIN was entered rightly, once or again where nobody had looked at it, and somebody is logged in.
        var isGood: Bool {
            end.session != nil && answers.last?.result == .success && answers.allSatisfy { $0.result == .success || $0.result == .error }
        }
    }

    /// When a node was killed.
    private final class Kill: Sendable {
        private let noted = Mutex<ContinuousClock.Instant?>(nil)
        var moment: ContinuousClock.Instant? { noted.withLock { $0 } }
        func note() { noted.withLock { $0 = .now } }
    }

    @Test("People log in with their PINs whichever node is killed, also in the middle of a login at the dead one, and enter nothing wrong")
    func people() async throws {
        let fixture = try await NodesFixture.running(
            ["OSTIARY_LOG_LEVEL": "warning"],
            // A try whose answer the dead node kept makes nobody wait.
            secondFactor: ["OSTIARY_SF_PENALTIES": "0,0,0,0", "OSTIARY_SF_MAX_ATTEMPTS": "\(NodeLoad.mostTries)"])
        let backend = try await DemoBackend(fixture.layout)
        var people: [Somebody] = []
        for (number, name) in ["alice", "bob", "carol"].enumerated() { people.append(try await enrol(name, at: number, in: fixture, backend)) }
        let everybody = people
        for (number, node) in fixture.nodes.enumerated() {
            let kill = Kill()
            async let logins = logIn(everybody, backend, twiceAfter: kill)
            // Everybody goes on to the next node, so that there is always somebody at the one whose turn it is.
            try await eventually("somebody waits for \(node.name)") { everybody.contains { $0.way.isWaiting(at: number) } }
            kill.note()
            try await node.server.kill()
            for login in try await logins {
                #expect(login.isGood && login.took <= Self.longest, "\(node.name) was killed: \(login)")
            }
            try node.start()
            try await fixture.waitUntilReady([node])
        }
        try await fixture.stop()
    }

    private func enrol(_ name: String, at number: Int, in fixture: NodesFixture, _ backend: DemoBackend) async throws -> Somebody {
        let person = Person(backend, TerminalPhone(home: fixture.folder.file(name)), user: name)
        try await person.enrol(in: fixture.folder)
        let way = RoamingTransport(among: fixture.nodes, first: number)
        return Somebody(name: name, phone: try FixturePhone.onNetwork(in: person.phone.home, transport: way), way: way)
    }

    private func logIn(_ people: [Somebody], _ backend: DemoBackend, twiceAfter kill: Kill) async throws -> [Login] {
        try await withThrowingTaskGroup(of: [Login].self) { group in
            for person in people { group.addTask { try await logIns(of: person, backend, twiceAfter: kill) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// One after the other, and two that began when the node was dead.
    private func logIns(of person: Somebody, _ backend: DemoBackend, twiceAfter kill: Kill) async throws -> [Login] {
        var logins: [Login] = []
        while kill.moment.map({ moment in logins.count { $0.begun > moment } < 2 }) ?? true {
            try Task.checkCancellation()
            // The balancer before the backends may just have asked the one that died.
            guard let code = try? await backend.loginCode(ManagementClient.newNonce(), asPNG: false) else { continue }
            let begun = ContinuousClock.now
            var left = 3
            let (end, answers) = try await person.phone.logIn(code) { _ in
                left -= 1
                return left < 0 ? nil : Person.pin
            }
            logins.append(Login(name: person.name, begun: begun, took: ContinuousClock.now - begun, end: end, answers: answers))
        }
        return logins
    }
}
