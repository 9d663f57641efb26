import OstiaryProtocol

/// What `getSession` answers. The names of the REST API are those of the fields in lower case.
package struct LoginStatus: Equatable, Sendable {
    package var loggedIn = false
    package var userID: String?
    package var accountID: AccountID?
    /// The device key of the account, 65 bytes.
    package var publicKey: [UInt8]?
    package var hsid: StreamID?
    package var canProvoke = false
    /// The bytes of a login link, while the session waits for a phone.
    package var loginQRData: [UInt8]?
    /// Whether an offline code logged in, and no phone (protocol §9).
    package var otpLogin = false
    package var state: State = .none
    /// What the person sent along with the decision; empty for nothing.
    package var userInput = ""
    /// What phones are shown of the login; of one that was accepted, what its person approved.
    package var announced = ShownContext.none
    /// What the backend noted together with that.
    package var notes = SessionNotes.none
    package var loginTime: Instant?
    package var authentication: AuthenticationFacts?
    package var lastPing: Instant?
    /// The last moment at which the session lives without another answer of the app.
    package var expiresAt: Instant?
    /// Names the app instance: the same for all accounts of one phone at this server.
    package var deviceID: InstanceID?
    /// Whether the browser that began the login came back with its code.
    package var returned = false

    package enum State: String, Sendable {
        /// Nothing is known by this nonce, or what was is over: both look the same.
        case none, open, claimed
        /// Accepted on the phone; the browser that began has to come back. Nobody is logged in.
        case returning
        case loggedIn = "loggedin"
    }

    /// What is said of a nonce that leads nowhere.
    package static let nobody = LoginStatus()
}

/// How somebody logged in, in the words of RFC 8176 where it has one, and as an `acr` (protocol §6).
package struct AuthenticationFacts: Equatable, Sendable {
    /// When the second factor was proved; nil when none was asked.
    package let time: Instant?
    package let amr: [String]
    package let acr: String
    package let binding: String
    /// What proved the second factor: `pin`, `bio`, both or nothing.
    package let factors: [String]
    /// Wrong tries of the PIN before it, since the last right one or biometric.
    package let failedTries: UInt32

    package init(of login: Login) {
        time = login.methods.isEmpty ? nil : login.verifiedAt
        amr = login.isOffline ? ["otp"] : Self.amr(login.methods)
        acr = login.methods.isEmpty ? "sf" : "mfa"
        binding = login.isOffline ? "otp" : Self.name(of: login.binding)
        factors = Self.factors(login.methods)
        failedTries = login.failedTries
    }

    private static func factors(_ methods: Methods) -> [String] {
        (methods.contains(.bio) ? ["bio"] : []) + (methods.contains(.pin) ? ["pin"] : [])
    }

    /// Sorted, so that the same methods always read the same.
    private static func amr(_ methods: Methods) -> [String] {
        var values = ["pop"] + factors(methods)
        if !methods.isEmpty { values.append("mfa") }
        return values.sorted()
    }

    private static func name(of binding: Binding?) -> String {
        switch binding {
        case .returnCode: "returnCode"
        case .qrDynamic: "qrDynamic"
        case .qrStatic: "qrStatic"
        case .push: "push"
        case .app: "app"
        case .unboundLink: "unboundLink"
        case nil: "enrolment"
        }
    }
}
