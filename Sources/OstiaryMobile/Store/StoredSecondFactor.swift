import OstiaryProtocol

/// A biometric key whose public half both servers hold.
struct StoredBiometrics: Codable, Sendable, Equatable {
    /// Where the key store has it.
    let keyName: String
    /// 65 bytes X9.63.
    let publicKey: StoredBytes
}

/// A biometric key that is being added: named here before it is made, so that a crash leaves none behind.
struct StoredBiometricClaim: Codable, Sendable, Equatable {
    let keyName: String
    let madeAt: UInt64
}

/// The box of a new PIN, kept beside that of the old one until it is known which of them the servers count (protocol §7).
struct StoredPINChange: Codable, Sendable, Equatable {
    let epoch: UInt32
    let box: StoredBytes
}

/// How long the person has gone without typing their PIN.
struct StoredPINUse: Codable, Sendable, Equatable {
    /// When the PIN was last right, in Unix seconds by the server's clock.
    var lastPIN: UInt64
    /// Biometrics alone since then.
    var withoutPIN = 0
    /// How many of them the server said may still follow; nil while it set no limit that we know.
    var left: UInt16?
}

/// What the server wanted of PINs when the first was set.
struct StoredPINPolicy: Codable, Sendable, Equatable {
    let fewestDigits: UInt8
    let mostDigits: UInt8
    let refusesEasy: Bool

    init(_ policy: PINPolicy) {
        fewestDigits = policy.fewestDigits
        mostDigits = policy.mostDigits
        refusesEasy = policy.refusesEasy
    }

    var policy: PINPolicy { PINPolicy(fewestDigits: fewestDigits, mostDigits: mostDigits, refusesEasy: refusesEasy) }
}

extension StoredInstance {
    /// What `change` holds takes the place of the PIN so far.
    mutating func adoptChange() {
        if let change { adopt(change) }
    }

    /// A new PIN that the servers count takes the place of the one so far, whatever another process has written down beside it meanwhile.
    mutating func adopt(_ counted: StoredPINChange) {
        epoch = counted.epoch
        box = counted.box
        if let change, change.epoch <= counted.epoch { self.change = nil }
    }

    /// Every key and secret of it.
    var names: [String] { [deviceSecretName] + [biometrics?.keyName, biometricClaim?.keyName].compactMap(\.self) }
}

extension StoredState {
    mutating func setInstance(_ id: InstanceID, _ change: (inout StoredInstance) -> Void) {
        guard let index = instances.firstIndex(where: { $0.id == id }) else { return }
        change(&instances[index])
    }

    /// Lets the key that is being added go, and with `all` the one that was added before as well.
    mutating func dropBiometrics(of id: InstanceID, all: Bool) {
        guard let instance = instance(id) else { return }
        discarded += [instance.biometricClaim?.keyName, all ? instance.biometrics?.keyName : nil].compactMap(\.self)
        setInstance(id) { instance in
            instance.biometricClaim = nil
            if all { instance.biometrics = nil }
        }
    }
}
