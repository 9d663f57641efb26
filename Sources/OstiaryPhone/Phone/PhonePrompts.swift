import Foundation
import OstiaryMobile
import OstiaryProgram
import OstiaryProtocol
import Synchronization

/// The questions to the person. Each runs beside the phone and can be called off, because a session may end while it is asked.
final class PhonePrompts: Sendable {
    enum Answer: Sendable {
        case yes(Account?)
        /// Yes, with the number that is shown where the login was begun.
        case number(Account?, String)
        case no(notMe: Bool)
        case pin(PIN)
        /// No more input, or the person gave up.
        case gaveUp
    }

    private let pinsAreLines: Bool
    private let wanted = Mutex(true)

    init(pinsAreLines: Bool) { self.pinsAreLines = pinsAreLines }

    /// Whatever is being asked is no longer wanted.
    func callOff() { wanted.withLock { $0 = false } }

    private var isWanted: @Sendable () -> Bool { { self.wanted.withLock { $0 } } }

    // MARK: Confirmation

    /// Yes, no, or "not me"; with more than one account the number of one is a yes.
    func confirmation(of question: String, among accounts: [Account]) async -> Answer {
        await KeyInput.onOwnThread { [isWanted] in
            QuietTerminal.enter(.line)
            defer { QuietTerminal.leave() }
            for (number, account) in zip(1..., accounts) where accounts.count > 1 {
                let choice: TerminalLine = "  \(ours: "\(number)")  \(others: account.username)"
                Self.show(choice.text(columns: StandardStreams.columns(of: STDERR_FILENO)) + "\n")
            }
            let choices = accounts.count > 1 ? "1-\(accounts.count)/N/not me" : "y/N/not me"
            while true {
                Self.show("\(question) [\(choices)] ")
                guard let line = KeyInput.line(isWanted: isWanted) else { return .gaveUp }
                if let answer = Self.answer(line.lowercased(), among: accounts) { return answer }
            }
        }
    }

    /// The number that is shown where a waiting login was begun, or a no: nothing is a yes without it.
    func number(for account: Account?) async -> Answer {
        await KeyInput.onOwnThread { [isWanted] in
            QuietTerminal.enter(.line)
            defer { QuietTerminal.leave() }
            while true {
                Self.show("Which number is shown where this was begun? [three digits/N/not me] ")
                guard let line = KeyInput.line(isWanted: isWanted) else { return .gaveUp }
                if LoginNumber.isOne(line) { return .number(account, line) }
                switch Self.answer(line.lowercased(), among: []) {
                case .no(let notMe): return .no(notMe: notMe)
                default: continue
                }
            }
        }
    }

    private static func answer(_ line: String, among accounts: [Account]) -> Answer? {
        switch line {
        case "", "n", "no": return .no(notMe: false)
        case "not me", "notme", "x": return .no(notMe: true)
        case "y", "yes": return accounts.count > 1 ? nil : .yes(accounts.first)
        default:
            guard let number = Int(line), accounts.count > 1, accounts.indices.contains(number - 1) else { return nil }
            return .yes(accounts[number - 1])
        }
    }

    // MARK: PIN

    /// One PIN, typed twice when it is set. A penalty is counted down first, unless a script answers.
    func pin(for question: SecondFactor) async -> Answer {
        let info = question.secondFactorInfo
        if pinsAreLines { return await entry(prompt: nil) }
        if info.penalisedFor > 0, !info.blocked {
            guard await PenaltyCountdown.wait(seconds: info.penalisedFor, isWanted: isWanted) else { return .gaveUp }
        }
        if info.blocked { Self.show("this phone was blocked: a PIN is accepted only if the operator lifted that since\n") }
        if info.result == nil, info.failedAttempts > 0 { Self.show("\(info.triesLeft)\n") }
        switch info.context {
        case .firstSet, .pinChangeSet: return await newPIN()
        case .pinChangeVerify: return await entry(prompt: "PIN so far: ")
        case .verify, .biometricsAdd, .biometricsRemove: return await entry(prompt: "PIN: ")
        }
    }

    private func newPIN() async -> Answer {
        while true {
            guard case .pin(let first) = await entry(prompt: "Choose a PIN: ") else { return .gaveUp }
            if let reason = Self.refusal(of: first) {
                Self.show("\(reason.sentence)\n")
                continue
            }
            guard case .pin(let second) = await entry(prompt: "The same again: ") else { return .gaveUp }
            defer { second.clear() }
            if first.matches(second) { return .pin(first) }
            first.clear()
            Self.show("the two differ\n")
        }
    }

    /// What can be said against a new PIN before it is typed again; what else a server wants is told when it was.
    private static func refusal(of pin: PIN) -> OstiaryError? {
        guard (PIN.fewestDigits...PIN.mostDigits).contains(pin.count) else { return .pinLength }
        return pin.isEasyToGuess ? .pinEasyToGuess : nil
    }

    /// One line of digits. Anything else on the line is told, and asked again from a person; a script's line is used up.
    private func entry(prompt: String?) async -> Answer {
        while true {
            if let prompt { Self.show(prompt) }
            let outcome = await PINEntry().read(isWanted: isWanted)
            if prompt != nil { Self.show("\n") }
            switch outcome {
            case .entered(let digits):
                let pin = PIN()
                digits.withUnsafeBytes { bytes in
                    for digit in bytes { pin.append(digit: digit - UInt8(ascii: "0")) }
                }
                // Longer than any PIN: handing over the first twelve digits would try another PIN than was typed.
                if digits.count > PIN.mostDigits { pin.clear() }
                digits.clear()
                return .pin(pin)
            case .notDigits where prompt == nil: return .pin(PIN())
            case .notDigits: Self.show("a PIN has digits only\n")
            case .endOfInput, .cancelled: return .gaveUp
            }
        }
    }

    /// Questions go to standard error: standard output may be a script's.
    private static func show(_ text: String) { StandardStreams.write(text, to: STDERR_FILENO) }
}
