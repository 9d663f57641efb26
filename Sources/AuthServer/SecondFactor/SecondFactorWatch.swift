import Authentication
import Foundation
import HTTPService
import Logging
import OstiaryProtocol
import Synchronization

/// Whether the second-factor server can be used, since when not, and why. Tells the operator once of each reason, and when it is over (`ToldReasons`).
package final class SecondFactorWatch: Sendable {
    /// What stands in the way, and since when.
    package struct Finding: ReasonedFailure, Equatable {
        package let address: String
        package let trouble: SecondFactorTrouble
        package let since: Instant

        package var reason: String { "\(address): \(trouble)" }
        package var description: String { "\(reason); since \(Self.text(since))" }

        static func text(_ moment: Instant) -> String {
            Date(timeIntervalSince1970: Double(moment.seconds)).formatted(.iso8601)
        }
    }

    /// One asking of the second-factor server, by the order in which they began.
    struct Exchange: Sendable {
        fileprivate let number: UInt64
    }

    private struct State {
        var finding: Finding?
        /// When `finding` began, by a clock that nobody sets.
        var began: ContinuousClock.Instant?
        var told = ToldReasons()
        var begun: UInt64 = 0
        /// The newest exchange that has ended, well or not.
        var ended: UInt64 = 0
        /// The newest that found the clocks apart, and the newest that found them to agree.
        var contradicted: UInt64 = 0
        var agreed: UInt64 = 0
        /// What this server's clock showed when it asked the newest that found the clocks to agree.
        var agreedAt: Instant?
    }

    private let address: String
    private let logger: Logger
    private let clock: @Sendable () -> Instant
    private let uptime: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameters:
    ///   - clock: for since when.
    ///   - uptime: for how long: the wall clock may be put right meanwhile.
    init(
        address: String, logger: Logger, clock: @Sendable @escaping () -> Instant,
        uptime: @Sendable @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        self.address = address
        self.logger = logger
        self.clock = clock
        self.uptime = uptime
    }

    /// What is wrong now, as far as it is known.
    package var present: Finding? { state.withLock { $0.finding } }

    /// Whether the other server contradicted this one's clock when it last said anything of it. One that says nothing more takes nothing back.
    var isClockContradicted: Bool { state.withLock { $0.contradicted > $0.agreed } }

    /// Whether everything was in order when it was last asked, as far as clocks go: beside an answer that says so, nothing that is said of its keys counts.
    var isInOrder: Bool { state.withLock { $0.agreed > 0 && ($0.finding == nil || $0.agreed == $0.ended) } }

    /// Whether the other server agreed with this one's clock when that showed `now`, as exactly as clocks agree.
    func hasAgreed(near now: Instant) -> Bool { agreement(with: now) == true }

    /// Whether it agreed last when this one's clock showed something else. One that never agreed says nothing.
    func hasAgreed(farFrom now: Instant) -> Bool { agreement(with: now) == false }

    /// Whether what this one's clock showed when the other server agreed last was `now`; nil where that never agreed.
    private func agreement(with now: Instant) -> Bool? {
        state.withLock { state in state.agreedAt.map { $0.distance(to: now) <= PhoneRequest.window } }
    }

    /// To be called before anything is asked.
    func begin() -> Exchange {
        state.withLock { state in
            state.begun += 1
            return Exchange(number: state.begun)
        }
    }

    /// Notes that a call was answered. That alone clears nothing: who answered is known to those who verify what was said.
    func answered(_ exchange: Exchange) {
        state.withLock { $0.ended = max($0.ended, exchange.number) }
    }

    /// Notes a failure. Another reason is another line; the time is that of the first. One that began before another exchange that has ended
    /// since tells of the past, and is told nobody; nor is what was told a moment ago, before it passed.
    /// - Parameter isProbe: whether it is what came of a probe: nothing else that may have been said at any time speaks of this server's clock.
    func failed(_ trouble: SecondFactorTrouble, in exchange: Exchange, isProbe: Bool = false) {
        let (now, moment) = (clock(), uptime())
        let news = state.withLock { state -> Finding? in
            if isProbe, trouble.contradictsClock { state.contradicted = max(state.contradicted, exchange.number) }
            guard exchange.number > state.ended else { return nil }
            state.ended = exchange.number
            let finding = Finding(address: address, trouble: trouble, since: state.finding?.since ?? now)
            (state.finding, state.began) = (finding, state.began ?? moment)
            return state.told.note(trouble.description, at: moment) ? finding : nil
        }
        guard let news else { return }
        logger.line(.error, trouble.line, facts(news))
    }

    /// Notes that the other server answered a probe and does not contradict this one's clock, whatever else there is to be found.
    /// - Parameter now: of the probe.
    func clocksAgree(_ exchange: Exchange, at now: Instant) {
        state.withLock { state in
            guard exchange.number > state.agreed else { return }
            (state.agreed, state.agreedAt) = (exchange.number, now)
        }
    }

    /// Notes that everything was found in order.
    func works(_ exchange: Exchange) {
        let now = uptime()
        let past = state.withLock { state -> (finding: Finding, began: ContinuousClock.Instant)? in
            defer { (state.finding, state.began) = (nil, nil) }
            state.ended = max(state.ended, exchange.number)
            guard let finding = state.finding, let began = state.began, state.told.end() else { return nil }
            return (finding, began)
        }
        guard let past else { return }
        let lasted = "\((now - past.began).components.seconds) s"
        logger.line(.notice, "the second-factor server can be used again", facts(past.finding).merging([.lasted: lasted]) { _, new in new })
    }

    private func facts(_ finding: Finding) -> [LogKey: String] {
        [.address: finding.address, .reason: "\(finding.trouble)", .since: Finding.text(finding.since)]
    }
}
