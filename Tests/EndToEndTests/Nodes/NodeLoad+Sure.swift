import OstiaryTesting
import Testing

/// How much of a run was held against the strict models: where everything had an excuse they would have found nothing.
extension NodeLoad {
    /// Those of when all was well again: an enrolment code and two return codes.
    private static let whenWell = 3

    /// - Parameter run: how the run is made again.
    func expectSure(_ run: String, _ leaps: Leaps) {
        let judge = OnceOver(begun: codeBook.begun, leaps: leaps)
        let (claims, handIns) = (judge.excuses(ofClaims: histories.claims.calls), judge.excuses(ofHandIns: histories.handIns.calls))
        let all = claims + handIns
        let sure = all.count { $0 == .nothing }
        print(
            """
            histories: \(sure) of \(all.count) codes without an excuse (\(claims.count { $0 == .nothing }) of \(claims.count) enrolment codes), \
            \(all.count { $0 == .age }) too old perhaps, of \(all.count { $0 == .clock }) a clock was wrong
            """)
        #expect(!all.contains(.unknown), "\(run)")
        // No clock excuses anything in a run whose clocks were right.
        #expect(!leaps.isEmpty || !all.contains(.clock), "\(run)")
        // Clocks are wrong for a fifth of a run at most, and few codes are slow: it is more than half as a rule.
        #expect(sure >= Self.whenWell + (all.count - Self.whenWell) / 10, "\(run): \(all)")
    }
}
