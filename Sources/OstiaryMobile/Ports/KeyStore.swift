/// Why a key store did not do something.
public enum KeyStoreError: Error, Sendable, Hashable {
    /// No key or secret of that name.
    case unknownName
    /// A name of other characters than letters, digits and hyphens, or longer than 64.
    case badName
    /// It cannot be read or written, or the device is locked.
    case unavailable
    /// What is stored was damaged, changed, or sealed under another key.
    case unreadable
    /// The file with the wrapping key can be read by other people.
    case tooOpen
}

/// Where device keys and small secrets live: an enclave, or a sealed file. Each call stands for itself and is durable when it returns.
///
/// Names are made by the SDK, are never used twice, and tell nothing.
public protocol KeyStore: Sendable {
    /// Makes a P-256 key that never leaves the store. Returns its public key, 65 bytes X9.63.
    func makeDeviceKey(named name: String) throws(KeyStoreError) -> [UInt8]

    /// The public key of a device key, 65 bytes X9.63.
    func publicKey(named name: String) throws(KeyStoreError) -> [UInt8]

    /// An ECDSA signature over SHA-256 of `message`, 64 raw bytes.
    func sign(_ message: [UInt8], withKeyNamed name: String) throws(KeyStoreError) -> [UInt8]

    /// Keeps a small secret, on this device only and in no backup; replaces the one of that name.
    func store(_ secret: [UInt8], named name: String) throws(KeyStoreError)

    func secret(named name: String) throws(KeyStoreError) -> [UInt8]

    /// Destroys a key, a biometric key or a secret; nothing happens when there is none.
    func delete(named name: String) throws(KeyStoreError)

    /// Makes a P-256 key that signs only for a person who shows a biometric feature, and that dies when the features that the device knows
    /// change. Asks nobody. Returns its public key, 65 bytes X9.63.
    func makeBiometricKey(named name: String) throws(BiometricError) -> [UInt8]

    /// An ECDSA signature over SHA-256 of `message`, 64 raw bytes, once the person has shown a feature. `info` says what the prompt tells them.
    func sign(_ message: [UInt8], withBiometricKeyNamed name: String, asking info: BiometricInfo) async throws(BiometricError) -> [UInt8]
}

/// A store without biometric keys need not say so.
extension KeyStore {
    public func makeBiometricKey(named name: String) throws(BiometricError) -> [UInt8] { throw .unavailable }

    public func sign(_ message: [UInt8], withBiometricKeyNamed name: String, asking info: BiometricInfo) async throws(BiometricError) -> [UInt8] {
        throw .unavailable
    }
}
