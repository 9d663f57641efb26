import OstiaryProtocol

/// Adding and removing biometrics (S4-46 to S4-49).
extension Engine {
    /// First the feature, which only the device looks at; then the PIN, which the servers do. A failure leaves no half of a key.
    func addBiometrics(_ factor: ManagedFactor, _ id: Session.ID, _ asking: ManagementQuestions) async throws(OstiaryError) {
        let instance = factor.instance.id
        let claim = StoredBiometricClaim(keyName: makeName("biometric"), madeAt: ports.clock.wall)
        try write { (state) throws(OstiaryError) in
            state.dropBiometrics(of: instance, all: false)
            state.setInstance(instance) { $0.biometricClaim = claim }
        }
        var isSent = false
        do throws(OstiaryError) {
            let prelude = asking.open(try await challenge(.biometricsAdd, factor, id, payload: []), place: .prelude)
            let publicKey = try await makeKey(claim.keyName, prelude)
            let question = asking.open(try await challenge(.biometricsAdd, factor, id, payload: publicKey), place: .last)
            try await verify(question) { (proof) async throws(OstiaryError) -> Delivered<Void> in
                isSent = true
                switch try await complete(question.challenge, proof) {
                case .declined(let status): return .declined(status)
                case .done:
                    try install(claim, publicKey, instance)
                    return .done(())
                }
            }
        } catch {
            // Whichever key the servers hold now, this phone has no other half of it.
            _ = try? write { (state) throws(OstiaryError) in state.dropBiometrics(of: instance, all: isSent && error.leavesServerUnsure) }
            destroyDiscarded()
            throw error
        }
    }

    /// A key that the person has confirmed once, by signing with it what means nothing to anybody.
    private func makeKey(_ name: String, _ prelude: OpenQuestion) async throws(OstiaryError) -> [UInt8] {
        var made: [UInt8]?
        return try await ask(prelude) { (input) async throws(OstiaryError) -> Round<[UInt8]> in
            let info: BiometricInfo
            switch input {
            case .biometrics(let given), .both(_, let given): info = given
            case .pin:
                complain(.wrongOrder, about: prelude.challenge)
                return .again(nil)
            }
            do throws(BiometricError) {
                let publicKey = if let made { made } else { try ports.keys.makeBiometricKey(named: name) }
                made = publicKey
                _ = try await ports.keys.sign(Array("Ostiary: a biometric key was made".utf8), withBiometricKeyNamed: name, asking: info)
                try Self.checkNotCancelled()
                return .done(publicKey)
            } catch {
                switch error {
                case .cancelled, .notConfirmed: return .again(.failed)
                case .unavailable: return .over(.biometricsUnavailable)
                case .changed: return .over(.biometricsChanged)
                }
            }
        }
    }

    private static func checkNotCancelled() throws(BiometricError) {
        if Task.isCancelled { throw .cancelled }
    }

    private func install(_ claim: StoredBiometricClaim, _ publicKey: [UInt8], _ instance: InstanceID) throws(OstiaryError) {
        try write { (state) throws(OstiaryError) in
            if let old = state.instance(instance)?.biometrics { state.discarded.append(old.keyName) }
            state.setInstance(instance) { instance in
                instance.biometrics = StoredBiometrics(keyName: claim.keyName, publicKey: StoredBytes(publicKey))
                instance.biometricClaim = nil
            }
        }
        destroyDiscarded()
    }

    func removeBiometrics(_ factor: ManagedFactor, _ id: Session.ID, _ asking: ManagementQuestions) async throws(OstiaryError) {
        guard let key = factor.instance.biometrics else { throw .biometricsUnavailable }
        let question = asking.open(
            try await challenge(.biometricsRemove, factor, id, payload: key.publicKey.bytes, acceptsBiometrics: true), place: .whole)
        var isSent = false
        do throws(OstiaryError) {
            try await verify(question) { (proof) async throws(OstiaryError) -> Delivered<Void> in
                isSent = true
                switch try await complete(question.challenge, proof) {
                case .declined(let status): return .declined(status)
                case .done:
                    try dropBiometrics(of: factor.instance.id)
                    return .done(())
                }
            }
        } catch {
            // The person wanted it gone, and the servers may have done their part.
            if isSent, error.leavesServerUnsure { _ = try? dropBiometrics(of: factor.instance.id) }
            throw error
        }
    }
}
