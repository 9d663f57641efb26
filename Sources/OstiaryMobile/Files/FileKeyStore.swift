import Crypto
import Foundation
import OstiaryProtocol

/// Device keys and secrets as sealed files, one each, for computers without an enclave: `keys/<name>` in the home, mode 0600 in a folder of
/// mode 0700, AES-256-GCM under the keyring's key with the name as associated data.
///
/// It keeps a copied or backed-up file from being of use without the keyring; it does not keep a program of the same owner away.
public struct FileKeyStore: KeyStore {
    private enum Kind: UInt8 {
        case deviceKey = 1
        case secret = 2
        /// The fingerprint of a `SimulatedBiometrics`, then the 32 bytes of the key.
        case biometricKey = 3
    }

    private let folder: String
    private let keyring: any Keyring
    private let files: any FileSystem
    private let random: any RandomSource
    private let biometrics: SimulatedBiometrics?

    /// - Parameters:
    ///   - home: the folder that the files lie in, made with mode 0700 if it is missing.
    ///   - keyring: has the key that the files are sealed under.
    ///   - biometrics: whose word guards biometric keys, for tests and demonstrations; without it there are none.
    public init(home: String, keyring: any Keyring, biometrics: SimulatedBiometrics? = nil) throws(KeyStoreError) {
        try self.init(home: home, keyring: keyring, biometrics: biometrics, files: PosixFileSystem(), random: SystemRandomSource())
    }

    package init(
        home: String, keyring: any Keyring, biometrics: SimulatedBiometrics? = nil, files: any FileSystem, random: any RandomSource
    ) throws(KeyStoreError) {
        folder = home + "/keys"
        self.biometrics = biometrics
        self.keyring = keyring
        self.files = files
        self.random = random
        do { try files.makeFolder(folder) } catch { throw .unavailable }
    }

    public func makeDeviceKey(named name: String) throws(KeyStoreError) -> [UInt8] {
        let key = P256.Signing.PrivateKey()
        try write(.deviceKey, Array(key.rawRepresentation), name)
        return Array(key.publicKey.x963Representation)
    }

    public func publicKey(named name: String) throws(KeyStoreError) -> [UInt8] { Array(try deviceKey(name).publicKey.x963Representation) }

    public func sign(_ message: [UInt8], withKeyNamed name: String) throws(KeyStoreError) -> [UInt8] {
        let key = try deviceKey(name)
        do { return Array(try key.signature(for: message).rawRepresentation) } catch { throw .unavailable }
    }

    public func store(_ secret: [UInt8], named name: String) throws(KeyStoreError) { try write(.secret, secret, name) }

    public func secret(named name: String) throws(KeyStoreError) -> [UInt8] { try read(.secret, name) }

    public func delete(named name: String) throws(KeyStoreError) {
        let path = try path(name)
        do { try files.removeWithLeftovers(path) } catch { throw .unavailable }
    }

    public func makeBiometricKey(named name: String) throws(BiometricError) -> [UInt8] {
        guard let biometrics, biometrics.availability == .available else { throw .unavailable }
        let key = P256.Signing.PrivateKey()
        do throws(KeyStoreError) {
            try write(.biometricKey, biometrics.fingerprint + Array(key.rawRepresentation), name)
        } catch {
            throw .unavailable
        }
        return Array(key.publicKey.x963Representation)
    }

    public func sign(_ message: [UInt8], withBiometricKeyNamed name: String, asking info: BiometricInfo) async throws(BiometricError) -> [UInt8] {
        guard let biometrics, let content = try? read(.biometricKey, name) else { throw .unavailable }
        try biometrics.confirm(info, since: content.dropLast(32))
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: content.suffix(32)), let signature = try? key.signature(for: message)
        else { throw .unavailable }
        return Array(signature.rawRepresentation)
    }

    private func deviceKey(_ name: String) throws(KeyStoreError) -> P256.Signing.PrivateKey {
        let bytes = try read(.deviceKey, name)
        do { return try P256.Signing.PrivateKey(rawRepresentation: bytes) } catch { throw .unreadable }
    }

    private func path(_ name: String) throws(KeyStoreError) -> String {
        let isAllowed = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        }
        guard isAllowed, (1...64).contains(name.utf8.count) else { throw .badName }
        return "\(folder)/\(name)"
    }

    private func associatedData(_ name: String) -> [UInt8] { Array("ostiary file key store 1".utf8) + [0] + Array(name.utf8) }

    private func write(_ kind: Kind, _ content: [UInt8], _ name: String) throws(KeyStoreError) {
        let path = try path(name)
        let key = SymmetricKey(data: try keyring.wrappingKey())
        do {
            let sealed = try AES.GCM.seal([kind.rawValue] + content, using: key, authenticating: associatedData(name))
            guard let bytes = sealed.combined else { throw KeyStoreError.unavailable }
            try files.replace(path, with: Array(bytes), unique: Hexadecimal.text(random.bytes(8)))
        } catch { throw .unavailable }
    }

    private func read(_ kind: Kind, _ name: String) throws(KeyStoreError) -> [UInt8] {
        let path = try path(name)
        let stored: [UInt8]?
        do { stored = try files.read(path) } catch { throw .unavailable }
        guard let stored else { throw .unknownName }
        let key = SymmetricKey(data: try keyring.wrappingKey())
        guard let box = try? AES.GCM.SealedBox(combined: stored),
            let content = try? AES.GCM.open(box, using: key, authenticating: associatedData(name)), content.first == kind.rawValue
        else { throw .unreadable }
        return Array(content.dropFirst())
    }
}
