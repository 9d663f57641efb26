import Foundation
import OstiaryProtocol

/// One-time codes in the place of a login whose server cannot be reached (protocol §9): offered when the login begins, before its server is asked.
extension Engine {
    /// What a code would be made for; nil for a link that no browser shows.
    func scannedLogin(_ link: Encoded<LoginLink>, at rootHash: [UInt8]) -> ScannedLogin? {
        OfflineClock(link.value, wall: now(at: rootHash)).map {
            ScannedLogin(session: OfflineSession(link.value), at: ports.clock.monotonic, clock: $0)
        }
    }

    /// Tells the app, if the server takes codes of at least one of these accounts.
    func offerCodes(_ id: Session.ID, _ scan: ScannedLogin, of accounts: [StoredAccount]) {
        let offered = accounts.compactMap { account in CodeSource(account).map { (account: self.shown(account), source: $0) } }
        guard !offered.isEmpty else { return }
        let sources = Dictionary(offered.map { ($0.account.id, $0.source) }) { first, _ in first }
        codes.offer(OfflineCodes.Offer(scan: scan, sources: sources), for: id, at: ports.clock.monotonic)
        change(id) { $0.shown.otpAvailable = true }
        if let session = session(id) { emit(.otpAvailable(session.shown, accounts: offered.map(\.account))) }
    }

    /// Whether a one-time code has ended a login that failed. After any other end than a lost connection none is made for it any more.
    func isEndedByCode(_ id: Session.ID, _ error: OstiaryError) -> Bool {
        if flow?.abort == nil, error.isOfConnection { return codes.isCoded(id) }
        return !codes.settle(id)
    }

    /// The code was made, and with it the login is over here: its server is not told, and what it says comes too late. Returns when nothing of it goes on any
    /// more, so that the app's next call may begin another.
    func endByCode(_ id: Session.ID, of account: Account.ID) async {
        if let account = account.accountID.flatMap({ stored?.account($0) }) {
            change(id) { session in
                session.account = account.id
                session.shown.account = self.shown(account)
            }
        }
        guard let flow, flow.session == id else { return close(id, as: .otp) }
        abort(.cancelled)
        await flow.task?.value
    }
}

extension OstiaryError {
    /// Whether it says no more than that nothing of the server's arrived, or that somebody stands in the way who is not believed.
    fileprivate var isOfConnection: Bool { isLostAnswer || self == .certificateUntrusted }
}
