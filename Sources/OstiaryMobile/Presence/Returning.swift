import Foundation
import OstiaryProtocol

/// After a login page: nobody is logged in before the browser that began it has come back (protocol §6).
extension Engine {
    /// Seconds for which the server waits for the browser.
    static let returnTime: UInt64 = 120

    /// A server's first answer that the login is accepted and its browser awaited.
    func awaitBrowser(
        _ id: Session.ID, _ outcome: L6, of question: L2, account: AccountID, after acknowledged: [NoticeID]
    ) async throws(OstiaryError) {
        let address = try Self.returnAddress(outcome, question)
        try rename(account, to: outcome.userName)
        guard let account = try known().account(account) else { throw .accountDeleted }
        change(id) { session in
            session.sid = question.sessionID
            session.account = account.id
            session.lastSeen = ports.clock.monotonic
            session.shown.account = self.shown(account)
            session.shown.pingTime = Int(outcome.pingTime)
            session.shown.state = .waitingForUserInput
            session.shown.isReturning = true
            session.shown.returnURL = address
        }
        let isNoted = try rememberSession(id)
        // What the person does next is done in the browser: another flow may begin.
        if flow?.session == id { flow = nil }
        hear(outcome, by: account.id, after: acknowledged)
        guard await goesOn(id, isNoted: isNoted) else { return }
        if let session = session(id) { emit(.sessionUpdate(session.shown)) }
        keepAlive(id)
    }

    /// The server's word that the browser came back: now somebody is logged in.
    func cameBack(_ id: Session.ID) async {
        change(id) { session in
            session.shown.isReturning = false
            session.shown.returnURL = nil
            session.shown.state = .active
            session.shown.wasLoggedIn = true
            session.shown.username = session.shown.account?.username
        }
        var isNoted = true
        do throws(OstiaryError) { isNoted = try rememberSession(id) } catch { emit(.error(error, session: session(id)?.shown)) }
        recordHistory(id)
        guard await goesOn(id, isNoted: isNoted) else { return }
        if let session = session(id) { emit(.sessionLogin(session.shown)) }
    }

    /// Where the app opens the browser after a tapped link; nil after a scan, when the browser goes by itself.
    private static func returnAddress(_ outcome: L6, _ question: L2) throws(OstiaryError) -> URL? {
        switch (question.browser.binding, outcome.returnCode) {
        case (.returnCode, let code?):
            // Whoever speaks as the server must not make the app open another app.
            guard let url = URL(string: ReturnAddress.text(question.returnURL, code: code)), ServerAddress.isAllowed(url) else { throw .serverAnswer }
            return url
        case (.returnCode, nil), (_, _?): throw .serverAnswer
        case (_, nil): return nil
        }
    }
}
