import Foundation
import OstiaryMobile
import Testing

/// User interaction (S4): its Swift, statement by statement.
enum InteractionCalls {
    static func announcement(of session: Session) -> (Data?, [String: String]) {
        _ = session.info.announceLogo
        _ = session.info.announceInfo
        return (session.info.announceLogo, session.info.announceInfo)
    }

    static func confirmLogin(_ account: Account, _ session: Session, _ userInput: String) {
        Ostiary.default.setAccount(account, for: session, with: userInput)
        Ostiary.default.setAccount(account, for: session)
    }

    static func confirmEnrol(_ session: Session) {
        Ostiary.default.setAccount(nil, for: session)
    }

    static func enrolInfo(of session: Session) -> (String, [ServerAccount]) {
        _ = session.enrolInfo.displayName
        _ = session.enrolInfo.nsAccounts
        return (session.enrolInfo.displayName, session.enrolInfo.nsAccounts)
    }

    static func enter(_ pin: PIN) {
        Ostiary.default.sfInput(pin)
    }

    static func enter(_ info: BiometricInfo) {
        Ostiary.default.sfInput(info)
    }

    static func enter(_ pin: PIN, _ info: BiometricInfo) {
        Ostiary.default.sfInput(pin, and: info)
    }

    static func start() { Ostiary.default.startUserInteraction() }

    static func cancel() { Ostiary.default.sfCancel() }

    /// Everything that the document says of a second factor, by its names.
    static func picture(of secondFactor: SecondFactor) -> String {
        let info = secondFactor.secondFactorInfo
        let context =
            switch info.context {
            case .verify, .firstSet, .biometricsAdd, .biometricsRemove, .pinChangeVerify, .pinChangeSet: info.context.rawValue
            }
        let result =
            switch info.result {
            case nil: "none"
            case .failed?, .success?, .error?: info.result?.rawValue ?? ""
            }
        let numbers: [Int] = [info.maxAttempts, info.failedAttempts, info.penalisedFor]
        let flags: [Bool] = [secondFactor.stopped, info.retry, info.blocked, info.showBiometrics]
        let session: Session? = secondFactor.session
        return "\(context) \(result) \(numbers) \(flags) \(session?.id.uuidString ?? "")"
    }
}

/// The questions, as a delegate hears them.
final class InteractionDelegate: OstiaryDelegate {
    func ostiary(_ ostiary: Ostiary, willConfirmLoginFor session: Session, with accounts: [Account]) {
        guard let account = accounts.first else { return }
        ostiary.setAccount(account, for: session)
    }

    func ostiary(_ ostiary: Ostiary, willConfirmEnrolFor session: Session, with accounts: [Account], visualHash: VisualHash?) {
        ostiary.setAccount(nil, for: session)
    }
}

@Suite("The documents' calls: user interaction")
struct InteractionCallTests {
    @Test("S4-31 S4-32 S4-33 S4-38 the calls are there as documented; a PIN tells how long it is and whether it is easy to guess, and nothing else")
    func calls() {
        let pin = PIN()
        for digit: UInt8 in [1, 2, 3, 4, 5] { pin.append(digit: digit) }
        #expect(pin.count == 5 && pin.isEasyToGuess && "\(pin)" == "‹secret›")
        InteractionCalls.start()
        InteractionCalls.enter(pin)
        InteractionCalls.enter(BiometricInfo(reason: "log in"))
        InteractionCalls.enter(pin, BiometricInfo(reason: "log in"))
        InteractionCalls.cancel()
        let calls: (Any, Any, Any, Any, Any) = (
            InteractionCalls.announcement, InteractionCalls.confirmLogin, InteractionCalls.confirmEnrol, InteractionCalls.enrolInfo,
            InteractionCalls.picture
        )
        _ = calls
        let delegate: any OstiaryDelegate = InteractionDelegate()
        _ = delegate
    }
}
