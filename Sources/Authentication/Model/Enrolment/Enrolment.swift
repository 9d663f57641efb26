import OstiaryProtocol

/// One invitation to enrol: a link with a secret that is good once and for ten minutes (protocol §5).
package struct Enrolment: Equatable, Sendable {
    /// Seconds for which the link may be used, and then again for the code to be typed.
    package static let life: UInt64 = 600
    /// Wrong codes that end it.
    package static let mostWrongCodes: UInt8 = 3

    package let id: EnrolmentID
    package let server: ServerID
    /// SHA of enrolSecret.
    package let secretHash: [UInt8]
    /// The nonce of the browser that enrols, which is logged in at the end.
    package let nonceHash: [UInt8]
    package let stream: StreamID
    package let userID: String?
    package let displayName: String
    /// What comes of it.
    package let purpose: EnrolmentPurpose
    /// SHA of the cookie of the page that shows it, 32 bytes: the one that began it, or one that was opened while its code was awaited. Nil for one that
    /// the backend draws itself.
    package internal(set) var page: [UInt8]?
    package var expiresAt: Instant
    package var wrongCodes: UInt8
    package var state: State
    /// Whether its account is made, and waits for the code that the phone shows.
    package var awaitsCode: Bool { if case .confirming = state { true } else { false } }
    /// While it is open again: why the phone that had it gave it back.
    package var givenBack: Decision?

    package enum State: Equatable, Sendable {
        case open
        /// One phone has it.
        case claimed(Claim)
        /// The account is made and waits for its code.
        case confirming(Claim, Finish)
        case active(Claim, Finish, Activation)
        case failed(Failure, Claim?)
    }

    /// What the phone that has it was shown, and what it told.
    package struct Claim: Equatable, Sendable {
        package let deviceKey: [UInt8]
        package let device: String
        package let app: String
        package let account: AccountID
        /// For a first PIN.
        package let serverShare: StoredSecret
        /// Of the E1 and of the E2 that answered it. The E2 itself isn't kept: the share lies open in it.
        package let enrolHash: [UInt8]
        package let ephemeral: [UInt8]

        package init(
            deviceKey: [UInt8], device: String, app: String, account: AccountID, serverShare: StoredSecret, enrolHash: [UInt8], ephemeral: [UInt8]
        ) {
            self.deviceKey = deviceKey
            self.device = device
            self.app = app
            self.account = account
            self.serverShare = serverShare
            self.enrolHash = enrolHash
            self.ephemeral = ephemeral
        }

        /// What the attempts of this enrolment are about: devPk||enrolHash.
        package var payload: [UInt8] { deviceKey + enrolHash }
    }

    /// The phone's decision that made the account.
    package struct Finish: Equatable, Sendable {
        /// SHA of the E3 without its signature, by which a repeat is known.
        package let decision: [UInt8]
        /// When the PIN was set or proved; nil for a headless account, which has none.
        package let verifiedAt: Instant?

        package init(decision: [UInt8], verifiedAt: Instant?) {
            self.decision = decision
            self.verifiedAt = verifiedAt
        }
    }

    package struct Activation: Equatable, Sendable {
        package let at: Instant
        /// The session of the enrolling nonce; nil for a headless account, which logs nobody in.
        package let session: SessionID?

        package init(at: Instant, session: SessionID?) {
            self.at = at
            self.session = session
        }
    }

    package enum Failure: UInt8, Sendable {
        /// Nobody used the link, or nobody typed the code, in time.
        case expired = 1
        case wrongCodes = 2
        /// The account was deleted before it was active.
        case deleted = 3
        /// Its nonce was logged out.
        case loggedOut = 4
        /// Nobody typed the code in time, of an account that was blocked by then.
        case blocked = 5

        /// What a phone hears that comes later.
        var refusal: Refusal {
            switch self {
            case .expired, .loggedOut, .blocked: .enrolmentOld
            case .wrongCodes, .deleted: .enrolmentUsed
            }
        }
    }

    package init(
        id: EnrolmentID, server: ServerID, secretHash: [UInt8], nonceHash: [UInt8], stream: StreamID, userID: String?, displayName: String,
        purpose: EnrolmentPurpose = .full, page: [UInt8]? = nil, expiresAt: Instant, wrongCodes: UInt8 = 0, state: State = .open,
        givenBack: Decision? = nil
    ) {
        self.id = id
        self.server = server
        self.secretHash = secretHash
        self.nonceHash = nonceHash
        self.stream = stream
        self.userID = userID
        self.displayName = displayName
        self.purpose = purpose
        self.page = page
        self.expiresAt = expiresAt
        self.wrongCodes = wrongCodes
        self.state = state
        self.givenBack = givenBack
    }

    package var claim: Claim? {
        switch state {
        case .open: nil
        case .claimed(let claim), .confirming(let claim, _), .active(let claim, _, _): claim
        case .failed(_, let claim): claim
        }
    }
}
