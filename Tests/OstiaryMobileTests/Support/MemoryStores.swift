import Crypto
import Foundation
import OstiaryMobile
import Synchronization

/// An account store in memory, with what a test wants it to refuse.
final class MemoryAccountStore: AccountStore {
    private let content: Mutex<[UInt8]?>
    private let refuses = Mutex(false)
    private let changesToRefuse = Mutex(0)
    private let readsToRefuse = Mutex(0)
    private let written = Mutex(0)

    init() { content = Mutex(nil) }

    /// What another store holds at this moment.
    init(copying other: MemoryAccountStore) { content = Mutex(other.document) }

    var document: [UInt8]? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    var isUnavailable: Bool {
        get { refuses.withLock { $0 } }
        set { refuses.withLock { $0 = newValue } }
    }

    /// How many times it still cannot be read, while it can be changed.
    var refusedReads: Int {
        get { readsToRefuse.withLock { $0 } }
        set { readsToRefuse.withLock { $0 = newValue } }
    }

    /// How many changes it still refuses, while it can be read.
    var refusals: Int {
        get { changesToRefuse.withLock { $0 } }
        set { changesToRefuse.withLock { $0 = newValue } }
    }

    /// How often the document was changed.
    var changes: Int { written.withLock { $0 } }

    func read() throws(AccountStoreError) -> [UInt8]? {
        guard !isUnavailable, !Self.takesOne(readsToRefuse) else { throw .unavailable }
        return document
    }

    func update(_ change: ([UInt8]?) -> [UInt8]?) throws(AccountStoreError) {
        guard !isUnavailable, !Self.takesOne(changesToRefuse) else { throw .unavailable }
        content.withLock { content in
            guard let new = change(content), new != content else { return }
            content = new
            written.withLock { $0 += 1 }
        }
    }

    private static func takesOne(_ number: borrowing Mutex<Int>) -> Bool {
        number.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }
}

/// A key store in memory, with what a test wants it to say of the keys that it holds.
final class MemoryKeyStore: KeyStore {
    private enum Entry: Sendable {
        case key(P256.Signing.PrivateKey)
        case secret([UInt8])
        case biometric(P256.Signing.PrivateKey, fingerprint: [UInt8])
    }

    private let entries: Mutex<[String: Entry]>
    private let failure = Mutex<KeyStoreError?>(nil)
    private let read = Mutex<[String]>([])
    private let secretFailure = Mutex<KeyStoreError?>(nil)
    let biometrics: SimulatedBiometrics

    init(biometrics: SimulatedBiometrics = SimulatedBiometrics()) {
        entries = Mutex([:])
        self.biometrics = biometrics
    }

    /// What another key store holds at this moment, beside a sensor of its own.
    init(copying other: MemoryKeyStore) {
        entries = Mutex(other.entries.withLock { $0 })
        biometrics = SimulatedBiometrics()
    }

    var names: [String] { entries.withLock { $0.keys.sorted() } }

    /// What it says instead of using a device key that it holds; new ones are made all the same.
    var refusal: KeyStoreError? {
        get { failure.withLock { $0 } }
        set { failure.withLock { $0 = newValue } }
    }

    /// The names of the secrets that were asked for, in order.
    var secretsRead: [String] { read.withLock { $0 } }

    /// What it says instead of giving a secret that it holds.
    var secretRefusal: KeyStoreError? {
        get { secretFailure.withLock { $0 } }
        set { secretFailure.withLock { $0 = newValue } }
    }

    func makeDeviceKey(named name: String) throws(KeyStoreError) -> [UInt8] {
        let key = P256.Signing.PrivateKey()
        entries.withLock { $0[name] = .key(key) }
        return Array(key.publicKey.x963Representation)
    }

    func publicKey(named name: String) throws(KeyStoreError) -> [UInt8] { Array(try key(name).publicKey.x963Representation) }

    func sign(_ message: [UInt8], withKeyNamed name: String) throws(KeyStoreError) -> [UInt8] {
        let key = try key(name)
        do { return Array(try key.signature(for: message).rawRepresentation) } catch { throw .unavailable }
    }

    func store(_ secret: [UInt8], named name: String) throws(KeyStoreError) { entries.withLock { $0[name] = .secret(secret) } }

    func secret(named name: String) throws(KeyStoreError) -> [UInt8] {
        read.withLock { $0.append(name) }
        guard case .secret(let secret)? = entries.withLock({ $0[name] }) else { throw .unknownName }
        if let secretRefusal { throw secretRefusal }
        return secret
    }

    func makeBiometricKey(named name: String) throws(BiometricError) -> [UInt8] {
        let key = P256.Signing.PrivateKey()
        entries.withLock { $0[name] = .biometric(key, fingerprint: biometrics.fingerprint) }
        return Array(key.publicKey.x963Representation)
    }

    func sign(_ message: [UInt8], withBiometricKeyNamed name: String, asking info: BiometricInfo) async throws(BiometricError) -> [UInt8] {
        guard case .biometric(let key, let fingerprint)? = entries.withLock({ $0[name] }) else { throw .unavailable }
        try biometrics.confirm(info, since: fingerprint)
        guard let signature = try? key.signature(for: message) else { throw .unavailable }
        return Array(signature.rawRepresentation)
    }

    func delete(named name: String) throws(KeyStoreError) { _ = entries.withLock { $0.removeValue(forKey: name) } }

    private func key(_ name: String) throws(KeyStoreError) -> P256.Signing.PrivateKey {
        guard case .key(let key)? = entries.withLock({ $0[name] }) else { throw .unknownName }
        if let refusal { throw refusal }
        return key
    }
}
