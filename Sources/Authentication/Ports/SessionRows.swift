import OstiaryProtocol

/// Sessions and what belongs to them, inside a transaction.
package protocol SessionRows: AnyObject {
    func session(_ id: SessionID) throws -> Session?
    /// The session that browsers hear of by this name: the one that is logged in or comes back, of which a nonce has one at most; else the newest. When they began
    /// does not tell: two may do so in one second, and a clock may be put back between them.
    func session(stream: StreamID, of server: ServerID) throws -> Session?
    /// The session whose return code has this hash, while it is awaited and after it was handed in.
    func session(returnCodeHash: [UInt8], of server: ServerID) throws -> Session?
    /// Adds the session or puts it in the place of its former self.
    func save(_ session: Session) throws
    /// Where a nonce leads now.
    func pointer(nonceHash: [UInt8], of server: ServerID) throws -> NoncePointer?
    func save(_ pointer: NoncePointer) throws
    func removePointer(nonceHash: [UInt8], of server: ServerID) throws
    /// What `getSession` needs, in one look-up: the session that the nonce leads to and the account that is logged in.
    func view(nonceHash: [UInt8], of server: ServerID) throws -> SessionView?
    /// Sessions that the account has claimed or is logged in to.
    func unfinishedSessions(of account: AccountID) throws -> [Session]
    /// Those of them that are AppLogins: one, as a rule, however many browsers the account is logged in with.
    func unfinishedAppLogins(of account: AccountID) throws -> [Session]
    /// Pushed sessions of the account that nobody has decided and that did not run out, the oldest first.
    func waitingSessions(of account: AccountID, at now: Instant) throws -> [Session]
    /// How many wrong numbers came for pushed sessions of the account that began at that moment or later.
    func wrongNumbers(of account: AccountID, since: Instant) throws -> Int
    /// Sessions that ran out before `now` and are not written down as over, at most `limit`.
    func overdueSessions(at now: Instant, limit: Int) throws -> [Session]

    /// Raises `asked` of every session of the server that waits for a phone.
    func askAnew(at server: ServerID) throws

    /// Keeps a logo for as long as the session, and of its logos the newest `count` only.
    func add(_ logo: ServerLogo, to session: SessionID, keeping count: Int) throws
}

/// What a nonce stands for. It outlives its sessions for a while so that no session id comes twice.
package struct NoncePointer: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        /// An X-nonce that a backend chose.
        case chosen = 1
        /// The webNonce of an AppLogin.
        case web = 2
    }

    package let server: ServerID
    package let hash: [UInt8]
    package let kind: Kind
    package var session: SessionID
    /// How many sessions of this nonce are finished.
    package var run: UInt32

    package init(server: ServerID, hash: [UInt8], kind: Kind, session: SessionID, run: UInt32) {
        self.server = server
        self.hash = hash
        self.kind = kind
        self.session = session
        self.run = run
    }
}

/// A session with the account that is logged in to it.
package struct SessionView: Equatable, Sendable {
    package let session: Session
    package let account: AccountFacts?

    package init(session: Session, account: AccountFacts?) {
        self.session = session
        self.account = account
    }
}

/// What a backend may know of an account that is logged in.
package struct AccountFacts: Equatable, Sendable {
    package let id: AccountID
    package let userID: String?
    package let deviceKey: [UInt8]
    package let instance: InstanceID?

    package init(id: AccountID, userID: String?, deviceKey: [UInt8], instance: InstanceID?) {
        self.id = id
        self.userID = userID
        self.deviceKey = deviceKey
        self.instance = instance
    }
}

extension AccountFacts {
    package init(_ account: Account) {
        self.init(id: account.id, userID: account.userID, deviceKey: account.deviceKey, instance: account.instance)
    }
}
