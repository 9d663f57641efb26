// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The names of Apple's Security and CoreFoundation that the SDK uses, with nothing behind them: enough to type-check the guarded files on a
// computer that has neither. Never linked, never run. Where Apple bridges, an alias stands for both sides.
import Foundation

public typealias OSStatus = Int32
public typealias CFString = String
public typealias CFData = Data
public typealias CFDictionary = [String: Any]
public typealias CFTypeRef = AnyObject
public typealias CFAllocator = AnyObject
public typealias CFTypeID = UInt
public typealias CFIndex = Int

public final class CFError: Error {}
public final class SecKey {}
public final class SecAccessControl {}

public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 8)
    public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
}

public struct SecKeyAlgorithm: Sendable {
    public static let ecdsaSignatureMessageX962SHA256 = SecKeyAlgorithm()
}

public func CFGetTypeID(_ object: CFTypeRef) -> CFTypeID { 0 }
public func CFErrorGetDomain(_ error: CFError) -> CFString { "" }
public func CFErrorGetCode(_ error: CFError) -> CFIndex { 0 }
public func SecKeyGetTypeID() -> CFTypeID { 0 }
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? { nil }
public func SecKeyCreateRandomKey(_ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> SecKey? { nil }
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { nil }
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData? { nil }
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { nil }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }

public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25_300
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFConstant = CFConstant()
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFConstant = CFConstant()
public let kSecAttrAccessControl: CFString = ""
public let kSecAttrAccessible: CFString = ""
public let kSecAttrAccount: CFString = ""
public let kSecAttrApplicationTag: CFString = ""
public let kSecAttrIsPermanent: CFString = ""
public let kSecAttrKeySizeInBits: CFString = ""
public let kSecAttrKeyType: CFString = ""
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = ""
public let kSecAttrService: CFString = ""
public let kSecAttrSynchronizable: CFString = ""
public let kSecAttrTokenID: CFString = ""
public let kSecAttrTokenIDSecureEnclave: CFString = ""
public let kSecClass: CFString = ""
public let kSecClassGenericPassword: CFString = ""
public let kSecClassKey: CFString = ""
public let kSecPrivateKeyAttrs: CFString = ""
public let kSecReturnData: CFString = ""
public let kSecReturnRef: CFString = ""
public let kSecUseAuthenticationContext: CFString = ""
public let kSecValueData: CFString = ""

/// A constant that Apple's headers have as a string object.
public final class CFConstant: Sendable {}
