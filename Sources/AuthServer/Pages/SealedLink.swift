import Crypto
import Foundation
import OstiaryProtocol

/// The link of a page's enrolment, sealed under the page's cookie.
///
/// The link holds a secret that the server otherwise keeps as a hash only. A page that is loaded again has to show it again; so it lies in the
/// database in a form that only the browser's cookie, of which the server keeps a hash too, can open.
package struct SealedLink: Sendable, Equatable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ link: [UInt8], under cookie: PageSecret) throws {
        guard let sealed = try AES.GCM.seal(link, using: Self.key(cookie)).combined else { throw CryptoKitError.incorrectParameterSize }
        bytes = Array(sealed)
    }

    /// The link; nil when another cookie sealed it.
    func opened(by cookie: PageSecret) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: bytes), let link = try? AES.GCM.open(box, using: Self.key(cookie)) else { return nil }
        return Array(link)
    }

    private static func key(_ cookie: PageSecret) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(cookie.text.utf8)), info: Array("ostiary page link".utf8), outputByteCount: 32)
    }
}
