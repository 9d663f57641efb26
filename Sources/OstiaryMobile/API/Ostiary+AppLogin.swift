extension Ostiary {
    /// The login to the app itself, of `Ostiary.default`: no code to scan, nothing to confirm, at most one account.
    public enum AppLogin {
        /// Logged in, logging in, or the last one that ended; nil before the first.
        public static var session: Session? { Ostiary.default.appLoginSession }

        public static var isLoggedIn: Bool { session?.isLoggedIn ?? false }

        /// What a backend asks the server about; nil unless logged in.
        public static var webNonce: String? { session?.webNonce }

        /// Nil unless logged in.
        public static var username: String? { session?.username }

        public static func start() { Ostiary.default.startAppLogin() }

        public static func stop() { Ostiary.default.stopAppLogin() }
    }
}
