/// What a thief may try. Each belongs to one step of the tour.
enum ThiefMove: String, Sendable, CaseIterable {
    case secondPhone
    case guessCode
    case eightStrangers
    case copyPhone
    case yesterdaysBackup
    case forwardLink
    case oldPIN
    case readDatabase
    case replay
    case oldCookie

    /// On the button.
    var title: String {
        switch self {
        case .secondPhone: "Scan the code first, or second"
        case .guessCode: "Guess the four characters"
        case .eightStrangers: "Be eight strangers in front of the screen"
        case .copyPhone: "Copy the phone's files"
        case .yesterdaysBackup: "Put yesterday's backup back"
        case .forwardLink: "Forward your own link"
        case .oldPIN: "Use the PIN of before"
        case .readDatabase: "Read both databases"
        case .replay: "Record everything and play it again"
        case .oldCookie: "Keep the cookie"
        }
    }

    /// What is done, before it is done.
    var plan: String {
        switch self {
        case .secondPhone: "Nora's phone reads her enrol code; a second phone reads the same code from the screen."
        case .guessCode: "Nora's phone shows four characters. A thief at the page types others."
        case .eightStrangers: "Eight strangers read the code that Nora is looking at, before she types her PIN."
        case .copyPhone: "All files of Nora's phone are copied, keys included, and the copy tries PINs."
        case .yesterdaysBackup: "The copy wastes two tries; then the second-factor server is put back to before them, to get the tries again."
        case .forwardLink: "A thief begins a login of his own and sends Nora its link. She taps it, and her PIN is right."
        case .oldPIN: "Nora changes her PIN. A copy of her phone from before tries the PIN of before, which the thief has seen."
        case .readDatabase: "Both databases are copied while the servers run, and read byte by byte; what is found is used."
        case .replay: "All that Nora's phone sent is recorded, and sent again after she logged out."
        case .oldCookie: "Nora logs out. A thief has her cookie, and the code that her browser came back with."
        }
    }

    /// Why it cannot work.
    var why: String {
        switch self {
        case .secondPhone: "A code belongs to the first phone that reads it, and that phone shows the four characters to the person at the page."
        case .guessCode: "Three wrong ones remove the account. A million characters are no help when there are three tries."
        case .eightStrangers: "Reading a code claims nothing and leaves nothing behind: what was shown travels sealed, with each phone."
        case .copyPhone: "The PIN is in no file. Each guess has to be counted by a server first, and guesses are few."
        case .yesterdaysBackup: "The other server remembers which numbers were used. One server put back gives no try back."
        case .forwardLink: "The way back ends in Nora's browser, which did not begin: nobody is logged in, and her phone warns her."
        case .oldPIN: "A new PIN has a new key at the second-factor server, and the old one is erased: the old box opens nothing."
        case .readDatabase: "What opens something is not there: nonces are hashes, the PIN is nowhere, keys are wrapped by a key that lies elsewhere."
        case .replay: "Every request counts once. The same bytes again have the first outcome, or none."
        case .oldCookie: "A session that was ended is over everywhere, once the end was acknowledged. A return code is good once."
        }
    }

    /// Where docs/protocol says so.
    var section: (page: String, anchor: String) {
        switch self {
        case .secondPhone, .guessCode: ("enrolment", "5-enrolment")
        case .eightStrangers: ("exchange", "l1-keeps-nothing")
        case .copyPhone, .yesterdaysBackup: ("second-factor", "at-the-sfs-on-a-ticket")
        case .forwardLink: ("login", "a-page-login-ends-in-the-browser-that-began-it")
        case .oldPIN: ("second-factor", "change-of-the-pin")
        case .readDatabase: ("parties", "1-parties-keys-stores")
        case .replay: ("exchange", "4-one-sealed-request-one-signed-answer")
        case .oldCookie: ("presence", "presence")
        }
    }

    /// - Throws: ``AttackSucceeded`` when it worked, and whatever kept it from being tried.
    func run(in scene: ThiefScene) async throws {
        switch self {
        case .secondPhone: try await scene.secondPhone()
        case .guessCode: try await scene.guessCode()
        case .eightStrangers: try await scene.eightStrangers()
        case .copyPhone: try await scene.copyPhone()
        case .yesterdaysBackup: try await scene.yesterdaysBackup()
        case .forwardLink: try await scene.forwardLink()
        case .oldPIN: try await scene.oldPIN()
        case .readDatabase: try await scene.readDatabase()
        case .replay: try await scene.replay()
        case .oldCookie: try await scene.oldCookie()
        }
    }
}
