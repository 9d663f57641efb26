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
        while true {
            switch now {
            case .onboarding: if await !onboard() { return }
            case .login: if await !logIn() { return }
            case .app: if await !use() { return }
            }
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
        guard let answer = await Screen.ask("\(name) is in. Paste a login link, or: pin, bio, nobio, history, out, delete, q:") else { return false }
        // The session may have ended while the person was thinking.
        guard now == .app else { return true }
        await Screen.telling { () async throws(OstiaryError) in
            switch answer {
            case "pin": try await Ostiary.default.replacePIN()
            case "bio": try await Ostiary.default.enrolBiometrics()
            case "nobio": try await Ostiary.default.withdrawBiometrics()
            case "history": for item in Ostiary.default.history { Screen.show("  \(item.status.rawValue)  \(item.serviceName)  \(item.username)") }
            case "out": if let session = Ostiary.AppLogin.session { try await Ostiary.default.end(session) }
            case "delete": if let account = Ostiary.default.accounts?.first { try await Ostiary.default.remove(account) }
            case "q": break
            default:
                let session = try await Ostiary.default.begin(link: answer)
                _ = try await Ostiary.default.completion(of: session)
            }
        }
        return answer != "q"
    }
}
