import OstiaryMobile

/// Where a person stands when they enter, whichever way they came.
enum Entry {
    case onboarding, login, app

    static var now: Entry {
        if Ostiary.default.accounts?.isEmpty ?? true { return .onboarding }
        return Ostiary.AppLogin.isLoggedIn ? .app : .login
    }

    /// The app, until the person leaves it.
    static func run() async {
        await open()
        while true {
            // What waits begins by itself, too, one after the other. The screen has one question at a time: this one first.
            if let session = waiting {
                await Screen.telling { () async throws(OstiaryError) in try await settle(session) }
                continue
            }
            switch now {
            case .onboarding: if await !onboard() { return }
            case .login: if await !logIn() { return }
            case .app: if await !use() { return }
            }
        }
    }

    /// A login that waited for this phone, and is being asked about now.
    private static var waiting: Session? { Ostiary.default.sessions.first { $0.needsNumber && !$0.isOver && !$0.isLoggedIn } }

    /// The app opens: what was logged in is looked after again, and what somebody began elsewhere in the person's name comes first.
    private static func open() async {
        guard now != .onboarding else { return }
        await Screen.telling { () async throws(OstiaryError) in
            _ = try await Ostiary.default.refresh()
            _ = try await answerWaiting()
        }
    }

    /// The oldest login that waits; the others follow by themselves.
    /// - Returns: whether there was one.
    private static func answerWaiting() async throws(OstiaryError) -> Bool {
        guard let session = try await Ostiary.default.beginWaitingLogin() else { return false }
        try await settle(session)
        return true
    }

    /// A login link. Where its server cannot be reached a code takes its place, which the person was shown.
    private static func follow(_ link: String) async throws(OstiaryError) {
        do throws(OstiaryError) {
            let session = try await Ostiary.default.begin(link: link)
            _ = try await Ostiary.default.completion(of: session)
        } catch {
            guard error == .cancelled, Ostiary.default.sessions.last?.ending == .otp else { throw error }
        }
    }

    /// Until it is decided. That the person said no, or left it, is no news to them.
    private static func settle(_ session: Session) async throws(OstiaryError) {
        do throws(OstiaryError) {
            _ = try await Ostiary.default.completion(of: session)
        } catch {
            guard error == .cancelled || error == .sessionOver else { throw error }
        }
    }

    private static func onboard() async -> Bool {
        guard let code = await Screen.ask("No account yet. Paste the link of an enrol page, or q to leave:"), code != "q" else { return false }
        // What the person is asked goes on in the listener; the AppLogin after it does, too.
        await Screen.telling { () async throws(OstiaryError) in
            let session = try await Ostiary.default.begin(link: code)
            _ = try await Ostiary.default.completion(of: session)
            try await openApp()
        }
        return true
    }

    private static func logIn() async -> Bool {
        guard let answer = await Screen.ask("Press Enter to log in, or q to leave:"), answer != "q" else { return false }
        // What began meanwhile is answered first.
        guard waiting == nil else { return true }
        await Screen.telling { () async throws(OstiaryError) in try await openApp() }
        return true
    }

    /// Straight after onboarding this asks for nothing.
    private static func openApp() async throws(OstiaryError) {
        let session = try await Ostiary.default.beginAppLogin()
        _ = try await Ostiary.default.completion(of: session)
    }

    private static func use() async -> Bool {
        let name = Ostiary.AppLogin.username ?? ""
        let question = "\(name) is in. Paste a login link, or: waiting, pin, bio, nobio, history, out, delete, q:"
        guard let answer = await Screen.ask(question) else { return false }
        // The session may have ended while the person was thinking, or a login begun that waited.
        guard now == .app, waiting == nil || answer == "q" else { return true }
        await Screen.telling { () async throws(OstiaryError) in
            switch answer {
            case "": break
            case "waiting": if try await !answerWaiting() { Screen.show("Nothing waits for you.") }
            case "pin": try await Ostiary.default.replacePIN()
            case "bio": try await Ostiary.default.enrolBiometrics()
            case "nobio": try await Ostiary.default.withdrawBiometrics()
            case "history": for item in Ostiary.default.history { Screen.show("  \(item.status.rawValue)  \(item.serviceName)  \(item.username)") }
            case "out": if let session = Ostiary.AppLogin.session { try await Ostiary.default.end(session) }
            case "delete": if let account = Ostiary.default.accounts?.first { try await Ostiary.default.remove(account) }
            case "q": break
            default: try await follow(answer)
            }
        }
        return answer != "q"
    }
}
