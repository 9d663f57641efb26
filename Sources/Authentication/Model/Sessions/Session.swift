import OstiaryProtocol

/// One session: a browser or an app that asks who somebody is, from the question to the end of the login.
package struct Session: Equatable, Sendable {
    package let id: SessionID
    package let server: ServerID
    /// The nonce by which a backend asks; of an AppLogin the current webNonce, nil before there is one.
    package var nonceHash: [UInt8]?
    /// Where browsers hear of the session; nil for an AppLogin.
    package let stream: StreamID?
    package let purpose: SessionPurpose
    /// What it asks, in the words of its backend.
    package var request: LoginRequest
    /// How often what it asks was changed: what a phone was shown before decides nothing any more (protocol §4).
    package var asked: UInt32
    package internal(set) var startedAt: Instant
    /// The page that began it, and where alone it ends; nil for a session that no page began.
    package let page: SessionPage?
    /// How it is pushed to the phone of its account; nil for a session that a browser or an app shows.
    package var push: SessionPush?
    /// Seconds for which the code of the device waits that it is about (protocol §6), which may be over before a session would be; nil for any other.
    package let codeLife: UInt64?
    package var state: SessionState
    /// Offline codes that were typed for it, right and wrong (protocol §9).
    package internal(set) var codesTried: UInt8
    /// What a phone said last of itself, for the page; nothing else follows from it.
    package var report: PhoneReport?

    package init(
        id: SessionID, server: ServerID, nonceHash: [UInt8]?, stream: StreamID?, purpose: SessionPurpose,
        request: LoginRequest = LoginRequest(), asked: UInt32 = 0, startedAt: Instant, page: SessionPage? = nil, push: SessionPush? = nil,
        codeLife: UInt64? = nil, codesTried: UInt8 = 0, state: SessionState = .open
    ) {
        self.id = id
        self.server = server
        self.nonceHash = nonceHash
        self.stream = stream
        self.purpose = purpose
        self.request = request
        self.asked = asked
        self.startedAt = startedAt
        self.page = page
        self.push = push
        self.codeLife = codeLife.map { min($0, Self.openFor) }
        self.codesTried = codesTried
        self.state = state
    }
}

/// What a phone is at that was shown the session, in its own words (protocol §6).
package struct PhoneReport: Hashable, Sendable {
    package let state: PhoneState
    /// The end of a penalty; the beginning of time in every other state.
    package let until: Instant

    package init(state: PhoneState, until: Instant = Instant(0)) {
        self.state = state
        self.until = until
    }

    package func isOver(at now: Instant) -> Bool { state == .penalised && now >= until }

    /// Whether the phone does not go on. Whoever waits for the end of a penalty does.
    package var saysItIsLeft: Bool { state != .penalised }
}

/// Where a session stands. Only forward: open → claimed → loggedIn | denied | expired, loggedIn → stopped; with a page
/// claimed → returning → loggedIn | stopped (protocol §6).
package enum SessionState: Hashable, Sendable {
    case open
    /// One account has shown its device key; no other can take the session any more.
    case claimed(Claim)
    /// Accepted on the phone, and nobody is logged in yet: the browser has to come back with the code.
    case returning(Login, ReturnTicket)
    case loggedIn(Login)
    case denied(Denial)
    case expired
    case stopped(Login, StopReason, at: Instant)

    package struct Claim: Hashable, Sendable {
        package let account: AccountID
        package let binding: Binding

        package init(account: AccountID, binding: Binding) {
            self.account = account
            self.binding = binding
        }
    }

    package struct Denial: Hashable, Sendable {
        package let account: AccountID
        /// "No, that was not me."
        package let notMe: Bool
        /// SHA of the L5 without its signature, by which a repeat is known.
        package let decision: [UInt8]

        package init(account: AccountID, notMe: Bool, decision: [UInt8]) {
            self.account = account
            self.notMe = notMe
            self.decision = decision
        }
    }
}

/// A login that was accepted.
package struct Login: Hashable, Sendable {
    package let account: AccountID
    /// How the browser was tied to the phone; nil for the session of an enrolment that was confirmed, and after an offline code.
    package let binding: Binding?
    /// Whether an offline code took the place of the decision: one factor, which its phone has not signed and does not watch (protocol §9).
    package let isOffline: Bool
    /// When it was accepted; of a login that came back, when that was.
    package internal(set) var at: Instant
    /// What was really used.
    package let methods: Methods
    /// When the second factor was proved, which a cache may have been a while ago.
    package internal(set) var verifiedAt: Instant
    /// SHA of the L5 without its signature, by which a repeat is known, or of what stands for it after an offline code; empty for an enrolment.
    package let decision: [UInt8]
    package let userInput: String
    /// Wrong tries of the PIN before this proof, since the last right one or biometric.
    package let failedTries: UInt32
    /// The key that the app's phone named for tokens; nil if it named none, and of a browser's login.
    package let tokenKey: TokenKey?
    /// The last moment at which the session lives without another answer of the app.
    package var deadline: Instant
    package var lastPing: Instant
    /// The phone's time in the newest ping; an older one only reads.
    package var lastStamp: Instant
    /// The code that its browser came back with; nil for a login that needed none, or waits for it.
    package var returned: ReturnTicket?

    package init(
        account: AccountID, binding: Binding?, isOffline: Bool = false, at: Instant, methods: Methods, verifiedAt: Instant, decision: [UInt8],
        userInput: String = "", failedTries: UInt32 = 0, tokenKey: TokenKey? = nil, deadline: Instant, lastPing: Instant, lastStamp: Instant,
        returned: ReturnTicket? = nil
    ) {
        self.account = account
        self.binding = binding
        self.isOffline = isOffline
        self.at = at
        self.methods = methods
        self.verifiedAt = verifiedAt
        self.decision = decision
        self.userInput = userInput
        self.failedTries = failedTries
        self.tokenKey = tokenKey
        self.deadline = deadline
        self.lastPing = lastPing
        self.lastStamp = lastStamp
        self.returned = returned
    }
}
