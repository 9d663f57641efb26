import OstiaryProtocol

/// otpLogin: a person types the code that a phone without a connection has made (protocol §9).
package struct OfflineLogins: Sendable {
    private let store: any AuthenticationStore
    private let keyring: any ServerKeyring
    private let queries: SessionQueries
    private let events: any SessionEvents
    private let random: any RandomSource

    package init(
        store: any AuthenticationStore, keyring: any ServerKeyring, queries: SessionQueries, events: any SessionEvents, random: any RandomSource
    ) {
        self.store = store
        self.keyring = keyring
        self.queries = queries
        self.events = events
        self.random = random
    }

    /// Logs in to the session of a nonce by a code, or has the browser of its page come back first.
    /// - Parameters:
    ///   - text: as it was typed.
    ///   - page: SHA of the cookie of the page that it was typed into, which has to be the one that shows the session; nil for the backend itself.
    ///   - actor: who hands it in.
    /// - Returns: what getSession says now.
    /// - Throws: `OfflineCodeRefusal`, `UnknownServer`.
    package func logIn(
        _ text: String, for nonce: SessionNonce, page: [UInt8]? = nil, at server: ServerID, by actor: AuditActor, now: Instant
    ) async throws -> LoginStatus {
        let admission = OfflineAdmission(
            text: text, nonceHash: nonce.hash, page: page, server: server, keys: try await keyring.keys(of: server), actor: actor,
            mark: random.bytes(16))
        switch try await store.write({ rows, former in try admission.take(in: rows, after: former, at: now) }) {
        case .loggedIn(let session, let login, let account):
            events.publish(.about(session, .loggedIn(login.account)))
            return queries.loggedIn(session, login, account)
        case .returning(let session):
            events.publish(.about(session, .returning))
            return queries.returning(session)
        case .wrong(let left): throw OfflineCodeRefusal.wrong(left: left)
        }
    }
}
