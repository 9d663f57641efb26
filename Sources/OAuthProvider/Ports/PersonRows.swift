import Authentication
import OstiaryProtocol
import OstiaryTokens

/// What the provider asks of accounts and sessions, inside a transaction: answered from the rows of Authentication.
package protocol PersonRows: AnyObject {
    /// Who an account is of, if it may log in: by the subject that was kept, or the one that would be.
    func person(of account: AccountID, at server: ServerID) throws -> Person?
    /// As the business backend calls whoever has an account; nil for one that stands alone, and for none of this server.
    func userID(of account: AccountID, at server: ServerID) throws -> String?
    /// Keeps what `person` says of the account's subject, unless one was kept before. It stays when the account goes, for as long as a grant of it.
    func keepSubject(of account: AccountID, at server: ServerID) throws
    /// The login of a session that goes on now, of an account that may log in.
    func login(of session: SessionID, at server: ServerID, now: Instant) throws -> Login?
    /// What became of a pushed session, or of one about a device's code; nil when there is none.
    func outcome(ofPushed session: SessionID, at server: ServerID, now: Instant) throws -> PushedOutcome?
    /// Ends a pushed session, or one about a device's code, that nobody has decided, and leaves any other as it is. A pushed one that is not there yet never
    /// begins: its place is taken.
    /// - Parameters:
    ///   - account: the one that is asked; nil for a device's code.
    ///   - actor: who has it end, for the audit trail.
    func endPushed(_ session: SessionID, of account: AccountID?, at server: ServerID, by actor: AuditActor, now: Instant) throws
    /// Begins a session about a device's code, which any account may decide.
    /// - Parameter codeLife: seconds for which the code waits.
    func begin(_ session: SessionID, asking request: LoginRequest, codeLife: UInt64, at server: ServerID, now: Instant) throws
    /// Who has taken a session about a device's code; nil when no phone may decide it.
    func taker(of session: SessionID, at server: ServerID, now: Instant) throws -> SessionTaker?
    /// The account that a client means by a subject: one that was kept, the user's name, or the id of an account that stands alone. Of several the one
    /// that logged in last; nil if none may log in.
    func account(hinted userID: String, at server: ServerID) throws -> AccountID?
    /// The AppLogin that is logged in by a webNonce now, with the key that its phone named for tokens.
    func appSession(webNonceHash: [UInt8], of server: ServerID, at now: Instant) throws -> AppSession?
}

/// An AppLogin that goes on (RFC 8693 exchanges its webNonce).
package struct AppSession: Equatable, Sendable {
    package let session: SessionID
    package let login: Login
    /// The key that the phone signed for at the login; nil if it named none, and then there are no tokens.
    package let tokenKey: Thumbprint?

    package init(session: SessionID, login: Login, tokenKey: Thumbprint?) {
        self.session = session
        self.login = login
        self.tokenKey = tokenKey
    }
}
