import OstiaryProtocol

/// One of the servers that share a process and a database but no data.
package struct VirtualServer: Equatable, Sendable {
    package let id: ServerID
    /// The root key, Ed25519: the REST API's `serverpk`.
    package let publicKey: [UInt8]
    package let createdAt: Instant
    package var parameters: ServerParameters

    package init(id: ServerID, publicKey: [UInt8], createdAt: Instant, parameters: ServerParameters) {
        self.id = id
        self.publicKey = publicKey
        self.createdAt = createdAt
        self.parameters = parameters
    }
}

/// What an operator may set. Only `ServerUpdate` changes one, so that every value in here is allowed.
package struct ServerParameters: Equatable, Sendable {
    package internal(set) var name: String
    package internal(set) var logo: ServerLogo?
    /// Seconds within which a logged-in app has to answer; 0 for logins that are not watched.
    package internal(set) var pingTime: UInt32 = 300
    /// Minutes for which a login needs no second factor after a PIN; 0 asks always, -1 never.
    package internal(set) var pinTimeout: Int32 = 0
    /// The same for transactions.
    package internal(set) var pinTransTimeout: Int32 = 0
    package internal(set) var flags: Set<ServerFlag> = []
    /// Seconds for which a QR code that stands still may be scanned; 0 refuses such codes.
    package internal(set) var staticQRAge: UInt32 = 90
    package internal(set) var appName = ""
    package internal(set) var appAndroid = ""
    package internal(set) var appIOS = ""
    /// What an address begins with that opens the app.
    package internal(set) var appURL = ""
    /// The origin of the business application, which the phone shows.
    package internal(set) var siteURL = ""
    package internal(set) var wsURL = ""
    package internal(set) var owner = ""
    /// Of buttons and lines on the pages, by day and by night; nil for the pages' own.
    package internal(set) var color: PageColor?
    package internal(set) var colorDark: PageColor?
    /// Whose pages may show the login page in a frame; nobody's by default. Each once, in the order in which they were told.
    package internal(set) var frameOrigins: [FrameOrigin] = []

    /// The defaults under a name; a name that may not travel is shortened to what may.
    package init(name: String) {
        self.name = WireText.allows(name, cap: 255) && !name.isEmpty ? name : "Ostiary"
    }

    /// Whether a phone is shown the same party as before.
    func looks(like former: ServerParameters) -> Bool {
        name == former.name && siteURL == former.siteURL && logo?.hash == former.logo?.hash
    }

    /// What may prove a second factor here.
    package var methods: Methods { flags.contains(.noBiometrics) ? .pin : [.pin, .bio] }

    /// Seconds after the last answer of an app at which its session ends: pingTime and a grace for the network; nil when logins are not watched
    /// (protocol §8).
    package var patience: UInt64? { pingTime == 0 ? nil : UInt64(pingTime) + 15 }
    /// Seconds for which a login lives that nobody watches: half a day.
    package static let unwatchedLife: UInt64 = 43_200
    /// Seconds for which a login lives without another answer of its app. After an offline code there is none that could answer (protocol §9).
    func life(of login: Login) -> UInt64 { login.isOffline ? Self.unwatchedLife : patience ?? Self.unwatchedLife }

    /// The offline codes that it takes; nil where it takes none.
    package var offlineCodes: OfflineCodeLength? {
        guard flags.contains(.enableOTP) else { return nil }
        return flags.contains(.longOTP) ? .eight : .six
    }
}
