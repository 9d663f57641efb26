import OstiaryProtocol

/// The calls of those who wait until a server knows.
extension Engine {
    /// Stops a session.
    func end(_ id: Session.ID) async throws(OstiaryError) {
        if let login = try closeHere(id) { try await sendStop(login) }
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
