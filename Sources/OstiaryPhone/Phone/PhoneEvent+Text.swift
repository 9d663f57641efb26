import Foundation
import OstiaryMobile
import OstiaryProgram

/// What happens on the phone, as lines for a person.
extension OstiaryEvent {
    /// - Parameter columns: of the terminal.
    func lines(columns: Int) -> [String] { told.map { $0.text(columns: columns) } }

    private var told: [TerminalLine] {
        switch self {
        case .otpAvailable: []
        case .confirmLogin(let session, let accounts): session.info.lines + (accounts.count > 1 ? [] : accounts.map { "as \(others: $0.username)" })
        case .confirmEnrol(let session, let accounts, let visualHash): session.enrolLines(accounts, visualHash)
        case .enrolConfirmation(_, let code): ["", "Type this code into the page:  \(ours: StandardStreams.emphasised(code))", ""]
        case .secondFactorStarted(let secondFactor): secondFactor.session?.purposeLines ?? []
        case .secondFactorUpdated(let secondFactor): secondFactor.lines
        case .sessionLogin(let session): session.loginLines
        case .sessionStop(let session) where session.ending == .enrolled:
            ["\u{2713} enrolled, without a second factor: \(others: session.account?.username ?? session.enrolInfo.displayName)"]
        case .sessionStop(let session): ["over (\(ours: session.endingWords)): \(others: session.title)"]
        case .sessionUpdate(let session): session.returnLines
        case .accountAdded, .accountUpdated, .token: []
        case .accountDeleted(let account): ["the account \(others: account.username) at \(others: account.serverName) is deleted"]
        case .newDevice(let device, let account): ["a new device was enrolled for \(others: account.username): \(others: device.name)"]
        case .pinReplacedByBiometric(let pin, let account):
            [
                "by a biometric alone a new PIN was set for \(others: account.username) on \(others: pin.deviceName)",
                "if that was not you, tell your service",
            ]
        case .error(let error, _): [TerminalLine(ours: "\u{2717} \(error.sentence)" + (error.code.map { " (\($0))" } ?? ""))]
        }
    }
}

extension OneTimeCode {
    func lines(of account: Account) -> [TerminalLine] {
        [
            "", "Type this code into the page:  \(ours: StandardStreams.emphasised(text))",
            "Only into the page that you opened yourself; tell it to nobody. In \(ours: PenaltyCountdown.spelled(changesIn)) another takes its place.",
            "It logs in \(others: account.username)", "",
        ]
    }
}

extension Session {
    var title: String { info.serviceName.isEmpty ? (account?.serverName ?? "session") : info.serviceName }

    fileprivate var loginLines: [TerminalLine] {
        let who: TerminalLine = (username ?? account?.username).map { " as \(others: $0)" } ?? ""
        let first: TerminalLine = isEnrolment ? "\u{2713} enrolled, and logged in" : "\u{2713} logged in"
        return [first + who] + (webNonce.map { ["  webNonce \(others: $0)"] } ?? [])
    }

    /// What the second factor is about to approve, told once more above the prompt.
    fileprivate var purposeLines: [TerminalLine] {
        if isAppLogin { return ["To log in to this phone's own app:"] }
        if isEnrolment { return ["For the account \(others: enrolInfo.displayName) at \(others: info.serverName):"] }
        return ["To log in to \(others: title):"] + info.announcedLines
    }

    /// While the browser is awaited: what the person does next.
    fileprivate var returnLines: [TerminalLine] {
        guard isReturning else { return [] }
        guard let returnURL else { return ["\u{2713} confirmed; go on in the browser that showed the code"] }
        // In one piece, so that it can be copied; an address has no blanks, and nothing but ASCII.
        return ["\u{2713} confirmed; go on in the browser, by opening this address once:", "  \(ours: returnURL.absoluteString)"]
    }

