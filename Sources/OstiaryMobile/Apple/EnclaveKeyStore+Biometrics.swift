#if canImport(Security) && canImport(LocalAuthentication)
import Foundation
import LocalAuthentication
import Security

/// Biometric keys: in the Secure Enclave, bound to the features that are enrolled when the key is made.
extension EnclaveKeyStore {
    public func makeBiometricKey(named name: String) throws(BiometricError) -> [UInt8] {
        let flags: SecAccessControlCreateFlags = [.privateKeyUsage, .biometryCurrentSet]
        guard let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags, nil),
            let key = makeKey(named: name, access), let publicKey = Self.publicKey(of: key)
        else { throw .unavailable }
        return publicKey
    }

    public func sign(_ message: [UInt8], withBiometricKeyNamed name: String, asking info: BiometricInfo) async throws(BiometricError) -> [UInt8] {
        try await info.context.use { [self] context throws(BiometricError) in try sign(message, name, context) }
    }

    /// Comes back when the system's prompt is closed.
    private func sign(_ message: [UInt8], _ name: String, _ context: LAContext) throws(BiometricError) -> [UInt8] {
        var query = keyQuery(name)
        query[kSecUseAuthenticationContext as String] = context
        let key: SecKey
        switch findKey(query) {
        case .success(let found): key = found
        case .failure(let failure): throw SecurityFailure.biometricError(failure.status)
        }
        var error: Unmanaged<CFError>?
        let made = SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data(message) as CFData, &error) as Data?
        guard let made, let raw = SignatureEncoding.raw(fromDER: Array(made)) else {
            guard let cause = error?.takeRetainedValue() else { throw .unavailable }
            throw SecurityFailure.biometricError(domain: CFErrorGetDomain(cause) as String, code: CFErrorGetCode(cause))
        }
        return raw
    }
}
#endif
