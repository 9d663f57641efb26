import OstiaryProtocol
import OstiaryTokens

/// The checks of a proof of possession that comes with a token (RFC 9449 §7.1).
struct ProofCheck: Sendable {
    /// Under which scheme, host and port callers know this API, and the path before its routes. It is a setting: what `Host` says, a caller chose.
    let base: String
    /// Nil where no nonce is asked for.
    let nonces: DPoPNonces?
    let spent: any SpentProofs

    /// Everything but that it was never seen before: that is asked last, when all else holds.
    /// - Parameter target: the request's, path and query.
    func verified(
        _ fields: [String], method: String, target: String, token: String, at now: Instant
    ) throws(ProofFault) -> DPoPProof {
        // Only a path goes behind the base: anything else could become a part of its host or its port. A request has no fragment (RFC 9112 §3.2).
        guard target.utf8.first == UInt8(ascii: "/"), !target.utf8.contains(UInt8(ascii: "#")) else { throw .targetWrong }
        guard let target = HTTPTarget(base + target) else { throw .targetWrong }
        do throws(DPoPRefusal) {
            guard let proof = try UnverifiedDPoPProof(fields: fields) else { throw .missing }
            return try proof.verified(for: DPoPUse(method: method, target: target, accessToken: token, nonces: nonces), at: now)
        } catch { throw ProofFault(error) }
    }

    /// Seconds for which one is remembered beyond its end, for a memory that is slow to write or has a clock that is ahead.
    static let reserve: UInt64 = 30

    /// - Parameter now: read for this call; what is over now may be forgotten already, and would seem new.
    func spend(_ proof: DPoPProof, at now: Instant) async throws(ResourceRefusal) {
        guard now <= proof.goodUntil else { throw .proof(.tooOld) }
        let isFirst: Bool
        do {
            isFirst = try await spent.spend(proof.spentAs, until: (proof.goodUntil + Self.reserve).seconds, now: now.seconds)
        } catch is ProofMemoryFull { throw .outage(.proofMemoryFull) } catch { throw .outage(.proofMemoryFailed) }
        guard isFirst else { throw .proof(.replayed) }
    }
}
