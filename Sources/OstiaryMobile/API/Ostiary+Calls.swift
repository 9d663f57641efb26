/// The calls that an app makes, each of which says by events what came of it.
extension Ostiary {
    /// Begins an enrolment or a login with the raw bytes of a QR code: one of ours, or the address that a device shows (RFC 8628, `verification_uri_complete`)
    /// of a server at which this phone has an account.
    public func start(with scanned: [UInt8]) { send(.start(.bytes(scanned))) }

    /// Begins an enrolment or a login with a link, `https://host/l#…`, with the text that follows the `#`, or with the address that a device shows.
    public func start(link: String) { send(.start(.text(link))) }

    /// Goes on with a session that is `readyForUserInteraction`, when the configuration says that the app does that itself; nil means the one
    /// session that is ready.
    public func startUserInteraction(for session: Session? = nil) { send(.startUserInteraction(session?.id)) }

    /// Confirms. For a login: `account` is one of those that came with the question; `userInput`, at most 4 096 bytes, reaches the
    /// business backend; `number` is what the person typed where the session `needsNumber`, and is not looked at where it does not. For an enrolment: nil,
    /// because the account is about to be made.
    public func setAccount(_ account: Account?, for session: Session, with userInput: String? = nil, number: String? = nil) {
        send(.setAccount(account?.id, session.id, LoginAnswer(userInput: userInput ?? "", number: number ?? "")))
    }

    /// Answers the second factor that is being asked for. The digits are copied at once; clearing the PIN stays the caller's part.
    public func sfInput(_ pin: PIN) {
        do throws(OstiaryError) { send(.secondFactor(.pin(try pin.copy()))) } catch { hub.emit(.error(error, session: nil)) }
    }

    /// Answers the second factor with a biometric feature: the system's prompt comes up, with the words of `info`.
    public func sfInput(_ info: BiometricInfo) { send(.secondFactor(.biometrics(info))) }

    /// Answers the second factor with a PIN and a biometric feature, both of which must be right. Where no feature is taken the PIN counts alone.
    public func sfInput(_ pin: PIN, and info: BiometricInfo) {
        do throws(OstiaryError) { send(.secondFactor(.both(try pin.copy(), info))) } catch { hub.emit(.error(error, session: nil)) }
    }

    /// Stops asking for the second factor and gives up the session that needed it.
    public func sfCancel() { send(.cancelSecondFactor) }

    /// Refuses the session, signed by the device. `notMe` adds that the person did not start it, which warns their account.
    public func deny(_ session: Session, notMe: Bool = false) { send(.deny(session.id, notMe: notMe)) }

    /// Ends a session: logs it out, or gives it up when it is not logged in yet.
    public func stop(_ session: Session) { send(.stop(session.id)) }

    /// Removes an account from this device: its keys are destroyed at once, the server is told as soon as it can be reached.
    public func deleteAccount(_ account: Account) { send(.deleteAccount(account.id)) }

    /// Logs the person in to this very app, with the one account that there is. No confirmation is asked.
    public func startAppLogin() { send(.start(.app)) }

    /// Logs the app out and forgets the last second factor.
    public func stopAppLogin() { send(.stopAppLogin) }

    /// After the process was started or woken: pings what is logged in, waits for what is to be confirmed, sends what could not be sent.
    public func resume() { send(.resume) }

    /// Whether the SDK keeps a question open at the server, to hear of a stop at once instead of at the next ping.
    public func setWatching(_ isWatching: Bool) { send(.watch(isWatching)) }

    /// Fetches the logins that wait for an account of this phone, which somebody began elsewhere in the person's name, and begins the oldest like one that was
    /// scanned; the others follow, each when nothing else is going on. `resume()` and `enterForeground()` do the same by themselves, and so does an answer
    /// to a ping that says that something waits, but begin no login a second time that was given up here: this call does, because a person wants it.
    public func fetchWaitingLogins() { send(.fetchWaitingLogins) }

    /// The app is in front again: does what `resume()` does, and watches again if it should.
    public func enterForeground() { send(.enterForeground) }

    /// The app is about to be suspended: no question is kept open at the server until `enterForeground()`. Pings go on while the process runs.
    public func enterBackground() { send(.enterBackground) }

    /// Gives up what is going on, removes every account, destroys every key and empties the history. Each account is told of as deleted, and
    /// servers hear of it as soon as they can be reached. Also mends a store that is damaged.
    public func reset() { send(.reset) }
}
