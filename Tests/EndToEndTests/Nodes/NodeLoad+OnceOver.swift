import OstiaryTesting
import Testing

/// What came of the codes of a run that are good once: enrolment codes and return codes.
extension NodeLoad {
    /// When all is well again: however little a slow machine came to before, each has happened once.
    func redeemWhenWell() async throws {
        let told = try await returnWhenWell()
        #expect(told.own == .loggedIn, "its own browser was first, and is told \(String(describing: told.own))")
        #expect(told.other == .refused, "another browser was first, and its own is told \(String(describing: told.other))")
        try await enrolWhenWell()
        try await expectDevices()
    }

    /// - Parameter run: how the run is made again.
    func expectOnceOver(_ run: String, _ leaps: Leaps) {
        let judge = OnceOver(begun: codeBook.begun, leaps: leaps)
        for fault in judge.faults(inClaims: histories.claims.calls) + judge.faults(inHandIns: histories.handIns.calls) {
            Issue.record("\(run): \(fault)")
        }
    }

    /// Return codes of which it was heard that they let their own browser in, that they did not, and that they refused another.
    private var heardReturns: (isIn: Int, isOut: Int, others: Int) {
        let calls = histories.handIns.calls
        func count(_ action: HandedInOnce.Action, _ answer: HandedInOnce.Answer) -> Int {
            Set(calls.filter { $0.action == action && $0.answer == answer }.map(\.key)).count
        }
        return (count(.own, .loggedIn), count(.own, .refused), count(.other, .refused))
    }

    /// Each of them at least once.
    var areReturnsHeard: Bool {
        let heard = heardReturns
        return heard.isIn >= 1 && heard.isOut >= 1 && heard.others >= 1
    }

    /// A run in which nobody enrolled or came back, and where nobody was too late, would show nothing.
    func expectOnceOverWork() {
        let (claims, handIns, invitations) = (histories.claims.calls, histories.handIns.calls, codeBook.invitations)
        let given = Set(claims.filter { $0.answer == .given }.map(\.key)).count
        let refused = Set(claims.filter { $0.answer == .refused }.map(\.key)).count
        let enrolled = invitations.count { $0.heard != nil }
        let returns = heardReturns
        print(
            """
            histories: \(Set(claims.map(\.key)).count) enrolment codes read \(claims.count) times, \(claims.count { $0.outcome == .unknown }) unheard, \
            \(given) given, \(refused) refused to others, \(enrolled) phones told that they are enrolled; \(Set(handIns.map(\.key)).count) return codes \
            handed in \(handIns.count) times, \(handIns.count { $0.outcome == .unknown }) unheard, \(returns.isIn) let their browser in, \
            \(returns.isOut) did not, \(returns.others) refused another
            """)
        #expect(given >= 2 && refused >= 2 && enrolled >= 1)
        #expect(areReturnsHeard, "\(returns)")
    }
}
