/// The tour: ten things to do, each of which is an attack as well. It can be left at any time.
enum TourStep: String, Sendable, CaseIterable {
    case scan, confirm, logIn, wrongPIN, penalty, refuse, newPIN, look, logOut, goAway

    var title: String {
        switch self {
        case .scan: "A phone reads a code"
        case .confirm: "A PIN, and four characters"
        case .logIn: "Log in with the phone"
        case .wrongPIN: "A wrong PIN"
        case .penalty: "Wrong again, and again"
        case .refuse: "Say no"
        case .newPIN: "Another PIN"
        case .look: "What each one knows"
        case .logOut: "Leave at the website"
        case .goAway: "Leave with the phone"
        }
    }

    /// What there is to do.
    var task: String {
        switch self {
        case .scan: "At the website write a name and press Enrol. Let the phone look at the code."
        case .confirm: "Agree on the phone, choose a PIN, and type the four characters that the phone shows into the page."
        case .logIn: "Log out at the website and press Log in. Let the phone look at the code, agree, and type the PIN."
        case .wrongPIN: "Log in once more, and type a wrong PIN first. Then the right one."
        case .penalty: "Begin a login and type three wrong PINs. Now try the right one."
        case .refuse: "Begin a login, let the phone look at it, and say no: or that it was not you."
        case .newPIN: "On the phone, change the PIN. If there is a penalty, wait for its end first."
        case .look: "Open a message in the third column: what is in it, what is sealed, and to whom. Its section of the protocol is one click away."
        case .logOut: "Log in, if you are not, and log out at the website. Look at the phone."
        case .goAway: "Log in again, and end the session on the phone. Or end the phone, and wait five minutes. Look at the website."
        }
    }

    /// What it shows.
    var sentence: String {
        switch self {
        case .scan: "The code pins the identity of the server, so the phone talks to that one and to no other."
        case .confirm: "The PIN opens a box on the phone. No server sees it, not even stretched. The characters show that it is your phone."
        case .logIn: "Three signatures from three places: the device key, the key that the PIN opened, and the receipt of the second-factor server."
        case .wrongPIN: "A try is counted by the second-factor server before it is evaluated. The right PIN gives it back."
        case .penalty: "From the third on you have to wait, and after the fifth the PIN is blocked. During the wait nothing is taken or counted."
        case .refuse: "A no is signed too. “That was not me” warns the website as well."
        case .newPIN: "The old PIN vouches, then there is a new box with a new key. The old key is erased at the second-factor server."
        case .look: "The authentication server relays the PIN and cannot read it. The second-factor server counts and learns no name."
        case .logOut: "The end is written down before anybody is told of it. From then on getSession says no, everywhere."
        case .goAway: "A login lives as long as the phone answers. Who is gone is out, and the website says why."
        }
    }

    /// The attack that belongs to it.
    var attack: ThiefMove {
        switch self {
        case .scan: .secondPhone
        case .confirm: .guessCode
        case .logIn: .eightStrangers
        case .wrongPIN: .copyPhone
        case .penalty: .yesterdaysBackup
        case .refuse: .forwardLink
        case .newPIN: .oldPIN
        case .look: .readDatabase
        case .logOut: .replay
        case .goAway: .oldCookie
        }
    }

    /// Steps that a message shows to be done.
    static func done(by message: WitnessedMessage) -> Set<TourStep> {
        guard !message.isThiefs else { return [] }
        return Set(
            message.happenings.map { happening in
                switch happening {
                case .enrolmentBegan: .scan
                case .wrongPIN: .wrongPIN
                case .penalty: .penalty
                case .refusal: .refuse
                case .newPIN: .newPIN
                case .stop: .goAway
                }
            })
    }

    /// The step that the website shows to be done.
    static func done(by happened: DemoSite.Happened) -> TourStep {
        switch happened {
        case .enrolled: .confirm
        case .loggedIn: .logIn
        case .loggedOut: .logOut
        case .ended: .goAway
        }
    }
}
