import Synchronization

@testable import OstiaryMobile
@testable import OstiaryPhone

extension FixturePhone {
    enum Change: Sendable {
        /// The phone was told that the new PIN counts.
        case done
        /// The new one may count, and nobody said so.
        case unknown
        /// Nobody was asked for a new one.
        case notBegun
    }

    /// Changes the PIN over a network on which anything may be lost.
    /// - Parameter pin: of those that may be the one so far, the next; nil cancels.
    /// - Returns: with what came of each PIN that may have been the one so far, and whether no PIN is accepted any more.
    func changePIN(to new: String, entering pin: (SecondFactorInfo) -> String?) async throws -> (
        change: Change, answers: [SecondFactorInfo], isBlock: Bool
    ) {
        let work: Task<OstiaryError?, Never>
        do throws(OstiaryError) { work = try await ostiary.core().engine.begin(.changePIN, for: nil) } catch { return (.notBegun, [], false) }
        let end = ChangeEnd()
        Task {
            _ = await work.value
            end.hasCome.withLock { $0 = true }
        }
        var (answers, set, isAsked) = ([SecondFactorInfo](), 0, false)
        let deadline = ContinuousClock.now + .aHang
        while true {
            guard ContinuousClock.now < deadline else { throw Timeout(description: "the change does not end") }
            try Task.checkCancellation()
            // What has failed before it asked anything tells nothing but that.
            guard let (factor, isFirst) = await log.next(within: .milliseconds(100), Self.managed) else {
                if end.hasCome.withLock({ $0 }) { break } else { continue }
            }
            // What comes before the first question is of a change of before.
            isAsked = isAsked || isFirst
            guard isAsked else { continue }
            let info = factor.secondFactorInfo
            if info.context == .pinChangeVerify, info.result != nil, !factor.stopped { answers.append(info) }
            if factor.stopped { break }
            guard info.result != .success else { continue }
            if info.context == .pinChangeSet {
                set += 1
                if set <= 3 { enter(new) } else { ostiary.sfCancel() }
            } else if let digits = pin(info) {
                enter(digits)
            } else {
                ostiary.sfCancel()
            }
        }
        let failure = await work.value
        return (failure == nil ? .done : set > 0 ? .unknown : .notBegun, answers, failure == .secondFactorBlocked)
    }

    private static func managed(_ event: OstiaryEvent) -> (SecondFactor, isFirst: Bool)? {
        switch event {
        case .secondFactorStarted(let factor) where factor.session == nil: (factor, true)
        case .secondFactorUpdated(let factor) where factor.session == nil: (factor, false)
        default: nil
        }
    }
}

private final class ChangeEnd: Sendable {
    let hasCome = Mutex(false)
}
