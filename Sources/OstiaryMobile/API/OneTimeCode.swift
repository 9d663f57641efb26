/// What a person types into the page of a login whose server this device cannot reach.
///
/// It stands for the keys of this device alone: no PIN and no biometric is behind it, and whoever reads it may use it.
public struct OneTimeCode: Sendable, Hashable {
    /// Two groups, `2XPP7Q R5BDD0` for example: the first names the account. For the eyes of the person only.
    public let text: String
    /// Seconds, 1 to 120, until this device makes another one. The server takes this one for two minutes more.
    public let changesIn: Int
}

extension OneTimeCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹secret›" }
    public var debugDescription: String { "‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Ostiary {
    /// Makes a one-time code of `account` for a login whose server cannot be reached, and ends the session: ``OstiaryEvent/sessionStop(_:)`` follows, and
    /// the login goes on where the code is typed. Called again within five minutes of the scan it makes the code of that moment, another every two
    /// minutes.
    ///
    /// The code is made by this call and on this thread. Nil when there is none to be had, and reported: see ``oneTimeCode(for:and:)``.
    /// - Parameters:
    ///   - session: one that is ``Session/otpAvailable``.
    ///   - account: of those that came with ``OstiaryEvent/otpAvailable(_:accounts:)``; where there are several the person chooses.
    public func generateOTP(for session: Session, and account: Account) -> String? {
        do throws(OstiaryError) { return try oneTimeCode(for: session, and: account).text } catch {
            hub.emit(.error(error, session: snapshot(for: .system)?.sessions.first { $0.id == session.id }))
            return nil
        }
    }

    /// The same with the time after which another code is due, for an app that shows one for as long as it is good.
    /// - Throws: `notOffered` where the server of the login takes no codes; `wrongOrder` when it could be reached after all, or the session was given up;
    ///   `linkOld` more than five minutes after the scan; `accountNotOffered`; `keyStore`, for example while the device is locked: the session goes on then.
    public func oneTimeCode(for session: Session, and account: Account) throws(OstiaryError) -> OneTimeCode {
        try core().oneTimeCode(for: session.id, of: account.id)
    }
}
