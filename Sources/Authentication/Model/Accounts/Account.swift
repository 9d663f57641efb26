import OstiaryProtocol

/// One app instance × one user × one virtual server, with a device key of its own.
package struct Account: Equatable, Sendable {
    package enum State: UInt8, Sendable {
        /// Enrolled, but its code was not typed in the browser yet: cannot log in.
        case pending = 0
        case active = 1
        /// Of a headless account that is active: a second factor was set for it, and the code that makes it a full one was not typed yet (decision 0046).
        case upgrading = 2
    }

    package let id: AccountID
    package let server: ServerID
    /// The user of the business backend; nil for an account that stands alone.
    package let userID: String?
    /// The name that the phone shows for the account.
    package let displayName: String
    /// The device's name, as the phone told it.
    package let device: String
    package let app: String
    package let deviceKey: [UInt8]
    /// The app instance whose PIN is the account's second factor; nil for a headless account, which has none.
    package var instance: InstanceID?
    package let createdAt: Instant
    /// Names the account in one-time codes; unique at its server, not secret.
    package let otpReference: UInt32
    package let otpKey: StoredSecret
    package var state: State
    package var isBlocked: Bool
    package var activatedAt: Instant?
    package var lastLogin: Instant?
    /// Whether the silent login straight after the enrolment is still to be had.
    package var hasActivationCache: Bool

    package init(
        id: AccountID, server: ServerID, userID: String?, displayName: String, device: String, app: String, deviceKey: [UInt8], instance: InstanceID?,
        createdAt: Instant, otpReference: UInt32, otpKey: StoredSecret, state: State = .pending, isBlocked: Bool = false, activatedAt: Instant? = nil,
        lastLogin: Instant? = nil, hasActivationCache: Bool = false
    ) {
        self.id = id
        self.server = server
        self.userID = userID
        self.displayName = displayName
        self.device = device
        self.app = app
        self.deviceKey = deviceKey
        self.instance = instance
        self.createdAt = createdAt
        self.otpReference = otpReference
        self.otpKey = otpKey
        self.state = state
        self.isBlocked = isBlocked
        self.activatedAt = activatedAt
        self.lastLogin = lastLogin
        self.hasActivationCache = hasActivationCache
    }

    /// Whether it has no second factor that counts: it asks for data, and nothing else.
    package var isHeadless: Bool { instance == nil || state == .upgrading }

    /// Throws unless the device of the account may ask for anything.
    func checkUsable() throws(Refusal) {
        guard !isBlocked else { throw .accountBlocked }
        guard state != .pending else { throw .accountPending }
    }

    /// Throws unless the account may log in, or change its second factor.
    func checkMayLogIn() throws(Refusal) {
        try checkUsable()
        guard !isHeadless else { throw .headless }
    }

    /// Throws unless its second factor is that of this instance.
    func check(_ named: InstanceID) throws(Refusal) {
        guard !isHeadless else { throw .headless }
        guard instance == named else { throw .instanceWrong }
    }
}

/// That there was an account: what a phone needs to delete its side (protocol §13).
package struct DeletedAccount: Equatable, Sendable {
    package let id: AccountID
    package let server: ServerID
    package let since: Instant

    package init(id: AccountID, server: ServerID, since: Instant) {
        self.id = id
        self.server = server
        self.since = since
    }
}

/// A notice to the person of an account, told in each answer until the phone says that it was shown (protocol §8).
package struct StoredNotice: Equatable, Sendable {
    package let account: AccountID
    package let notice: DeviceNotice

    package init(account: AccountID, notice: DeviceNotice) {
        self.account = account
        self.notice = notice
    }
}
