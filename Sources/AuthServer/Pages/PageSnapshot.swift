import Authentication
import HTTPService
import OstiaryProtocol

/// Everything that a page shows at one moment. Each snapshot is complete, so a browser that was away only has to listen again.
struct PageSnapshot: Sendable {
    let kind: PageKind
    var state: State
    /// The server's name, and where its logo is.
    let server: String
    var logo: String?
    /// What buttons and lines have, by day and by night; nil for the page's own.
    var color: PageColor?
    var colorDark: PageColor?
    /// Where the browser goes afterwards; while it has to come back, with the return code, which is never shown.
    var returnURL: String?
    /// Where a person goes who does not go on, where that is another place.
    var cancelURL: String?
    /// Where the app is to be had.
    var app: AppPlaces?
    /// While a phone is awaited: the code, and the link for the app on the same device.
    var code: PageCode?
    var link: String?
    /// Whether some phone has read the code, which stays.
    var isRead = false
    /// What a phone said that has read the code and not taken the login; it stands beside the code.
    var beside: State?
    /// Whether a new code takes nothing from anybody, so that a page which somebody looks at may ask for it by itself: the old one was this page's own,
    /// or nobody's. A page whose login goes on elsewhere never does, or two windows would take it from each other in turn.
    var renews = false
    /// Whether this page may take over what another page of its nonce has begun.
    var mayTakeOver = false
    /// Seconds for which a code that does not move may be scanned; 0 when it has to move.
    var stillAge: UInt32 = 0
    /// Whether the person may have a code that stands still: one that is made anew with each look would come too late where it lives for less than two.
    var offersStill: Bool { stillAge >= 2 * UInt32(PageTicker.period) }
    /// Whether the code of a phone without a connection may be typed in.
    var takesCode: Bool { kind == .login && (triesLeft ?? 0) > 0 }
    /// Of an enrolment its name, of a login whom the client expects.
    var name: String?
    /// Of an enrolment: the phone that has read the code.
    var device: String?
    /// How many codes may still be typed: of an enrolment that waits for its phone's, and of a login on which such of phones without a connection count. 0 only of
    /// a login, whose next code on the screen has its own.
    var triesLeft: UInt8?
    /// What the person compares with the phone.
    var words: [String]?
    var picture: TilePicture?

    /// The words of Assets/*.html.
    enum State: String, Sendable, CaseIterable {
        /// A phone is awaited; one has taken the login, or read the code of the enrolment.
        case waiting, scanned
        // Of a login.
        /// The browser goes back to the site at once.
        case returning
        /// After a tapped link: the app opens the window in which it goes on.
        case inApp = "inapp"
        /// Accepted, but the browser did not come back in time, or another one did.
        case notReturned = "notreturned"
        case loggedIn = "loggedin"
        // What its phone said: it does not go on.
        case penalised, blocked
        case noSecondFactor = "nosecondfactor"
        case denied
        case loggedOut = "loggedout"
        // Of both: another page is newer, or a phone is deciding on its login; given up on the phone; and “that was not me”.
        case otherPage = "otherpage"
        case gaveUp = "gaveup"
        case notMe = "notme"
        // Of an enrolment. Over: the site has logged out, and begins anew.
        case code, done, declined, failed, over
        case expired
    }

    init(kind: PageKind, state: State, server: String) {
        self.kind = kind
        self.state = state
        self.server = server
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("kind", kind.rawValue)
            writer.member("state", state.rawValue)
            writer.member("server", server)
            writer.member("logo", logo)
            writer.member("color", color?.text)
            writer.member("colordark", colorDark?.text)
            writer.member("returnurl", returnURL)
            writer.member("cancelurl", cancelURL)
            writer.member("link", link)
            writer.member("beside", beside?.rawValue)
            writer.member("still", offersStill)
            writer.member("read", isRead)
            if mayTakeOver { writer.member("takeover", true) }
            if renews { writer.member("renews", true) }
            if takesCode { writer.member("typed", true) }
            writer.member("name", name)
            writer.member("device", device)
            writer.member("left", number: triesLeft)
            if let words { writer.member("words", words) }
            if let code {
                writer.name("code")
                code.write(to: &writer)
            }
            if let picture {
                writer.name("picture")
                picture.write(to: &writer)
            }
            if let app {
                writer.name("app")
                app.write(to: &writer)
            }
        }
    }
}

extension PageSnapshot.State {
    init(_ state: PhoneState) {
        self =
            switch state {
            case .gaveUp: .gaveUp
            case .penalised: .penalised
            case .blocked: .blocked
            case .noSecondFactor: .noSecondFactor
            }
    }
}
