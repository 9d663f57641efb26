import OstiaryMobile

/// One question for the second factor.
struct SecondFactorScreen {
    private let info: SecondFactorInfo
    /// What it approves; nil when the person changes the factor itself.
    private let session: Session?
    private let isOver: Bool
    private let ostiary: Ostiary

    init(_ factor: SecondFactor, at ostiary: Ostiary) {
        info = factor.secondFactorInfo
        session = factor.session
        isOver = factor.stopped
        self.ostiary = ostiary
    }

    /// What came of the last input; asks again where another is taken. Otherwise the screen is gone.
    func update() async {
        if info.result == .failed { Screen.show("That was not right.") }
        if info.blocked { Screen.show("Too many wrong tries. Ask your service to unblock you.") }
        if isOver { return }
        // Without a result yet this is the second of two steps, and `retry` means nothing.
        if info.result == nil || info.retry { await ask() }
    }

    func ask() async {
        if let session { for line in Purpose.lines(of: session) { Screen.show(line) } }
        tellTries()
        switch info.context {
        case .firstSet, .pinChangeSet: send(await newPIN())
        case .biometricsAdd where info.showBiometrics: ostiary.sfInput(BiometricInfo(reason: "Add biometrics"))
        case .verify, .biometricsAdd, .biometricsRemove, .pinChangeVerify:
            if info.showBiometrics, await !Screen.agrees("Use the PIN instead of your thumb?") {
                ostiary.sfInput(BiometricInfo(reason: "Log in", cancelTitle: "Use PIN"))
            } else {
                send(await PINPad.read("PIN:"))
            }
        }
    }

    private func tellTries() {
        if info.failedAttempts > 0 { Screen.show("\(info.failedAttempts) of \(info.maxAttempts) tries used.") }
        if info.penalisedFor > 0 { Screen.show("Wait \(info.penalisedFor) s: before that no PIN is looked at.") }
    }

    private func send(_ pin: PIN?) {
        guard let pin else { return ostiary.sfCancel() }
        ostiary.sfInput(pin)
        pin.clear()
    }

    /// Typed twice, compared here; nil when the person gives up.
    private func newPIN() async -> PIN? {
        while true {
            guard let first = await PINPad.read("Choose a PIN of 6 digits:") else { return nil }
            guard !first.isEasyToGuess else {
                Screen.show("That is among the first that a thief would try.")
                continue
            }
            guard let second = await PINPad.read("Once more:") else { return nil }
            defer { second.clear() }
            if first.matches(second) { return first }
            Screen.show("These were two different PINs.")
        }
    }
}