    fileprivate func enrolLines(_ accounts: [Account], _ visualHash: VisualHash?) -> [TerminalLine] {
        let what: TerminalLine = enrolInfo.isUpgrade ? "A PIN for the account" : "New account"
        var lines: [TerminalLine] = [what + " \(others: enrolInfo.displayName) at \(others: info.serverName)"]
        if !enrolInfo.asksSecondFactor { lines.append("without a second factor: it asks for data, and logs in nowhere") }
        if !accounts.isEmpty { lines.append("on this phone already: \(others: accounts.map(\.username).joined(separator: ", "))") }
        if !enrolInfo.nsAccounts.isEmpty {
            // Names alone: which of them are those of this phone is not told.
            lines.append("at the server already, on whatever device: \(others: enrolInfo.nsAccounts.map(\.description).joined(separator: ", "))")
        }
        guard let visualHash else { return lines }
        let drawing = StandardStreams.outputIsTerminal ? VisualHashDrawing.lines(visualHash) : []
        return lines + ["The page shows the same picture and words, or something is wrong:"] + drawing.map { "  \(ours: $0)" }
            + ["  \(ours: visualHash.words.joined(separator: " "))"]
    }
}

extension Session {
    fileprivate var endingWords: String {
        guard ending == .timeout, !isLoggedOut, !isEnrolment else { return ending?.words ?? "ended" }
        return "the login was confirmed here, but the browser did not come back in time: start again there"
    }
}

extension Session.Ending {
    fileprivate var words: String {
        switch self {
        case .user: "logged out on the phone"
        case .inactivity: "nobody used the app"
        case .server: "ended by the server"
        case .timeout: "the phone did not answer in time"
        case .account: "the account was blocked or deleted"
        case .replaced: "a newer login took its place"
        case .denied: "denied"
        case .cancelled: "cancelled"
        case .failed: "failed"
        case .otherBrowser: "another browser came back than the one that began"
        case .otp: "it goes on where the one-time code is typed"
        case .enrolled: "the account is there; it has no second factor, and logs nobody in"
        }
    }
}

extension SessionInfo {
    fileprivate var lines: [TerminalLine] {
        let origin: TerminalLine = serviceOrigin.isEmpty ? "" : " (\(others: serviceOrigin))"
        var lines: [TerminalLine] = ["Log in to \(others: serviceName)" + origin]
        let browser = [browserLabel, browserCity].filter { !$0.isEmpty }.joined(separator: ", ")
        if !browser.isEmpty { lines.append("asked by \(others: browser)") }
        switch binding {
        case .unboundLink, .qrStatic: lines.append("careful: nothing shows that the browser that asks is yours")
        case .unknown, .returnCode, .qrDynamic, .push, .app: break
        }
        if announceLogo != nil { lines.append("with an image, which a terminal cannot show") }
        return lines + announcedLines
    }

    /// Of others from the first letter on.
    fileprivate var announcedLines: [TerminalLine] {
        announceInfo.sorted { $0.key < $1.key }.map { "\(others: $0.key): \(others: $0.value)" }
    }
}

extension SecondFactor {
    /// A change of the factor itself says when it is done; a login says so by itself. Why it stopped is told by the error that follows.
    fileprivate var lines: [TerminalLine] {
        guard stopped else { return secondFactorInfo.lines }
        switch secondFactorInfo.result {
        case .success: return secondFactorInfo.context.done.map { ["\u{2713} \(ours: $0)"] } ?? []
        case .error: return []
        case .failed, nil: return secondFactorInfo.lines
        }
    }
}

extension SecondFactorInfo.Context {
    fileprivate var done: String? {
        switch self {
        case .biometricsAdd: "biometrics added"
        case .biometricsRemove: "biometrics removed"
        case .pinChangeSet: "the PIN is changed"
        case .verify, .firstSet, .pinChangeVerify: nil
        }
    }
}

extension SecondFactorInfo {
    fileprivate var lines: [TerminalLine] {
        switch result {
        case nil, .success: []
        case .error: [TerminalLine(ours: OstiaryError.secondFactorUnavailable.sentence)]
        case .failed where penalisedFor > 0 && !blocked:
            ["wrong PIN, or too early: \(ours: triesLeft); wait \(ours: PenaltyCountdown.spelled(penalisedFor))"]
        case .failed where failedAttempts == 0 && !blocked: ["not taken: nothing was counted"]
        case .failed: [blocked ? "no PIN is accepted any more" : "wrong PIN: \(ours: triesLeft)"]
        }
    }

    /// For example `2 of 5 tries left`.
    var triesLeft: String {
        guard maxAttempts > 0 else { return "try again" }
        let left = max(0, maxAttempts - failedAttempts)
        return left == 1 ? "the last try is next" : "\(left) of \(maxAttempts) tries left"
    }
}
