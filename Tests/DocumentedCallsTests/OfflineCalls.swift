import OstiaryMobile
import Testing

/// Offline fallback (S2): its Swift, statement by statement. The delegate call is the one of the document's code. What each call does is shown by
/// OfflineOfferTests, OfflineCodeTests and OfflineNetworkTests.
final class OfflineCalls: OstiaryDelegate {
    func ostiary(_ ostiary: Ostiary, canGenerateOTPFor session: Session, with accounts: [Account]) {
        // Asked for just before it is shown.
        guard let session = ostiary.session(session.id), session.otpAvailable || session.connectionError, let account = accounts.first else { return }
        _ = Self.code(for: session, of: account)
    }

    func ostiary(_ ostiary: Ostiary, didFailWith error: OstiaryError, for session: Session?) { _ = error.code == 70 }

    static func code(for session: Session, of account: Account) -> String? {
        let otp = Ostiary.default.generateOTP(for: session, and: account)
        return otp
    }

    /// The states that the document names.
    static func isBeforeInteraction(_ session: Session) -> Bool { session.state == .starting || session.state == .readyForUserInteraction }
}

@Suite("The documents' calls: offline fallback")
struct OfflineCallTests {
    @Test("S2-27 S2-40 S2-41 S2-43 generateOTP and canGenerateOTPFor are there as documented, and a session has otpAvailable and connectionError")
    func calls() {
        let call: (Session, Account) -> String? = OfflineCalls.code
        let question: (Session) -> Bool = OfflineCalls.isBeforeInteraction
        let delegate: any OstiaryDelegate = OfflineCalls()
        _ = (call, question, delegate)
        #expect(Session.State.starting.rawValue == "STARTING" && Session.State.readyForUserInteraction.rawValue == "READY_FOR_USER_INTERACTION")
    }
}
