import Crypto
import HTTPService
import HTTPTypes
import Hummingbird
import NIOCore

/// Opens what the page sends: all of it comes sealed, since another program may hold the port by the time that it arrives, and the page learns that from
/// the answer alone.
///
/// A body is AES-256-GCM (NIST SP 800-38D) under a key that HKDF-SHA-256 makes of the part of the page's address that is sent to nobody: 12 bytes, which
/// are eight that each loaded page draws and the number of the call, the sealed bytes, and the tag of 16. The path of the call, with its query, is the
/// associated data, so that none counts for another; and each counts once (`SealedCounts`).
struct PageSeal<Context: RequestContext>: RouterMiddleware {
    private let key: PageSealKey
    private let counts = SealedCounts()

    /// - Parameter secret: the part of the page's address that is sent to nobody.
    init(secret: String) { key = PageSealKey(secret: secret) }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        guard request.method != .get, request.method != .head else { return try await next(request, context) }
        let sealed = try await request.bytes(limit: PhonePage.limits.body)
        guard let body = key.open(sealed, for: request.uri.string) else { throw PhonePageRefusal.notSealed }
        guard await counts.take(body.count, of: body.sender) else { throw PhonePageRefusal.notSealed }
        var request = request
        request.body = RequestBody(buffer: ByteBuffer(bytes: body.bytes))
        return try await next(request, context)
    }
}

/// The key that the page and its program share.
struct PageSealKey: Sendable {
    /// A body as it was sealed.
    struct Opened: Equatable, Sendable {
        let bytes: [UInt8]
        /// What a page drew when it was loaded.
        let sender: UInt64
        /// The number of the call among that page's, from 0.
        let count: UInt32
    }

    /// Bytes of a sealed body beside what is in it: nonce and tag.
    static let overhead = 12 + 16
    private static let label = "ostiary phone page call"

    private let key: SymmetricKey

    init(secret: String) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(secret.utf8)), info: Array(Self.label.utf8), outputByteCount: 32)
    }

    /// Nil for what was not sealed under this key for this path.
    func open(_ sealed: [UInt8], for path: String) -> Opened? {
        guard sealed.count >= Self.overhead, let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: Array(path.utf8))
        else { return nil }
        return Opened(bytes: Array(bytes), sender: Self.number(sealed[..<8]), count: UInt32(Self.number(sealed[8..<12])))
    }

    /// As the page does it.
    func seal(_ bytes: [UInt8], for path: String, sender: UInt64, count: UInt32) throws -> [UInt8] {
        let nonce =
            (0..<8).map { UInt8(truncatingIfNeeded: sender >> (56 - 8 * $0)) } + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        let box = try AES.GCM.seal(bytes, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: Array(path.utf8))
        return nonce + Array(box.ciphertext) + Array(box.tag)
    }

    /// Big endian.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
