import HTTPTypes
import Hummingbird
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Synchronization

/// Metadata and keys of each virtual server as bytes, made once for each change: they are asked for by every API and every client, again and again.
final class ProviderDocuments: Sendable {
    struct Prepared: Sendable {
        let metadata: PreparedDocument
        let keys: PreparedDocument
    }

    private struct Entry {
        let published: DiscoveryService.Published
        let prepared: Prepared
    }

    /// Only servers that have a provider.
    private let entries = Mutex<[ServerID: Entry]>([:])

    /// The same bytes as long as the same is published: a key that an operator withdrew is gone at once.
    func prepared(_ published: DiscoveryService.Published, of server: ServerID) -> Prepared {
        entries.withLock { entries in
            if let entry = entries[server], entry.published == published { return entry.prepared }
            let prepared = Prepared(
                metadata: PreparedDocument(published.metadata.json, life: 3_600), keys: PreparedDocument(published.keys.json, life: 300))
            entries[server] = Entry(published: published, prepared: prepared)
            return prepared
        }
    }
}

/// A JSON text that is the same for everybody and may be kept for a while.
struct PreparedDocument: Sendable {
    private let body: ByteBuffer
    private let tag: String
    private let caching: String

    /// - Parameter life: seconds for which a copy is good. The next key is published a day before it signs; one that was withdrawn in an emergency is
    ///   believed for as long as copies are.
    init(_ object: JSONObject, life: Int) {
        let bytes = object.encoded
        body = ByteBuffer(bytes: bytes)
        tag = "\"\(Base64URL.encode(Array(SHA(bytes).prefix(12))))\""
        caching = "public, max-age=\(life)"
    }

    /// The text, or the word that the copy of whoever asks is still right (RFC 9110 §13.1.2).
    func response(to request: Request) -> Response {
        var headers: HTTPFields = [.cacheControl: caching, .eTag: tag]
        guard !isKnown(by: request.headers[values: .ifNoneMatch]) else { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = "application/json"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// Whether a list of tags has ours, as a strong or a weak one.
    private func isKnown(by fields: [String]) -> Bool {
        fields.contains { field in
            field.split(separator: ",").contains { entry in
                let text = entry.drop { $0 == " " }.prefix { $0 != " " }
                return text == "*" || (text.hasPrefix("W/") ? text.dropFirst(2) : text) == tag
            }
        }
    }
}
