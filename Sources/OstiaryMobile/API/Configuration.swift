extension Ostiary {
    /// What an app decides about the SDK.
    public struct Configuration: Sendable, Hashable {
        /// Don't compute the visual hash, which takes 70 to 300 ms at an enrolment.
        public var hidesVisualHash = false
        /// The app calls `startUserInteraction(for:)` itself.
        public var manuallyStartUserInteraction = false
        /// At most one account in this app.
        public var singleAccount = false
        /// How long the SDK goes on trying to reach a server before a login or an enrolment fails, in seconds.
        public var connectionPatience = 60
        /// Name and version of the app, at most 256 bytes; the server keeps it with the account.
        public var appInfo = ""
        /// Name of the device and its system, at most 256 bytes; the page of an enrolment and older devices show it.
        public var deviceName = ""
        /// Whether the SDK keeps a question open at the server while something is logged in; see `Ostiary.setWatching(_:)`.
        public var watchesSessions = false
        public var biometricsDisabled = false
        public var maxNumberSecondFactorWithoutPIN = 0
        public var maxTimeSecondFactorWithoutPIN = Duration.zero
        public var blockSecondFactorOnPINBlocked = false
        public var disallowPinChangeWithBiometric = false

        public init() {}
    }
}
