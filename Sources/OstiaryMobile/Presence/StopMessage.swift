import OstiaryProtocol

/// A login that is over here, as its server is told (protocol §8).
struct ClosedLogin: Sendable {
    let session: SessionID
    let account: StoredAccount
    /// The time stamp of the last message about it.
    let lastStamp: Instant
    var reason = StopReason.user
}

extension Engine {
    /// Tells the server, and the app only if that failed.
    func tellServer(_ login: ClosedLogin) async {
        do throws(OstiaryError) { try await sendStop(login) } catch {
            // What the server ended, or never began, is what was wanted.
            guard error == .serverConnection else { return }
            emit(.error(error, session: nil))
        }
    }

    func sendStop(_ login: ClosedLogin) async throws(OstiaryError) {
        let account = login.account
        let acknowledged = shownNotices(of: account.id)
        var line = ServerLine(of: account)
        line.after = login.lastStamp
        let message = Stop(sessionID: login.session, reason: login.reason, extensions: Extensions(shownNotices: acknowledged))
        let answer = try await line.ask(
            message, for: PingAnswer.self, declining: { $0 == .sessionOver || $0 == .sessionUnknown }, by: self)
        if case .done(let reply) = answer { hear(reply.value.extensions.notices, by: account.id, after: acknowledged) }
    }
}
