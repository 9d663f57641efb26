import HTTPTypes
import Hummingbird
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Synchronization

/// Metadata and keys of each virtual server as bytes, made once for each change: they are asked for by every API and every client, again and again.
final class ProviderDocuments: Sendable {
    private struct Entry<Content: Equatable & Sendable> {
        let content: Content
        let document: PreparedDocument
    }

    /// Only servers that have a provider.
    private let metadata = Mutex<[ServerID: Entry<ProviderMetadata>]>([:])
    private let keys = Mutex<[ServerID: Entry<JWKSet>]>([:])

    /// The same bytes as long as the same is published: a key that an operator withdrew is gone at once.
    func metadata(_ content: ProviderMetadata, of server: ServerID) -> PreparedDocument {
        Self.prepared(content, of: server, in: metadata) { PreparedDocument($0.json, life: 3_600) }
    }

    func keys(_ content: JWKSet, of server: ServerID) -> PreparedDocument {
        Self.prepared(content, of: server, in: keys) { PreparedDocument($0.json, life: 300) }
    }

    private static func prepared<Content: Equatable & Sendable>(
        _ content: Content, of server: ServerID, in known: borrowing Mutex<[ServerID: Entry<Content>]>, _ make: (Content) -> PreparedDocument
    ) -> PreparedDocument {
        known.withLock { entries in
            if let entry = entries[server], entry.content == content { return entry.document }
            let document = make(content)
            entries[server] = Entry(content: content, document: document)
            return document
        }
    }
}

/// A JSON text that is the same for everybody and may be kept for a while.
struct PreparedDocument: Sendable {
    private let body: ByteBuffer
    private let tag: String
    /// Of the word that a copy is still right; of the text there is its type, too.
    private let known: HTTPFields
    private let whole: HTTPFields

    /// - Parameter life: seconds for which a copy is good. The next key is published a day before it signs; one that was withdrawn in an emergency is
    ///   believed for as long as copies are.
    init(_ object: JSONObject, life: Int) {
        let bytes = object.encoded
        body = ByteBuffer(bytes: bytes)
        tag = "\"\(Base64URL.encode(Array(SHA(bytes).prefix(12))))\""
        known = [.cacheControl: "public, max-age=\(life)", .eTag: tag]
        whole = known + [HTTPField(name: .contentType, value: "application/json")]
    }

    /// The text, or the word that the copy of whoever asks is still right (RFC 9110 §13.1.2).
    func response(to request: Request) -> Response {
        guard !isKnown(by: request.headers[values: .ifNoneMatch]) else { return Response(status: .notModified, headers: known) }
        return Response(status: .ok, headers: whole, body: ResponseBody(byteBuffer: body))
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
