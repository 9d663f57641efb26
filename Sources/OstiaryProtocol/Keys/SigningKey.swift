/// Which of a server's operational keys signs (protocol §1).
extension OperatorCertificate {
    /// Seconds for which a certificate is only published before its key signs. A phone uses a bundle for as long as its prekeys are opened, 48 hours,
    /// and what the authentication server tells of the second-factor server is an hour older at most: by then everybody has met the new key.
    package static let publishedAhead: UInt64 = 3 * 86_400

    package func isValid(at now: Instant) -> Bool { notBefore <= now && now <= notAfter }

    /// The one whose key signs at `now`: of those that were published long enough the newest; where there is none, the one that was published first.
    /// Nil when none is valid.
    package static func signing(of certificates: [OperatorCertificate], at now: Instant) -> OperatorCertificate? {
        let valid = certificates.filter { $0.isValid(at: now) }
        return valid.filter { $0.notBefore + publishedAhead <= now }.max { $0.notAfter < $1.notAfter }
            ?? valid.min { $0.notBefore < $1.notBefore }
    }
}
