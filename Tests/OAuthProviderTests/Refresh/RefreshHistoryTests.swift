import OAuthProvider
import OstiaryTesting
import Testing

@Suite("The token endpoint over a network and a database that lose one call in twenty", .timeLimit(.minutes(10)))
struct RefreshHistoryTests {
    /// Of histories in which calls come again after a second to a quarter of an hour, also two at once.
    private struct Tally: Sendable {
        var wrong: [String] = []
        var tooLate = 0
        var losses = 0
    }

    private static func tally(
        _ seeds: Range<UInt64>, of client: RefreshHistory.Client, wrongRule: WrongRefreshRule? = nil
    ) async throws -> Tally {
        try await withTaskExecutorPreference(OwnThread()) {
            var tally = Tally()
            for seed in seeds {
                var history = try await RefreshHistory(seed: seed, of: client, wrongRule: wrongRule)
                switch try await history.run(refreshes: 6) {
                case .staysLoggedIn: break
                case .cameTooLate: tally.tooLate += 1
                case .wrong(let what): tally.wrong.append("seed \(seed): \(what)")
                }
                tally.losses += history.losses
            }
            return tally
        }
    }

    @Test(
        "In a thousand seeded histories of lost requests, commits and answers the family stays one, and who comes back in time is not logged out",
        arguments: RefreshHistory.Client.allCases)
    func nobodyIsLoggedOut(_ client: RefreshHistory.Client) async throws {
        let tally = try await Self.tally(0..<334, of: client)
        #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(5))")
        #expect(tally.losses > 200, "the network was too good")
        // A token that anybody could use has a predecessor for ten minutes only; what is bound to a key or a secret stays good however late one comes.
        #expect((tally.tooLate > 0) == (client == .bearer))
    }

    @Test(
        "A family that is kept as it was before, and a predecessor that is over at once, are seen by these histories",
        arguments: WrongRefreshRule.allCases)
    func wrongRule(_ rule: WrongRefreshRule) async throws {
        let tally = try await Self.tally(0..<40, of: .bearer, wrongRule: rule)
        #expect(!tally.wrong.isEmpty)
    }
}
