import Foundation
import OstiaryMobile

/// The one place that answers the SDK, whatever screen the person is on.
struct Listener {
    let ostiary: Ostiary

    func run() async {
        for await event in ostiary.events {
            switch event {
            // Beside the listener: the answer may come at any moment.
            case .otpAvailable(let session, let accounts): Task { await OfflineScreen(session, accounts, at: ostiary).run() }
            case .confirmEnrol(let session, let accounts, let hash): await confirmEnrol(session, accounts, hash)
            case .confirmLogin(let session, let accounts) where session.needsNumber: await NumberScreen(session, accounts, at: ostiary).ask()
            case .confirmLogin(let session, let accounts): await confirmLogin(session, accounts)
            case .enrolConfirmation(_, let code): Screen.show("Type \(code) into the page that you scanned.")
            case .secondFactorStarted(let factor): await SecondFactorScreen(factor, at: ostiary).ask()
            case .secondFactorUpdated(let factor): await SecondFactorScreen(factor, at: ostiary).update()
            case .sessionUpdate(let session): if session.isReturning { goOn(session) }
            case .sessionLogin(let session): if !session.isEnrolment { Screen.show("Logged in: \(name(of: session))") }
            case .sessionStop(let session): if session.isLoggedOut { Screen.show("Logged out: \(name(of: session))") }
            case .newDevice(let device, _): Screen.show("Another device was enrolled for you: \(device.name). Wasn't that you? Tell your service.")
            case .pinReplacedByBiometric(let pin, _):
                Screen.show("A biometric alone set a new PIN on \(pin.deviceName). Wasn't that you? Tell your service.")
            case .accountDeleted(let account): Screen.show("The account \(account.displayName) is gone.")
            case .error(.loginInOtherBrowser, _):
                Screen.show("Nobody was logged in: another browser came back. Somebody may have sent you this login. Start again yourself.")
            case .error(let error, let session): if session == nil { Screen.complain(error) }
            default: break
            }
        }
    }

    private func confirmEnrol(_ session: Session, _ accounts: [Account], _ hash: VisualHash?) async {
        Screen.show("An account \(session.enrolInfo.displayName) at \(session.info.serverName).")
        if let hash { Screen.show("The page shows these words, too: \(hash.words.joined(separator: " "))") }
        if !session.enrolInfo.nsAccounts.isEmpty {
            Screen.show("You have an account there already: \(session.enrolInfo.nsAccounts.map(\.description).joined(separator: ", "))")
        }
        if await Screen.agrees("Make it?") { ostiary.setAccount(nil, for: session) } else { ostiary.deny(session) }
    }

    private func confirmLogin(_ session: Session, _ accounts: [Account]) async {
        for line in Purpose.lines(of: session) { Screen.show(line) }
        if await Screen.agrees("Log in?") {
            let note = await Screen.ask("A word for the service, or Enter for none:") ?? ""
            ostiary.setAccount(accounts.first, for: session, with: note.isEmpty ? nil : note)
        } else {
            ostiary.deny(session, notMe: await Screen.agrees("Did somebody else start this?"))
        }
    }

    /// A terminal opens no browser; an app does, once.
    private func goOn(_ session: Session) {
        guard let address = session.returnURL else { return Screen.show("Go on in the browser that shows the code.") }
        Screen.show("Go on in the browser, by opening this address once: \(address.absoluteString)")
    }

    private func name(of session: Session) -> String { session.isAppLogin ? "this app" : session.info.serviceName }
}
