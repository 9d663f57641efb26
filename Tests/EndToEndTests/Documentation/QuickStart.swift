import OstiaryMobile

// snippet.begin quickStart
/// What your screens do. Every answer is the person's.
protocol Screens: Sendable {
    func confirms(_ question: String) async -> Bool
    func pin(for question: SecondFactorInfo) async -> PIN
    func show(_ text: String) async
}

/// Onboarding and login of an app, for as long as it runs. Begin either with `ostiary.start(with:)` and the bytes of a QR code.
func answer(_ ostiary: Ostiary, with screens: some Screens) async {
    for await event in ostiary.events {
        switch event {
        case .confirmEnrol(let session, _, let hash):
            let words = hash?.words.joined(separator: " ") ?? ""
            let isWanted = await screens.confirms("Make an account at \(session.info.serverName)? It shows: \(words)")
            if isWanted { ostiary.setAccount(nil, for: session) } else { ostiary.deny(session) }
        case .confirmLogin(let session, let accounts):
            let isWanted = await screens.confirms("Log in to \(session.info.serviceName)?")
            if isWanted { ostiary.setAccount(accounts.first, for: session) } else { ostiary.deny(session) }
        case .enrolConfirmation(_, let code): await screens.show("Type \(code) into the page that you scanned")
        case .secondFactorStarted(let factor): ostiary.sfInput(await screens.pin(for: factor.secondFactorInfo))
        case .secondFactorUpdated(let factor) where factor.secondFactorInfo.retry && !factor.stopped:
            ostiary.sfInput(await screens.pin(for: factor.secondFactorInfo))
        case .sessionLogin(let session) where session.isEnrolment: ostiary.startAppLogin()
        case .sessionLogin(let session): await screens.show("Logged in as \(session.username ?? "")")
        case .sessionStop: await screens.show("Logged out")
        case .error(let error, _): await screens.show("\(error)")
        default: break
        }
    }
}
// snippet.end
