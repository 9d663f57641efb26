import Foundation
import OstiaryMobile
import Synchronization
import Testing

/// AppLogin (S1): its Swift, statement by statement. `@objc`, `#selector` and view controllers belong to the app and to one system.
final class AppLoginCalls: Sendable {
    enum Screen: Sendable, Equatable {
        case onboarding, login, app
    }

    private let shown = Mutex<Screen?>(nil)

    var screen: Screen? { shown.withLock { $0 } }

    private func show(_ screen: Screen) { shown.withLock { $0 = screen } }

    /// The entry point. The document's guard also goes on to the app when there is no AppLogin at all; here none means not logged in.
    func enter() {
        if let count = Ostiary.default.accounts?.count, count > 0 {
            guard let isLoggedIn = Ostiary.AppLogin.session?.isLoggedIn, isLoggedIn else { return show(.login) }
            show(.app)
        } else {
            show(.onboarding)
        }
    }

    func handleAccountUpdateNotification(_ notification: Notification) { _ = notification.object as? Account }

    /// The document returns when an account is left, and shows the onboarding when none is.
    func handleAccountDeleteNotification(_ notification: Notification) {
        guard let count = Ostiary.default.accounts?.count, count > 0 else { return show(.onboarding) }
    }

    func handleSessionUpdateNotification(_ notification: Notification) {
        guard let session = notification.object as? Session, session.isAppLogin else {
            return
        }

        if session.isLoggedIn {
            let webNonce = session.webNonce
            let username = session.username
            show(webNonce != nil && username != nil ? .app : .login)
        } else {
            if session.isLoggedOut {
                show(.login)
            }
        }
    }

    /// The observers, without a selector.
    func observe() -> [any NSObjectProtocol] {
        [
            NotificationCenter.default.addObserver(forName: Ostiary.NotificationNames.accountUpdate, object: nil, queue: nil) { [self] in
                handleAccountUpdateNotification($0)
            },
            NotificationCenter.default.addObserver(forName: Ostiary.NotificationNames.accountDelete, object: nil, queue: nil) { [self] in
                handleAccountDeleteNotification($0)
            },
            NotificationCenter.default.addObserver(forName: Ostiary.NotificationNames.sessionUpdate, object: nil, queue: nil) { [self] in
                handleSessionUpdateNotification($0)
            },
        ]
    }

    func logIn() { Ostiary.AppLogin.start() }

    func logOut() { Ostiary.AppLogin.stop() }

    func whileLoggedIn() -> (String?, String?) { (Ostiary.AppLogin.session?.webNonce, Ostiary.AppLogin.session?.account?.username) }

    /// Inside an `async` function the calls are the same: no `await`.
    func logInAgain() async {
        Ostiary.AppLogin.stop()
        Ostiary.AppLogin.start()
    }
}

/// The sequence of the login, as a delegate hears it.
final class AppLoginDelegate: OstiaryDelegate {
    func ostiary(_ ostiary: Ostiary, didStartSecondFactorWith secondFactor: SecondFactor) {
        if secondFactor.secondFactorInfo.context == .verify { ostiary.sfCancel() }
    }

    func ostiary(_ ostiary: Ostiary, didUpdateSecondFactorWith secondFactor: SecondFactor) {
        if secondFactor.secondFactorInfo.result == .success { _ = secondFactor.session }
    }
}

@Suite("The documents' calls: AppLogin")
struct AppLoginCallTests {
    @Test("S1-16 S1-19 S1-20 S1-28 S1-32 S1-37 S1-40 the calls are there as documented; an app that is not set up yet shows its onboarding")
    func calls() async {
        let app = AppLoginCalls()
        let observers = app.observe()
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        app.enter()
        #expect(app.screen == .onboarding)
        app.logIn()
        app.logOut()
        await app.logInAgain()
        #expect(app.whileLoggedIn() == (nil, nil))
        let delegate: any OstiaryDelegate = AppLoginDelegate()
        _ = delegate
    }
}
