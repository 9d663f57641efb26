import OstiaryMobile

/// A login whose server does not answer: a minute of patience, which the person cuts short, and then a code to type into the page.
struct OfflineScreen {
    private static let patience = 60

    private let session: Session
    private let accounts: [Account]
    private let ostiary: Ostiary

    init(_ session: Session, _ accounts: [Account], at ostiary: Ostiary) {
        self.session = session
        self.accounts = accounts
        self.ostiary = ostiary
    }

    /// Over at once, and without a word, when the server answers: then the login itself is asked about, and there is no code to offer.
    func run() async {
        try? await Task.sleep(for: .seconds(2))
        for left in stride(from: Self.patience, to: 0, by: -1) {
            guard isOffered else { return }
            if await Screen.isInterrupted("No answer from the server yet. Press Enter for “Get OTP now” (\(left) s)") { break }
        }
        await Screen.telling { () async throws(OstiaryError) in try await showCodes() }
    }

    /// As the session is now, which another screen may have gone on with.
    private var isOffered: Bool { ostiary.session(session.id)?.otpAvailable ?? false }

    /// The code of this moment, and those that take its place, until there are none any more.
    private func showCodes() async throws(OstiaryError) {
        guard isOffered, let account = await chosen() else { return }
        while isOffered {
            let code = try ostiary.oneTimeCode(for: session, and: account)
            Screen.show("Type this into the page that you opened yourself, and tell it to nobody: \(code.text)")
            Screen.show("In \(code.changesIn) s another one takes its place; this one is good for two minutes more.")
            do { try await Task.sleep(for: .seconds(code.changesIn)) } catch { return }
        }
    }

    private func chosen() async -> Account? {
        guard accounts.count > 1 else { return accounts.first }
        for (number, account) in accounts.enumerated() { Screen.show("\(number + 1)  \(account.username)") }
        let number = await Screen.ask("Log in as which of them?").flatMap { Int($0) } ?? 0
        return accounts.indices.contains(number - 1) ? accounts[number - 1] : nil
    }
}
