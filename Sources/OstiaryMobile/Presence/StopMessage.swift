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
        let ephemeral = try makeEphemeral()
        let acknowledged = shownNotices(of: account.id)
        let exchanged = try await reaching(for: nil) { () async throws(OstiaryError) in
            try await exchange(with: account.rootHash.bytes, ephemeral, after: after) { sentAt throws(OstiaryError) in
                let freshness = SealedRequest.freshness(ephemeral: ephemeral.publicKey, at: sentAt)
                let message = Stop(sessionID: sid, reason: reason, extensions: Extensions(shownNotices: acknowledged))
                return try sign(message, with: account.keyName, freshness: freshness).bytes
            }
        }
        switch exchanged.answer.status {
        case .sessionOver, .sessionUnknown: return
        default:
            let body = try body(of: exchanged, about: account.id, at: account.rootHash.bytes)
            if let answer = try? PingAnswer(decoding: body) { hear(answer.extensions.notices, by: account.id, after: acknowledged) }
        }
    }
}
