import Foundation
import HTTPService
import Logging
import OstiaryProtocol
import Synchronization

/// Whether the second-factor server can be used, since when not, and why. Tells the operator once, and on every change.
package final class SecondFactorWatch: Sendable {
    /// What stands in the way, and since when.
    package struct Finding: Error, Equatable, CustomStringConvertible {
        package let address: String
        package let trouble: SecondFactorTrouble
        package let since: Instant

        package var description: String { "\(address): \(trouble); since \(Self.text(since))" }

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
        var begun: UInt64 = 0
        /// The newest exchange that has ended, well or not.
        var ended: UInt64 = 0
        /// The newest that found the clocks apart, and the newest that found everything in order.
        var contradicted: UInt64 = 0
        var agreed: UInt64 = 0
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

    /// Whether everything was in order when it was last asked.
    var isInOrder: Bool { state.withLock { $0.finding == nil && $0.agreed > 0 } }

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
    /// since tells of the past, and is told nobody.
    func failed(_ trouble: SecondFactorTrouble, in exchange: Exchange) {
        let (now, moment) = (clock(), uptime())
        let news = state.withLock { state -> Finding? in
            if trouble.contradictsClock { state.contradicted = max(state.contradicted, exchange.number) }
            guard exchange.number > state.ended else { return nil }
            state.ended = exchange.number
            guard state.finding?.trouble != trouble else { return nil }
            state.finding = Finding(address: address, trouble: trouble, since: state.finding?.since ?? now)
            state.began = state.began ?? moment
            return state.finding
        }
        guard let news else { return }
        logger.line(.error, trouble.line, facts(news))
    }

    /// Notes that everything was found in order.
    func works(_ exchange: Exchange) {
        let now = uptime()
        let past = state.withLock { state -> (finding: Finding, began: ContinuousClock.Instant)? in
            defer { (state.finding, state.began) = (nil, nil) }
            state.ended = max(state.ended, exchange.number)
            state.agreed = max(state.agreed, exchange.number)
            guard let finding = state.finding, let began = state.began else { return nil }
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
