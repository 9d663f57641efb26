import Foundation

/// A login, an AppLogin or an enrolment as it was when this value was made; ask `Ostiary.session(_:)` for the newest.
///
/// Notifications carry it as their object. Two values about one session are equal only if nothing changed in between; compare `id`s.
public struct Session: Sendable, Identifiable, Hashable {
    public typealias ID = UUID

    /// How far a session has come; it only goes forward.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// What it is about is being fetched.
        case starting = "STARTING"
        /// It is known what it is about; nobody was asked yet.
        case readyForUserInteraction = "READY_FOR_USER_INTERACTION"
        /// A confirmation or a second factor is being asked for.
        case waitingForUserInput = "WAITING_FOR_USER_INPUT"
        /// Logged in.
        case active = "ACTIVE"
        /// Over: logged out, denied or given up.
        case done = "DONE"
        /// Over because of an error.
        case error = "ERROR"
    }

    /// Why a session is over.
    public enum Ending: String, Sendable, Hashable, CaseIterable {
        case user, inactivity, server, timeout, account, replaced, denied, cancelled, failed
        /// The browser that came back was not the one that began the login: warn the person that somebody may have sent it to them.
        case otherBrowser
        /// A one-time code was made for it: the login goes on where the code is typed, and this phone hears no more of it.
        case otp
        /// An account without a second factor is there from now on: nobody is logged in by it.
        case enrolled
    }

    /// Names the session inside this app.
    public let id: ID
    public internal(set) var state: State
    public let isAppLogin: Bool
    /// Whether this is the making of a new account.
    public let isEnrolment: Bool
    /// The account, once one was set; nil before (take one from the list that comes with the question).
    public internal(set) var account: Account?
    /// Nil unless logged in.
    public internal(set) var username: String?
    /// What a backend shows to the server to learn who is logged in; nil unless this is a logged-in AppLogin.
    public internal(set) var webNonce: String?
    public internal(set) var info: SessionInfo
    /// Empty for a session that is no enrolment.
    public internal(set) var enrolInfo: EnrolInfo
    /// Whether a one-time code can (still) be made for this session: until the server says what it is about, after a code was made for it, and after the
    /// server could not be reached for as long as the configuration says; for five minutes from the scan. Ask for the session just before drawing it.
    public internal(set) var otpAvailable: Bool
    /// Whether the server could not be reached at the last try.
    public internal(set) var connectionError: Bool
    /// Seconds within which the SDK answers for the session to go on; 0 for a login that is not watched.
    public internal(set) var pingTime: Int
    /// Whether the person has said yes and nobody is logged in yet, because the browser that asked has to go back to its site first:
    /// tell the person to go on in the browser. It lasts two minutes at most.
    public internal(set) var isReturning: Bool
    /// After a link that was tapped on this device: open it in the browser, once, as soon as ``OstiaryEvent/sessionUpdate(_:)`` tells it; nil
    /// in every other case. It ends the login in that browser and is good once: keep it out of logs.
    public internal(set) var returnURL: URL?
    /// Whether who says yes types the number that whoever began this login shows, three digits: give it with `setAccount`. Never show a number here, nor let
    /// the person choose among some.
    public internal(set) var needsNumber: Bool
    /// How many numbers were wrong; the third ends the login.
    public internal(set) var wrongNumbers: Int
    /// Why it is over; nil while it is not.
    public internal(set) var ending: Ending?
    /// Whether it ever was logged in.
    var wasLoggedIn: Bool

    public var isLoggedIn: Bool { state == .active }
    /// Whether it was logged in and no longer is; false before the login as well.
    public var isLoggedOut: Bool { wasLoggedIn && state != .active }
    public var isOver: Bool { state == .done || state == .error }

    init(id: ID, isAppLogin: Bool = false, isEnrolment: Bool = false) {
        self.id = id
        state = .starting
        self.isAppLogin = isAppLogin
        self.isEnrolment = isEnrolment
        info = SessionInfo()
        enrolInfo = EnrolInfo()
        otpAvailable = false
        connectionError = false
        isReturning = false
        needsNumber = false
        wrongNumbers = 0
        pingTime = 0
        wasLoggedIn = false
    }
}

extension Session {
    /// Over: nothing secret stays.
    mutating func end(as ending: Ending) {
        state = ending == .failed ? .error : .done
        self.ending = ending
        webNonce = nil
        username = nil
        isReturning = false
        returnURL = nil
    }

    /// Whether the server goes on with it as long as this device answers: logged in, or on the way back to the browser.
    var goesOn: Bool { isLoggedIn || isReturning }
}

extension Session: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the webNonce, so that it reaches no log.
    public var description: String {
        let nonce = webNonce == nil ? "none" : "‹secret›"
        return "Session(\(id), \(state.rawValue), appLogin: \(isAppLogin), account: \(account?.id.rawValue ?? "none"), webNonce: \(nonce))"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["id": id, "state": state, "isAppLogin": isAppLogin]) }
}
