extension Ostiary {
    /// What an app decides about the SDK: set here, or read from JSON or a property list.
    ///
    /// Every setting of a file is in `ConfigurationKey.all`; a duration of zero switches its limit off.
    public struct Configuration: Sendable, Hashable {
        // AppLogin
        /// After how long without a call that implies a person the AppLogin is logged out; zero for never. Which calls those are is said at
        /// `Ostiary.userIsActive()`.
        public var appLoginInactivityTimeout = Duration.zero
        /// After how long the AppLogin is logged out whatever the person does; zero for never.
        public var timeoutAppLogin = Duration.zero
        /// At most one account in this app: the enrolment of a second is error 40.
        public var singleAccount = false
        /// Whether each AppLogin names a key of this device, to which the server's OAuth provider binds tokens (RFC 9449). Without it the `webNonce` of an
        /// AppLogin is exchanged for none.
        public var bindsTokens = false
        /// Where `getToken(for:)` gets its token, and for what, at a server that has no token service behind it; nil for an app that takes none of a provider. It
        /// needs `bindsTokens`, and no file has it.
        public var tokens: TokenSettings?

        // Questions to the person
        /// The app calls `startUserInteraction(for:)` itself.
        public var manuallyStartUserInteraction = false
        /// A login for which only one account can answer, and which asks for a second factor anyway, is not confirmed separately: entering the
        /// factor confirms it. The screen of the factor then has to say what is being logged in to.
        ///
        /// Unlike the reference: a login that came by a link or a still code, which anybody may have sent, and one that announces texts or an
        /// image, is confirmed all the same, so that no PIN approves what was not shown.
        public var automaticallySelectSingleAccountWhenSecondFactorNeeded = true
        /// Don't compute the visual hash, which takes 70 to 300 ms at an enrolment.
        public var hidesVisualHash = false

        // The second factor
        /// Never ask for a biometric feature.
        public var biometricsDisabled = false
        /// After how many logins in a row by a biometric feature alone the PIN is asked; 0 for no limit.
        public var maxNumberSecondFactorWithoutPIN = 0
        /// How long after the last right PIN a biometric feature alone is enough; zero for no limit.
        public var maxTimeSecondFactorWithoutPIN = Duration.zero
        /// A blocked PIN blocks the biometric feature as well.
        public var blockSecondFactorOnPINBlocked = false
        /// A new PIN needs the old one; a biometric feature does not vouch for it.
        public var disallowPinChangeWithBiometric = false
        /// How long the SDK waits for a second factor before it gives up with `userInputTimeout`; zero for as long as the server does.
        public var secondFactorUserInputTimeout = Duration.zero
        /// A login of a browser never goes by a remembered second factor, unless the person is logged in to the app.
        public var alwaysRequireSecondFactorIfInactiveAppLogin = false

        // Links and history
        /// What the path of a link to `start(link:)` begins with, from its first slash on; empty for any.
        public var universalLinkPathPrefix = ""
        /// How long an entry of the history is kept; zero keeps none.
        public var expiryHistoryItems = Duration.seconds(2_160 * 3_600)

        // The device and the network
        /// How long the SDK goes on trying to reach a server before a login or an enrolment fails.
        public var connectionPatience = Duration.seconds(60)
        /// Name and version of the app, at most 256 bytes; the server keeps it with the account.
        public var appInfo = ""
        /// Name of the device and its system, at most 256 bytes; the page of an enrolment and older devices show it.
        public var deviceName = ""
        /// Whether the SDK keeps a question open at the server while something is logged in; see `Ostiary.setWatching(_:)`.
        public var watchesSessions = false

        public init() {}
    }
}
