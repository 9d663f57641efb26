import Authentication
import Database
import HTTPTypes
import Hummingbird
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Synchronization

/// Metadata and keys of each virtual server as bytes, made once for each change: they are asked for by every API and every client, again and again.
package final class ProviderDocuments: Sendable {
    /// Seconds for which metadata is not read again: where there are other nodes, 0.
    private let freshness: UInt64

    private struct Metadata {
        var known: [ServerID: (document: PreparedDocument, readAt: Instant)] = [:]
        /// Counts what was said here: what was read before that is not kept after it.
        var turn = 0
    }

    private struct Keys {
        let content: JWKSet
        let document: PreparedDocument
    }

    /// Both only of servers that have a provider.
    private let metadata = Mutex(Metadata())
    private let keys = Mutex<[ServerID: Keys]>([:])

    /// - Parameter database: in which another node may have said something; nil where there is none.
    package init(over database: (any Database)? = nil) {
        freshness = database.map(SQLTokenKeyring.freshness(over:)) ?? SQLTokenKeyring.freshness
    }

    /// What was read a moment ago, or what `reading` answers. By the distance, as of keys: a clock that was put back would else read nothing until it is
    /// where it was.
    func metadata(of server: ServerID, at now: Instant, reading: () async throws -> ProviderMetadata) async throws -> PreparedDocument {
        let (known, turn) = metadata.withLock { ($0.known[server], $0.turn) }
        if let known, now.distance(to: known.readAt) < freshness { return known.document }
        let document = PreparedDocument(try await reading().json, life: 3_600)
        metadata.withLock { if $0.turn == turn { $0.known[server] = (document, now) } }
        return document
    }

    /// Told what the audit trail has got, after the commit: whether clients may register is asked anew when an operator said so.
    package func note(_ entries: [AuditEntry]) {
        guard entries.contains(where: { $0.kind == .registrationSaved }) else { return }
        metadata.withLock { metadata in
            metadata.known = [:]
            metadata.turn += 1
        }
    }

    /// The same bytes as long as the same is published: a key that an operator withdrew is gone at once.
    func keys(_ content: JWKSet, of server: ServerID) -> PreparedDocument {
        keys.withLock { known in
            if let entry = known[server], entry.content == content { return entry.document }
            let document = PreparedDocument(content.json, life: 300)
            known[server] = Keys(content: content, document: document)
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
