import OstiaryProtocol

/// What a person answers a question for a second factor with.
enum FactorInput: Sendable {
    case pin(LockedBytes)
    case biometrics(BiometricInfo)
    case both(LockedBytes, BiometricInfo)
}
