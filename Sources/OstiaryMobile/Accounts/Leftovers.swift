import OstiaryProtocol

/// Clearing up after a crash.
extension Engine {
    /// What a crash left behind: keys to destroy, enrolments that came to nothing. Their servers are told to forget them.
    func sweep() {
        let now = ports.clock.wall
        let isOld: (UInt64) -> Bool = { $0 + Self.enrolmentLife < now }
        guard let stored else { return }
        for account in stored.accounts where account.state == .enrolling && isOld(account.createdAt) { abandon(account.id) }
        if stored.claims.contains(where: { isOld($0.madeAt) }) {
            _ = try? write { (state) throws(OstiaryError) in
                state.discarded += state.claims.filter { isOld($0.madeAt) }.flatMap { [$0.keyName, $0.secretName].compactMap(\.self) }
                state.claims.removeAll { isOld($0.madeAt) }
            }
        }
        let abandoned = stored.instances.filter { $0.biometricClaim.map { isOld($0.madeAt) } ?? false }
        if !abandoned.isEmpty {
            _ = try? write { (state) throws(OstiaryError) in
                for instance in abandoned { state.dropBiometrics(of: instance.id, all: false) }
            }
        }
        destroyDiscarded()
    }

    /// Seconds after which an enrolment that is not complete never will be; the server gives up after ten minutes (protocol §5).
    static let enrolmentLife: UInt64 = 15 * 60
}
