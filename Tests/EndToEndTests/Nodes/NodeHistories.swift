import OstiaryTesting
import Testing

/// What everybody saw of a run, by one clock; and what it has to be.
struct NodeHistories: Sendable {
    /// Logins of browsers and of apps, by their nonces.
    let sessions: HistoryRecorder<AliveUntilStopped>
    /// Whose they are.
    let accounts: HistoryRecorder<SameOutcome>
    /// Typed codes, those of devices, visits of `/authorize` and the codes that they give.
    let codes: HistoryRecorder<RedeemedOnce>
    let tries: HistoryRecorder<BoundedCounter>
    let pins: HistoryRecorder<OnePIN>
    /// What clients were let do.
    let grants: HistoryRecorder<AliveUntilStopped>
    /// Refresh tokens, by the one that was sent: what each gave.
    let refreshes: HistoryRecorder<SameOutcome>
    /// Of the second-factor server's rows.
    let counters: HistoryRecorder<NeverLower>
    /// Enrolment codes.
    let claims: HistoryRecorder<RedeemedOnce>
    /// Return codes.
    let handIns: HistoryRecorder<HandedInOnce>
    /// Since the run began.
    let now: @Sendable () -> Duration

    init() {
        let start = ContinuousClock.now
        let now: @Sendable () -> Duration = { ContinuousClock.now - start }
        self.now = now
        (sessions, accounts, codes) = (HistoryRecorder(now: now), HistoryRecorder(now: now), HistoryRecorder(now: now))
        (tries, pins, grants) = (HistoryRecorder(now: now), HistoryRecorder(now: now), HistoryRecorder(now: now))
        (refreshes, counters) = (HistoryRecorder(now: now), HistoryRecorder(now: now))
        (claims, handIns) = (HistoryRecorder(now: now), HistoryRecorder(now: now))
    }

    /// - Parameters:
    ///   - run: how the run is made again.
    ///   - sound: what of the calls about logins and grants is to be explained.
    func expectExplained(_ run: String, sound: ([AliveUntilStopped.Call]) -> [AliveUntilStopped.Call] = { $0 }) {
        for recorder in [sessions, grants] {
            expect(sound(recorder.calls), AliveUntilStopped(initial: .notBegun, mayEndByItself: true), run)
        }
        expect(accounts.calls, SameOutcome(), run)
        expect(codes.calls, RedeemedOnce(mayRefuse: true), run)
        expect(tries.calls, BoundedCounter(most: NodeLoad.mostTries), run)
        expect(pins.calls, OnePIN(), run)
        expect(refreshes.calls, SameOutcome(mayEndByItself: true), run)
        expect(counters.calls, NeverLower(), run)
    }

    private func expect<Model: SequentialModel>(_ calls: [Model.Call], _ model: Model, _ run: String) {
        for fault in OrderSearch(model).faults(in: calls) { Issue.record("\(run): \(fault)") }
    }

    /// Of PINs, of which their phones were told so.
    var changes: Int { pins.calls.count { if case .set = $0.action { $0.answer == .done } else { false } } }

    /// Refresh tokens whose clients were told what they gave.
    var refreshed: Int { refreshes.calls.count { if case .told? = $0.answer { true } else { false } } }

    /// In a run that shows something.
    static let fewestRefreshed = 2

    /// Whether nobody heard of it for a fault of the nodes or of their lines: nothing gets lost between a backend and a node otherwise. Phones lose
    /// answers all the time, and of return codes the load throws some away.
    private static func isUnheardForFault(_ call: AliveUntilStopped.Call) -> Bool { call.outcome == .unknown && call.caller.hasPrefix("backend ") }

    /// A history in which nothing happened would show nothing.
    func expectWork() {
        let seen = (sessions.calls, codes.calls, pins.calls, grants.calls)
        let stops = seen.0.count { $0.action == .stop && $0.returned != nil }
        let alive = seen.0.count { $0.action == .read && $0.answer == .alive }
        let pings = seen.0.count { $0.action == .read && $0.answer == .alive && $0.caller.hasSuffix("phone") }
        let given = (seen.1.count { $0.answer == .given }, seen.1.count { $0.answer == .refused })
        let (changes, told, unheard) = (self.changes, refreshed, seen.0.count(where: Self.isUnheardForFault))
        let tokens = (seen.3.count { $0.action == .read && $0.answer == .alive }, seen.3.count { $0.action == .read && $0.answer == .over })
        print(
            """
            histories: \(seen.0.count) calls about sessions, \(stops) stops, \(alive) found one alive, \(pings) of them pings, of \
            \(seen.0.count { $0.outcome == .unknown }) nobody knows, \(unheard) of these backends'; \(given.0) codes given, \
            \(given.1) refused; \(tries.calls.count) tries, \(changes) PINs changed, of \
            \(seen.2.count { $0.outcome == .unknown }) nobody knows; \(tokens.0) tokens alive, \(tokens.1) over, \(told) refreshed; \
            \(counters.calls.count) counters read; \(tries.calls.count { $0.action == .reset && $0.answer == .done }) blocks lifted
            """)
        #expect(stops >= 5 && alive >= 20 && pings >= 3)
        #expect(unheard > 0, "no fault left a backend without an answer")
        #expect(given.0 > 0 && given.1 > 0)
        #expect(tries.calls.contains { $0.answer == .count(1) } && tries.calls.contains { $0.action == .succeed })
        #expect(changes > 0 && seen.2.contains { $0.answer == .wrong } && seen.2.contains { $0.answer == .right })
        #expect(tokens.0 >= 10 && tokens.1 >= 5 && told >= Self.fewestRefreshed)
        #expect(Set(accounts.calls.map(\.key)).count >= 5 && counters.calls.count >= 20)
    }
}
