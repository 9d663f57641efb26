import Synchronization

/// When the AppLogin has to end, by the monotonic clock: so long after the last call that implies a person, and so long after the login.
///
/// The app's calls come here before the engine hears of them: one that comes too late, because the device slept, must not bring back a
/// login that is over.
final class AppLoginClock: Sendable {
    private struct Times {
        let began: UInt64
        var active: UInt64
    }

    /// Whole seconds; nil for no limit.
    private let inactivity: UInt64?
    private let lifetime: UInt64?
    private let times = Mutex<Times?>(nil)

    init(_ configuration: Ostiary.Configuration) {
        inactivity = Self.limit(configuration.appLoginInactivityTimeout)
        lifetime = Self.limit(configuration.timeoutAppLogin)
    }

    private static func limit(_ duration: Duration) -> UInt64? {
        duration > .zero ? duration.wholeSeconds : nil
    }

    func start(at now: UInt64) { times.withLock { $0 = Times(began: now, active: now) } }

    func stop() { times.withLock { $0 = nil } }

    /// A person did something. Too late is too late.
    func noteActivity(at now: UInt64) {
        times.withLock { times in
            guard let old = times, ending(old, now) == nil else { return }
            times?.active = max(now, old.active)
        }
    }

    /// Why the AppLogin is over; nil while it is not, or while there is none.
    func ending(at now: UInt64) -> Session.Ending? { times.withLock { times in times.flatMap { ending($0, now) } } }

    /// Seconds until it is over if nobody does anything; nil without a limit.
    func left(at now: UInt64) -> UInt64? {
        guard let times = times.withLock({ $0 }) else { return nil }
        let ends = [inactivity.map { times.active + $0 }, lifetime.map { times.began + $0 }].compactMap { $0 }
        return ends.min().map { $0 > now ? $0 - now : 0 }
    }

    private func ending(_ times: Times, _ now: UInt64) -> Session.Ending? {
        if let lifetime, now >= times.began + lifetime { return .timeout }
        if let inactivity, now >= times.active + inactivity { return .inactivity }
        return nil
    }
}
