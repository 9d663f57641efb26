#if canImport(Security)
import Foundation
import Security

/// Device keys in the Secure Enclave and secrets in the Keychain: on this device only, in no backup, readable after the first unlock.
///
/// Type-checked against stubs of Apple's frameworks; never run on a device.
public struct EnclaveKeyStore: KeyStore {
    /// What tells the items of this SDK from others of the app.
    let service: String

    public init(service: String = "ostiary") { self.service = service }

    public func makeDeviceKey(named name: String) throws(KeyStoreError) -> [UInt8] {
        guard let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, [.privateKeyUsage], nil),
            let key = makeKey(named: name, access), let publicKey = Self.publicKey(of: key)
        else { throw .unavailable }
        return publicKey
    }

    public func publicKey(named name: String) throws(KeyStoreError) -> [UInt8] {
        guard let publicKey = Self.publicKey(of: try deviceKey(name)) else { throw .unavailable }
        return publicKey
    }

    public func sign(_ message: [UInt8], withKeyNamed name: String) throws(KeyStoreError) -> [UInt8] {
        let key = try deviceKey(name)
        guard let signature = SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data(message) as CFData, nil) as Data?,
            let raw = SignatureEncoding.raw(fromDER: Array(signature))
        else { throw .unavailable }
        return raw
    }

    public func store(_ secret: [UInt8], named name: String) throws(KeyStoreError) {
        try delete(secretNamed: name)
        var item = secretQuery(name)
        item[kSecValueData as String] = Data(secret)
        item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        item[kSecAttrSynchronizable as String] = false
        try check(SecItemAdd(item as CFDictionary, nil))
    }

    public func secret(named name: String) throws(KeyStoreError) -> [UInt8] {
        var query = secretQuery(name)
        query[kSecReturnData as String] = true
        var found: CFTypeRef?
        try check(SecItemCopyMatching(query as CFDictionary, &found))
        guard let secret = found as? Data else { throw .unreadable }
        return Array(secret)
    }

    public func delete(named name: String) throws(KeyStoreError) {
        try delete(secretNamed: name)
        try checkDeleted(SecItemDelete(keyQuery(name) as CFDictionary))
    }

    private func delete(secretNamed name: String) throws(KeyStoreError) {
        try checkDeleted(SecItemDelete(secretQuery(name) as CFDictionary))
    }

    private func deviceKey(_ name: String) throws(KeyStoreError) -> SecKey {
        switch findKey(keyQuery(name)) {
        case .success(let key): return key
        case .failure(let failure): throw SecurityFailure.keyStoreError(failure.status)
        }
    }

    private func check(_ status: OSStatus) throws(KeyStoreError) {
        guard status == errSecSuccess else { throw SecurityFailure.keyStoreError(status) }
    }

    private func checkDeleted(_ status: OSStatus) throws(KeyStoreError) {
        if status != errSecItemNotFound { try check(status) }
    }
}

/// What both kinds of key need.
extension EnclaveKeyStore {
    struct Failure: Error {
        let status: OSStatus
    }

    func keyQuery(_ name: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: Data("\(service).\(name)".utf8),
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
        ]
    }

    private func secretQuery(_ name: String) -> [String: Any] {
        [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service, kSecAttrAccount as String: name]
    }

    func makeKey(named name: String, _ access: SecAccessControl) -> SecKey? {
        let own: [String: Any] = [
            kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: Data("\(service).\(name)".utf8),
            kSecAttrAccessControl as String: access,
        ]
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs as String: own,
        ]
        return SecKeyCreateRandomKey(attributes as CFDictionary, nil)
    }

    func findKey(_ query: [String: Any]) -> Result<SecKey, Failure> {
        var query = query
        query[kSecReturnRef as String] = true
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        guard status == errSecSuccess else { return .failure(Failure(status: status)) }
        guard let found, CFGetTypeID(found) == SecKeyGetTypeID() else { return .failure(Failure(status: errSecItemNotFound)) }
        return .success(unsafeDowncast(found, to: SecKey.self))
    }

    /// 65 bytes X9.63.
    static func publicKey(of key: SecKey) -> [UInt8]? {
        guard let publicKey = SecKeyCopyPublicKey(key), let bytes = SecKeyCopyExternalRepresentation(publicKey, nil) as Data? else { return nil }
        return Array(bytes)
    }
}
#endif
