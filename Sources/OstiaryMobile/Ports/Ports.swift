// Ports: what the SDK asks of a platform.
//
// Owns: the protocols for keys, documents, transport, clock and log, each with its errors; transport and clock as Foundation has them.
// Leaves to others: key store and documents of a platform (Files/, Apple/), the biometric prompt and a sensor that is none (Biometrics/).
// Start reading here, then KeyStore, AccountStore and Transport.

import OstiaryProtocol

/// What the SDK needs of the platform it runs on.
public struct Ports: Sendable {
    public let keys: any KeyStore
    public let accounts: any AccountStore
    public let transport: any Transport
    public let clock: any DeviceClock
    /// Nil where the device has none.
    public let biometrics: (any BiometricPrompt)?
    /// Where the history goes, apart from the accounts; nil for a history of this process only.
    public var history: (any AccountStore)?
    /// Where it is written down which tokens there are, which themselves lie in the key store; nil where the app gets none (``TokenClient``).
    public var tokens: (any AccountStore)?
    /// Keeps the app and its extensions from changing their tokens at once; nil where no other process of the app has these stores.
    public var tokenLock: (any TokenLock)?
    /// Nil for no log.
    public var log: (any OstiaryLog)?
    /// Whether another process of this phone lists and ends every login: also AppLogins, and logins that are not watched. For a phone whose
    /// processes come and go, as in a terminal. In an app an AppLogin ends with its process.
    package var remembersAllSessions = false
    /// Whether waiting logins are begun as soon as they are known of. Not where a process is about one thing that was asked of it, as a command in a terminal.
    package var beginsWaitingLogins = true
    /// What a PIN costs whoever guesses it. Of no platform: tests of something else put a cheap one here.
    package var stretching = PINStretching.argon2id

    public init(
        keys: any KeyStore, accounts: any AccountStore, transport: any Transport = URLSessionTransport(), clock: any DeviceClock = SystemClock(),
        biometrics: (any BiometricPrompt)? = nil
    ) {
        self.keys = keys
        self.accounts = accounts
        self.transport = transport
        self.clock = clock
        self.biometrics = biometrics
    }
}
