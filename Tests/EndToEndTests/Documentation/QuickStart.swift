import Foundation
import OstiaryMobile

// snippet.begin quickStart
/// What your screens do. Every answer is the person's.
protocol Screens: Sendable {
    func confirms(_ question: String) async -> Bool
    /// A field for the three digits that are shown where the login was begun, below the words; nil when the person says no. It takes nothing else.
    func number(_ words: String) async -> String?
    /// A PIN pad below the words; nil when the person closes it. It goes away when its task is cancelled.
    func pin(_ words: String, for factor: SecondFactor) async -> PIN?
    func show(_ text: String) async
    /// Opens the address in the browser, once. Nil says: go on in the browser that shows the code.
    func goOn(at address: URL?) async
}

/// What the person is about to approve: read before they agree, and again above the PIN.
func purpose(of session: Session) -> String {
    if session.isAppLogin { return "Log in to this app" }
    if session.isEnrolment { return "Make the account \(session.enrolInfo.displayName) at \(session.info.serverName)" }
    let info = session.info
    let browser = [info.browserLabel, info.browserCity].filter { !$0.isEmpty }.joined(separator: ", ")
    let texts = info.announceInfo.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let isSent = [.unboundLink, .qrStatic].contains(info.binding)
    let warning = isSent ? ["Careful: anybody may have sent you this. Is it you who wants to log in there?"] : []
    let asker = browser.isEmpty ? [] : ["Asked by: \(browser)"]
    return (["Log in to \(info.serviceName) \(info.serviceOrigin)"] + texts + asker + warning).joined(separator: "\n")
}

/// What stands above the field for the number of a login that waited for this phone.
func numberWords(of session: Session) -> String {
    let asks = "Type the number that is shown where this was begun. Nobody began it? Then say no"
    let wrong = session.wrongNumbers == 0 ? [] : ["That was another number. The third wrong one ends the login"]
    return ([purpose(of: session), asks] + wrong).joined(separator: "\n")
}

/// Asks for the second factor beside the events, which may say that it is no longer wanted.
func ask(_ factor: SecondFactor, of ostiary: Ostiary, with screens: some Screens) -> Task<Void, Never> {
    Task {
        let pin = await screens.pin(factor.session.map { purpose(of: $0) } ?? "Change your PIN or biometrics", for: factor)
        defer { pin?.clear() }
        if Task.isCancelled { return }
        if let pin { ostiary.sfInput(pin) } else { ostiary.sfCancel() }
    }
}

/// Onboarding and login of an app, for as long as it runs. Begin either with `ostiary.start(with:)` and the bytes of a QR code.
func answer(_ ostiary: Ostiary, with screens: some Screens) async {
    var pinPad: Task<Void, Never>?
    let events = ostiary.events
    // Somebody may have begun a login elsewhere in the person's name, which waits for this phone.
    ostiary.fetchWaitingLogins()
    for await event in events {
        switch event {
        case .confirmEnrol(let session, _, let hash):
            let words = hash?.words.joined(separator: " ") ?? ""
            let isWanted = await screens.confirms("\(purpose(of: session))? It shows: \(words)")
            if isWanted { ostiary.setAccount(nil, for: session) } else { ostiary.deny(session) }
        case .confirmLogin(let session, let accounts) where session.needsNumber:
            let number = await screens.number(numberWords(of: session))
            if let number { ostiary.setAccount(accounts.first, for: session, number: number) } else { ostiary.deny(session) }
        case .confirmLogin(let session, let accounts):
            let isWanted = await screens.confirms(purpose(of: session))
            if isWanted { ostiary.setAccount(accounts.first, for: session) } else { ostiary.deny(session) }
        case .enrolConfirmation(_, let code): await screens.show("Type \(code) into the page that you scanned")
        case .secondFactorStarted(let factor): pinPad = ask(factor, of: ostiary, with: screens)
        case .secondFactorUpdated(let factor) where factor.stopped: pinPad?.cancel()
        case .secondFactorUpdated(let factor) where factor.secondFactorInfo.retry: pinPad = ask(factor, of: ostiary, with: screens)
        case .sessionUpdate(let session) where session.isReturning: await screens.goOn(at: session.returnURL)
        case .sessionLogin(let session) where session.isEnrolment: ostiary.startAppLogin()
        case .sessionLogin(let session): await screens.show("Logged in as \(session.username ?? "")")
        case .sessionStop: await screens.show("Logged out")
        case .newDevice(let device, _): await screens.show("\(device.name) was enrolled for you, too. If that was not you, tell your service")
        case .pinReplacedByBiometric(let pin, _):
            await screens.show("A biometric alone set a new PIN on \(pin.deviceName). If that was not you, tell your service")
        case .error(.numberWrong, let session?) where !session.isOver: break  // It is asked again, and says so.
        case .error(let error, _): await screens.show("\(error)")
        default: break
        }
    }
}
// snippet.end
