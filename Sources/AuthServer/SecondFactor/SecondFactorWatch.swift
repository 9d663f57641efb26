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

        fileprivate static func text(_ moment: Instant) -> String {
            Date(timeIntervalSince1970: Double(moment.seconds)).formatted(.iso8601)
        }
    }

    private let address: String
    private let logger: Logger
    private let clock: @Sendable () -> Instant
    private let finding = Mutex<Finding?>(nil)

    init(address: String, logger: Logger, clock: @Sendable @escaping () -> Instant) {
        self.address = address
        self.logger = logger
        self.clock = clock
    }

    /// What is wrong now, as far as it is known.
    package var present: Finding? { finding.withLock { $0 } }

    /// Notes a failure. Another reason is another line; the time is that of the first.
    func failed(_ trouble: SecondFactorTrouble) {
        let now = clock()
        let news = finding.withLock { finding -> Finding? in
            guard finding?.trouble != trouble else { return nil }
            finding = Finding(address: address, trouble: trouble, since: finding?.since ?? now)
            return finding
        }
        guard let news else { return }
        logger.line(.error, trouble.line, facts(news))
    }

    /// Notes that everything was found in order.
    func works() {
        let now = clock()
        let past = finding.withLock { finding in
            defer { finding = nil }
            return finding
        }
        guard let past else { return }
        let lasted = "\(now.seconds(since: past.since)) s"
        logger.line(.notice, "the second-factor server can be used again", facts(past).merging([.lasted: lasted]) { _, new in new })
    }

    private func facts(_ finding: Finding) -> [LogKey: String] {
        [.address: finding.address, .reason: "\(finding.trouble)", .since: Finding.text(finding.since)]
    }
}
