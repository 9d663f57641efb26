/// Changing the second factor itself. It belongs to a server: all accounts at one server have one PIN and one biometric key. `account` says which
/// server is meant; it may be left out while there is only one.
///
/// Each of these asks by second-factor events that carry no session, one at a time with logins and enrolments.
extension Ostiary {
    /// Adds biometrics. First asks for the feature (`showBiometrics` is true: answer with `sfInput(_:)` and a `BiometricInfo`), then, to be sure that
    /// the owner of the PIN wants it, for the PIN.
    public func addBiometrics(for account: Account? = nil) { send(.manage(.addBiometrics, account?.id)) }

    /// Removes biometrics, which takes the PIN or the feature.
    public func removeBiometrics(for account: Account? = nil) { send(.manage(.removeBiometrics, account?.id)) }

    /// Changes the PIN. Asks for the PIN so far, or for the feature unless the configuration forbids it; then, within five minutes, for the new PIN,
    /// which the app lets the person type twice.
    public func changePIN(for account: Account? = nil) { send(.manage(.changePIN, account?.id)) }

    /// Does what `addBiometrics(for:)` does, and returns when both servers know.
    public func enrolBiometrics(for account: Account? = nil) async throws(OstiaryError) { try await manage(.addBiometrics, account) }

    /// Does what `removeBiometrics(for:)` does, and returns when both servers know.
    public func withdrawBiometrics(for account: Account? = nil) async throws(OstiaryError) { try await manage(.removeBiometrics, account) }

    /// Does what `changePIN(for:)` does, and returns when the new PIN counts.
    public func replacePIN(for account: Account? = nil) async throws(OstiaryError) { try await manage(.changePIN, account) }

    private func manage(_ operation: SecondFactorOperation, _ account: Account?) async throws(OstiaryError) {
        if let error = await (try await (try core()).engine.begin(operation, for: account?.id)).value { throw error }
    }
}
