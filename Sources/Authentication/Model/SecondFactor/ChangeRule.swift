import OstiaryProtocol

/// What an operation on the second factor must look like, by its context (protocol §7).
struct ChangeRule: Sendable {
    let context: SecondFactorContext
    let payload: [UInt8]

    /// Throws unless the payload is one of the context, and the server serves it.
    func check(under parameters: ServerParameters) throws(Refusal) {
        switch context {
        case .biometricsAdd:
            guard parameters.methods.contains(.bio) else { throw .methodNotAllowed }
            guard isKey else { throw .attemptMismatch }
        case .biometricsRemove: guard isKey else { throw .attemptMismatch }
        case .pinChangeVerify: guard payload.isEmpty else { throw .attemptMismatch }
        case .pinChangeSet: guard AttemptID(payload) != nil else { throw .attemptMismatch }
        case .verify, .firstSet, .enrol: throw .methodNotAllowed
        }
    }

    /// Throws unless the context may be proved so. A server without biometrics still lets one be removed by itself.
    func check(_ method: Methods, under parameters: ServerParameters) throws(Refusal) {
        let isAllowed =
            switch context {
            case .biometricsAdd: method == .pin
            case .biometricsRemove: method == .pin || method == .bio
            case .pinChangeVerify: method.isSubset(of: parameters.methods)
            // Decided by what vouches for it.
            case .pinChangeSet: true
            case .verify, .firstSet, .enrol: false
            }
        guard isAllowed else { throw .methodNotAllowed }
    }

    private var isKey: Bool { (try? DevicePublicKey(payload)) != nil }
}
