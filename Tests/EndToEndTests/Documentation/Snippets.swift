import Foundation
import OstiaryMobile

// The Swift of the pages in Sources/OstiaryMobile/Documentation.docc that is not the quick start; scripts/snippets holds the pages to it. This file
// sees what an app sees: the public interface.

// snippet.begin ports
/// Where there is no secure enclave: keys and accounts are files in a folder that only their owner reads.
func makeOstiary(home: String) throws -> Ostiary {
    var configuration = Ostiary.Configuration()
    configuration.appInfo = "Timesheets 1.0"
    configuration.deviceName = "Ada's phone"
    return Ostiary(configuration: configuration, ports: try Ports.files(in: home))
}
// snippet.end

// snippet.begin default
/// What the app decides, as a file has it.
let settings = #"{"singleAccount": true, "appLoginInactivityTimeout": "15m"}"#

/// The app's own SDK, configured once, first thing.
func configure(home: String) throws {
    let configuration = try Ostiary.Configuration(json: Data(settings.utf8))
    Ostiary.default.configure(configuration, ports: try Ports.files(in: home))
}
// snippet.end

// snippet.begin entry
/// Where every way into the app leads.
enum Entry {
    case onboarding, login, app

    init(_ ostiary: Ostiary) {
        if ostiary.accounts?.isEmpty ?? true {
            self = .onboarding
        } else if ostiary.appLoginSession?.isLoggedIn ?? false {
            self = .app
        } else {
            self = .login
        }
    }
}
// snippet.end

// snippet.begin number
/// Says yes to a login, with the digits that the person typed where it asks for them.
func approve(_ session: Session, as account: Account, typing digits: String, with ostiary: Ostiary) {
    ostiary.setAccount(account, for: session, number: session.needsNumber ? digits : nil)
}
// snippet.end

// snippet.begin offline
/// The code of this moment, and how long it is to be shown; nil where the server was reached after all. With several accounts the person chooses one.
func code(for offered: Session, among accounts: [Account], of ostiary: Ostiary, choosing: ([Account]) async -> Account?) async throws(OstiaryError)
    -> (text: String, seconds: Int)?
{
    guard let account = accounts.count == 1 ? accounts.first : await choosing(accounts) else { return nil }
    // As it is now, which is another moment than that of the event.
    guard let session = ostiary.session(offered.id), session.otpAvailable else { return nil }
    let code = try ostiary.oneTimeCode(for: session, and: account)
    return (code.text, code.changesIn)
}
// snippet.end

// snippet.begin notifications
/// Goes back to the entry check when a login or an account is gone, wherever the person is in the app. Keep what it returns.
func listen(_ check: @escaping @Sendable () -> Void) -> [any NSObjectProtocol] {
    [Ostiary.NotificationNames.accountDelete, Ostiary.NotificationNames.sessionUpdate].map { name in
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
            if let session = notification.object as? Session, !session.isAppLogin || !session.isLoggedOut { return }
            check()
        }
    }
}
// snippet.end

// snippet.begin waiting
/// An onboarding in one function: what the person is asked goes on in the events.
func enrol(_ scanned: [UInt8], at ostiary: Ostiary) async throws(OstiaryError) -> Account? {
    let session = try await ostiary.begin(with: scanned)
    return try await ostiary.completion(of: session).account
}
// snippet.end

// snippet.begin pinTwice
/// A PIN that is being set is typed twice; the app compares, the SDK takes one.
func newPIN(_ type: (String) async -> PIN, complain: (String) async -> Void) async -> PIN {
    while true {
        let first = await type("Choose a PIN")
        guard !first.isEasyToGuess else {
            await complain("That one is among the first that a thief would try")
            continue
        }
        let second = await type("Once more")
        defer { second.clear() }
        if first.matches(second) { return first }
        first.clear()
        await complain("These were two different PINs")
    }
}
// snippet.end

// snippet.begin tries
/// What a screen says above the PIN pad.
func words(about info: SecondFactorInfo) -> String {
    if info.blocked { return "Too many wrong tries. Ask for help, or enrol again." }
    if info.penalisedFor > 0 { return "Wait \(info.penalisedFor) s: the PIN isn't looked at before that." }
    // While `result` is nil nothing was typed yet; `retry` means nothing then.
    guard info.failedAttempts > 0 || info.result == .failed else { return "" }
    return "\(info.failedAttempts) of \(info.maxAttempts) tries used"
}
// snippet.end

// snippet.begin biometrics
/// A biometric prompt whenever one is offered, and the PIN as the second option.
func input(for info: SecondFactorInfo, to ostiary: Ostiary, pin: () async -> PIN?, wantsPIN: () async -> Bool) async {
    if info.showBiometrics, await !wantsPIN() {
        ostiary.sfInput(BiometricInfo(reason: "Log in", cancelTitle: "Use PIN"))
    } else if let pin = await pin() {
        ostiary.sfInput(pin)
        pin.clear()
    } else {
        ostiary.sfCancel()
    }
}
// snippet.end

// snippet.begin manage
/// The person changes the second factor itself. What they are asked comes as second-factor events without a session.
func manage(_ ostiary: Ostiary) async throws(OstiaryError) {
    try await ostiary.enrolBiometrics()
    try await ostiary.replacePIN()
    try await ostiary.withdrawBiometrics()
}
// snippet.end

// snippet.begin pinOnceInAWhile
/// A PIN that is never typed is forgotten: ask for it after thirty logins by a biometric feature alone, or thirty days.
func rememberedPIN() -> Ostiary.Configuration {
    var configuration = Ostiary.Configuration()
    configuration.maxNumberSecondFactorWithoutPIN = 30
    configuration.maxTimeSecondFactorWithoutPIN = .seconds(30 * 86_400)
    return configuration
}
// snippet.end

// snippet.begin errors
/// What an app does about an error.
func react(to error: OstiaryError, again: () async -> Void, tell: (String) async -> Void) async {
    switch error.advice {
    case .retry: await again()
    case .askUser: await tell("\(error)")
    case .giveUp: await tell("\(error)\(error.code.map { " (\($0))" } ?? "")")
    }
}
// snippet.end

// snippet.begin logging
/// Names and outcomes, never a secret.
struct ConsoleLog: OstiaryLog {
    func note(_ entry: LogEntry) { print(entry) }
}
// snippet.end
