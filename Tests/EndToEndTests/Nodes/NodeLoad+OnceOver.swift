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

    /// A run in which nobody enrolled or came back, and where nobody was too late, would show nothing.
    func expectOnceOverWork() {
        let (claims, handIns, invitations) = (histories.claims.calls, histories.handIns.calls, codeBook.invitations)
        let given = Set(claims.filter { $0.answer == .given }.map(\.key)).count
        let refused = Set(claims.filter { $0.answer == .refused }.map(\.key)).count
        let enrolled = invitations.count { $0.heard != nil }
        let own = handIns.filter { $0.action == .own }
        let isIn = Set(own.filter { $0.answer == .loggedIn }.map(\.key)).count
        let isOut = Set(own.filter { $0.answer == .refused }.map(\.key)).count
        let others = Set(handIns.filter { $0.action == .other && $0.answer == .refused }.map(\.key)).count
        print(
            """
            histories: \(Set(claims.map(\.key)).count) enrolment codes read \(claims.count) times, \(claims.count { $0.outcome == .unknown }) unheard, \
            \(given) given, \(refused) refused to others, \(enrolled) phones told that they are enrolled; \(Set(handIns.map(\.key)).count) return codes \
            handed in \(handIns.count) times, \(handIns.count { $0.outcome == .unknown }) unheard, \(isIn) let their browser in, \(isOut) did not
            """)
        // Of them those of when all was well: one that was given, and two that were handed in.
        #expect(given >= 3 && refused >= 3 && enrolled >= 2)
        #expect(isIn >= 1 && isOut >= 1 && others >= 3)
    }
}
