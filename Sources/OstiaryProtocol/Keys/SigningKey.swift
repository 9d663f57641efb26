/// Which of a server's operational keys signs (protocol §1).
extension OperatorCertificate {
    /// Seconds for which a certificate is only published before its key signs. A phone uses a bundle for as long as its prekeys are opened, 48 hours,
    /// and what the authentication server tells of the second-factor server is an hour older at most: by then everybody has met the new key.
    package static let publishedAhead: UInt64 = 3 * 86_400

    package func isValid(at now: Instant) -> Bool { notBefore <= now && now <= notAfter }

    /// The one whose key signs at `now`: of those that were published long enough the newest; where there is none, the one that was published first.
    /// Nil when none is valid.
    package static func signing(of certificates: [OperatorCertificate], at now: Instant) -> OperatorCertificate? {
        signingPlace(among: certificates, at: now).map { certificates[$0] }
    }

    /// Where that one stands. It is asked for a dozen times in a login, so nothing is copied for it.
    package static func signingPlace(among certificates: [OperatorCertificate], at now: Instant) -> Int? {
        var newest: Int?
        var first: Int?
        for place in certificates.indices where certificates[place].isValid(at: now) {
            let (begin, end) = (certificates[place].notBefore, certificates[place].notAfter)
            if begin + publishedAhead <= now, newest.map({ certificates[$0].notAfter < end }) ?? true { newest = place }
            if first.map({ begin < certificates[$0].notBefore }) ?? true { first = place }
        }
        return newest ?? first
    }
}
