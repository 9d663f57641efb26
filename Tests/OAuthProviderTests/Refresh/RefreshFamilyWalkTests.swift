import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Every way through a family of refresh tokens")
struct RefreshFamilyWalkTests {
    private typealias Fixture = ProviderFixture

    private enum Move: CaseIterable, Sendable {
        case useNewest, usePredecessor, useOlder, waitASecond, waitFiveMinutes, waitTenMinutes
    }

    /// What the rule says in words, counted beside the family: who is the newest, and when it was first given.
    private struct Expected {
        var newest: UInt32 = 0
        var givenAt = Fixture.start

        func isGood(_ generation: UInt32, at now: Instant) -> Bool {
            generation == newest || newest > 0 && generation == newest - 1 && now <= givenAt + 600
        }
    }

    private struct Walk {
        var family: RefreshFamily
        var expected = Expected()
        var now = Fixture.start

        /// Makes a move, and says what is wrong with what came of it.
        mutating func make(_ move: Move) -> String? {
            switch move {
            case .useNewest: return use(expected.newest)
            case .usePredecessor: return expected.newest > 0 ? use(expected.newest - 1) : nil
            case .useOlder: return expected.newest > 1 ? use(expected.newest - 2) : nil
            case .waitASecond: now = now + 1
            case .waitFiveMinutes: now = now + 300
            case .waitTenMinutes: now = now + 600
            }
            return nil
        }

        private mutating func use(_ generation: UInt32) -> String? {
            let isGood = expected.isGood(generation, at: now)
            switch family.ruling(on: generation, at: now) {
            case .give(let given, let next):
                guard isGood else { return "\(generation) was taken, newest is \(expected.newest)" }
                if generation == expected.newest { expected = Expected(newest: generation + 1, givenAt: now) }
                guard given == expected.newest, next.generation == given else { return "\(given) was given for \(generation)" }
                family = next
            case .reused:
                guard !isGood else { return "\(generation) was held for stolen" }
            case .expired, .unknown: return "\(generation) is over or unknown"
            }
            return nil
        }
    }

    /// The first walk below this one that goes wrong.
    private static func fault(after walk: Walk, moves: Int) -> String? {
        guard moves > 0 else { return nil }
        for move in Move.allCases {
            var next = walk
            if let fault = next.make(move) { return "\(move): \(fault)" }
            if let fault = fault(after: next, moves: moves - 1) { return "\(move), \(fault)" }
        }
        return nil
    }

    @Test("In seven moves of any kind the newest is taken, its predecessor for ten minutes, and nothing else")
    func everyWay() async throws {
        let family = RefreshFamily(
            grant: Fixture.identifier(5, GrantKind.self), server: Fixture.server, client: try #require(ClientID("mobile")), binding: .none,
            life: .unlimited, createdAt: Fixture.start)
        let fault = await onOwnThread { Self.fault(after: Walk(family: family), moves: 7) }
        #expect(fault == nil)
    }
}
