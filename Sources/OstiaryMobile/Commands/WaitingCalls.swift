import OstiaryProtocol

/// The calls of those who wait until a server knows.
extension Engine {
    /// Stops a session.
    func end(_ id: Session.ID) async throws(OstiaryError) {
        guard let session = session(id), session.shown.goesOn, let sid = session.sid,
            let account = session.account.flatMap({ stored?.account($0) })
        else {
            _ = try stopHere(id)
            return
        }
        ended(id, as: .user)
        try await sendStop(sid, of: account, after: session.lastStamp)
    }

    /// Deletes an account.
    func remove(_ id: Account.ID) async throws(OstiaryError) {
        try deleteHere(id)
        await deliverOutbox(of: id.accountID)
        if stored?.outbox.contains(where: { $0.account == id.accountID }) == true { throw .serverConnection }
    }

    /// Until the page of the last login has heard what became of it, or cannot.
    func settle() async { await lastWord?.value }
}
