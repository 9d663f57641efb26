import OstiaryProtocol

/// The way to the second-factor server.
package protocol SecondFactorGateway: Sendable {
    /// Who the second-factor server is, as it was last seen, with its root checked against the pinned one.
    /// - Throws: `SecondFactorUnreachable`.
    func identity() async throws -> VerifiedSecondFactor
    /// What bundles say of it: as ``identity()``, and also while its keys are not valid at this server's time, which may be the wrong one. Phones look at its
    /// keys by their own clocks.
    /// - Throws: `SecondFactorUnreachable` as long as it was never seen.
    func publishedIdentity() async throws -> Encoded<SecondFactorIdentity>
    /// Asks for the identity anew, for a key that the last one did not have.
    func refreshedIdentity() async throws -> VerifiedSecondFactor
    /// Delivers a call and returns the answer's bytes, unchecked, within a few seconds.
    /// - Throws: `SecondFactorUnreachable`.
    func call(_ call: SecondFactorCall) async throws -> [UInt8]
}

extension SecondFactorGateway {
    package func publishedIdentity() async throws -> Encoded<SecondFactorIdentity> { try await identity().identity }
}

/// No answer from the second-factor server in time, or none that it could have made.
package struct SecondFactorUnreachable: Error, Equatable {
    package init() {}
}

/// A second-factor server whose keys lead to the pinned root. Only `verify` makes one.
package struct VerifiedSecondFactor: Sendable {
    package let identity: Encoded<SecondFactorIdentity>
    package let keys: OperatorKeys

    /// Throws unless the identity has the pinned root and its prekeys are signed by keys of that root that are valid at `now`.
    /// - Parameter former: one that was verified before. Of the same bytes under the same root the signatures are not verified again: with them nothing
    ///   changes but whether their keys are valid yet or still.
    package static func verify(
        _ identity: Encoded<SecondFactorIdentity>, rootHash: [UInt8], at now: Instant, former: VerifiedSecondFactor? = nil
    ) throws(BadSignature) -> VerifiedSecondFactor {
        if let former, former.identity.bytes == identity.bytes, matches(former.keys.root.hash, rootHash) {
            guard identity.value.prekeys.allSatisfy({ former.keys.hasKey($0.value.signature.keyID, at: now) }) else { throw BadSignature() }
            return former
        }
        let keys = try OperatorKeys.verify(identity.value.chain, rootHash: rootHash)
        for prekey in identity.value.prekeys { try prekey.verify(with: keys, at: now) }
        return VerifiedSecondFactor(identity: identity, keys: keys)
    }

    /// The newest prekey that may still be used, for phones to seal to.
    package func prekey(at now: Instant) -> Encoded<Prekey>? {
        identity.value.prekeys.filter { now <= $0.value.notAfter }.max { $0.value.notAfter < $1.value.notAfter }
    }
}
