import OstiaryMobile

/// A login that somebody began elsewhere in the person's name: a yes only with the number that is shown there, which nothing here knows or offers.
struct NumberScreen {
    private let session: Session
    private let accounts: [Account]
    private let ostiary: Ostiary

    init(_ session: Session, _ accounts: [Account], at ostiary: Ostiary) {
        self.session = session
        self.accounts = accounts
        self.ostiary = ostiary
    }

    /// Who asks and for what, and one answer. After a wrong number the SDK has it asked again.
    func ask() async {
        if session.wrongNumbers == 0 {
            Screen.show("Somebody began this login elsewhere and says that they are you:")
        } else {
            Screen.show("That is another number than the one that is shown there. The third wrong one ends the login.")
        }
        for line in Purpose.lines(of: session) { Screen.show(line) }
        switch await answer() {
        case .number(let digits): ostiary.setAccount(accounts.first, for: session, number: digits)
        case .no: ostiary.deny(session)
        case .notMe: ostiary.deny(session, notMe: true)
        case .later: ostiary.stop(session)
        }
    }

    private enum Answer {
        case number(String)
        case no, notMe
        /// It waits on, until its time is over.
        case later
    }

    private func answer() async -> Answer {
        while let line = await Screen.ask("Type the number that is shown there. Or n for no, x if you know nothing of it, Enter to leave it:") {
            switch line {
            case "": return .later
            case "n": return .no
            case "x": return .notMe
            default: if line.utf8.count == 3, let number = Int(line), number >= 100 { return .number(line) }
            }
            Screen.show("It has three digits.")
        }
        return .later
    }
}
