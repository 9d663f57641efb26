import OstiaryProtocol

/// Telling the server that a session is over here (protocol §8).
extension Engine {
    /// Tells the server, and the app only if that failed.
    func sayStop(_ sid: SessionID, of account: StoredAccount, after: Instant? = nil, reason: StopReason = .user) async {
        do throws(OstiaryError) {
            try await sendStop(sid, of: account, after: after ?? now(at: account.rootHash.bytes), reason: reason)
        } catch {
            // What the server ended, or never began, is what was wanted.
            guard error == .serverConnection else { return }
            emit(.error(error, session: nil))
        }
    }

    func sendStop(_ sid: SessionID, of account: StoredAccount, after: Instant, reason: StopReason = .user) async throws(OstiaryError) {
        let acknowledged = shownNotices(of: account.id)
        var line = ServerLine(of: account)
        line.after = after
        let message = Stop(sessionID: sid, reason: reason, extensions: Extensions(shownNotices: acknowledged))
        let answer = try await line.ask(
            message, for: PingAnswer.self, declining: { $0 == .sessionOver || $0 == .sessionUnknown }, by: self)
        if case .done(let reply) = answer { hear(reply.value.extensions.notices, by: account.id, after: acknowledged) }
    }
}
