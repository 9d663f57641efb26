import OstiaryProtocol

/// The six conditions under which a biometric feature is asked for; all of them must hold (S4-73 to S4-80).
struct BiometricConditions: Sendable, Hashable {
    /// The device has a sensor that its system considers strong enough.
    var isStrong: Bool
    /// At least one feature is enrolled.
    var isEnrolled: Bool
    /// The app did not switch biometrics off.
    var isAllowed: Bool
    /// For a new account the PIN is always asked.
    var isNoEnrolment: Bool
    /// Fewer biometrics in a row than may follow one PIN.
    var isWithinNumber: Bool
    /// The last PIN is not too long ago.
    var isWithinTime: Bool

    var showBiometrics: Bool { isStrong && isEnrolled && isAllowed && isNoEnrolment && isWithinNumber && isWithinTime }
}

extension BiometricConditions {
    /// The conditions as the device, the configuration and what was heard of the server put them. Of the app's limits and the server's the
    /// stricter one counts; the server has the last word in any case.
    init(
        _ availability: BiometricAvailability, _ configuration: Ostiary.Configuration, _ context: SecondFactorContext, _ use: StoredPINUse?,
        now: Instant
    ) {
        isStrong = availability == .available || availability == .notEnrolled
        isEnrolled = availability == .available
        isAllowed = !configuration.biometricsDisabled
        isNoEnrolment = context != .firstSet && context != .enrol
        let most = configuration.maxNumberSecondFactorWithoutPIN
        isWithinNumber = use?.left != 0 && (most == 0 || (use?.withoutPIN ?? 0) < most)
        let longest = configuration.maxTimeSecondFactorWithoutPIN
        // A clock that was set back makes the last PIN a thing of the future: too long ago, as far as anybody can tell.
        let passed = use.flatMap { now.seconds >= $0.lastPIN ? now.seconds - $0.lastPIN : nil }
        isWithinTime = longest == .zero || (passed.map { Duration.seconds(Int64(clamping: $0)) < longest } ?? false)
    }
}

extension Engine {
    /// Whether a biometric feature can answer this.
    func offersBiometrics(for challenge: FactorChallenge) -> Bool {
        guard challenge.acceptsBiometrics, let instance = stored?.instance(challenge.instance.id), instance.biometrics != nil else { return false }
        if configuration.blockSecondFactorOnPINBlocked, instance.tries.blocked { return false }
        return conditions(for: challenge.context, instance, at: challenge.rootHash).showBiometrics
    }

    func conditions(for context: SecondFactorContext, _ instance: StoredInstance, at rootHash: [UInt8]) -> BiometricConditions {
        BiometricConditions(ports.biometrics?.availability ?? .none, configuration, context, instance.pinUse, now: now(at: rootHash))
    }
}
