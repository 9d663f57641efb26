import Foundation
import Logging
import NIOCore

/// How the descriptors of a process are shared out among those who use them, so that none takes what another needs.
package struct ConnectionShares: Sendable, Equatable {
    /// Of the listener that strangers reach.
    package let open: ConnectionLimits
    /// Of every other listener: the REST API, health.
    package let reserved: ConnectionLimits

    /// What a server may have unless the operator says otherwise.
    package static let standardTotal = 20_000
    /// What an operator may set, in all and for one address.
    package static let settingRange = 1...1_000_000

    /// - Parameters:
    ///   - descriptors: that the process may open.
    ///   - total: what the operator allows the open listener; fewer if there are not enough descriptors.
    ///   - perPeer: likewise for one address; half of the total unless told.
    ///   - processors: each has threads with descriptors of their own.
    /// - Throws: ``ServerStartError/tooFewDescriptors(limit:needed:)``.
    package init(descriptors: Int, total: Int? = nil, perPeer: Int? = nil, processors: Int) throws(ServerStartError) {
        // Database, log, second factor, event loops, and something to spare.
        let own = 64 + 4 * processors
        let least = own + 64
        guard descriptors >= least else { throw .tooFewDescriptors(limit: descriptors, needed: least) }
        let kept = min(1_024, (descriptors - own) / 4)
        let possible = descriptors - own - kept
        let allowed = min(total ?? Self.standardTotal, possible)
        open = ConnectionLimits(total: allowed, perPeer: perPeer ?? max(1, allowed / 2))
        reserved = ConnectionLimits(total: kept)
    }

    /// Of this process, whose limit is raised as far as the system lets it first.
    /// - Throws: ``ServerStartError/tooFewDescriptors(limit:needed:)``.
    package static func ofThisProcess(_ settings: ConnectionSettings) throws(ServerStartError) -> ConnectionShares {
        try ConnectionShares(
            descriptors: DescriptorLimit.raise(), total: settings.total, perPeer: settings.perPeer,
            processors: ProcessInfo.processInfo.activeProcessorCount)
    }
}

extension ServiceLimits {
    /// Of the listener that strangers reach.
    package static func open(_ shares: ConnectionShares, listener: String, logger: Logger) -> ServiceLimits {
        ServiceLimits(connections: shares.open, bodies: BodyBudget(bytes: 48 << 20, told: LimitLog(logger: logger, listener: listener)))
    }

    /// Of every other listener; what strangers hold takes nothing from it. Whoever calls it has something to say: a program that opens connections and
    /// forgets them holds few places, and not for long.
    package static func reserved(_ shares: ConnectionShares, listener: String, logger: Logger) -> ServiceLimits {
        ServiceLimits(
            opening: .seconds(5), connections: shares.reserved,
            bodies: BodyBudget(bytes: 16 << 20, told: LimitLog(logger: logger, listener: listener)))
    }
}

/// How many files and connections the system lets this process open at a time.
enum DescriptorLimit {
    /// Raises the soft limit to the hard one: the soft one is low for the sake of programs that use `select`.
    /// - Returns: the limit from now on.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if setrlimit(resource, &raised) == 0 { limit = raised }
        return Int(clamping: min(limit.rlim_cur, 1 << 30))
    }

    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif
}
