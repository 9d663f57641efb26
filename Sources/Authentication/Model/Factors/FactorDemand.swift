import OstiaryProtocol

/// How strongly a person has to show themself for one login. The server's policy, `pinTimeout`, always holds; a demand only adds to it.
///
/// The REST API offers none, so every login of today asks for ``policy``: `max_age`, `acr_values` and transactions of OAuth will set it.
package struct FactorDemand: Hashable, Sendable {
    /// What `pinTimeout` says and no more.
    package static let policy = FactorDemand(mostAge: nil)
    /// A second factor that is proved for this very login: nothing that is remembered is enough.
    package static let always = FactorDemand(mostAge: 0)
    /// A second factor that was proved at most so many seconds ago; 0 is ``always``.
    package static func fresh(_ seconds: UInt32) -> FactorDemand { FactorDemand(mostAge: seconds) }

    /// Seconds that may have passed since the proof, 0 for a proof of its own; nil when only the policy counts.
    package let mostAge: UInt32?

    package init(mostAge: UInt32?) { self.mostAge = mostAge }

    /// Whether more than the device key is asked: by a server that never asks for it (-1), too, if the login demands it.
    func asksFactor(under pinTimeout: Int32) -> Bool { mostAge != nil || pinTimeout >= 0 }

    /// Whether a factor that is remembered may be enough, while nobody knows whose.
    func allowsCache(under pinTimeout: Int32) -> Bool { pinTimeout > 0 && mostAge != 0 }

    /// Whether what is remembered is enough now, where a proof is good for `pinTimeout` minutes: maybe less than when the cache was given.
    func isMet(by cache: FactorCache, under pinTimeout: Int32, at now: Instant) -> Bool {
        guard now <= cache.expiresAt, cache.isSingleUse || pinTimeout > 0 && now <= cache.verifiedAt + UInt64(pinTimeout) * 60 else { return false }
        guard let mostAge else { return true }
        return mostAge > 0 && now <= cache.verifiedAt + UInt64(mostAge)
    }
}
