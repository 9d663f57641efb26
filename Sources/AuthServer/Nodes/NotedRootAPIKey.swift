import Database
import HTTPService

/// Which API key the nodes of a database are started with, as the last start has noted it: so one that has none is not given one of its own, which no
/// backend knows, and one that has another than the node before it can be told.
///
/// What is noted is the SHA-256 of four bytes that follow from the API key and the key-encryption key: whoever reads the database can try no guesses at
/// either by it.
package struct NotedRootAPIKey: Sendable {
    private let applied: AppliedSettings

    package init(in database: any Database) { applied = AppliedSettings(database: database) }

    /// Whether a start of this version or later has noted a key, whichever that is: not where the first one was cut off before it came to its key, or only an
    /// identity was printed. A key that was drawn is noted before anybody is answered, so no backend need have it yet.
    /// - Throws: `SQLError`.
    package func isNoted() async throws -> Bool { try await applied.has(.rootAPIKey) }

    /// Notes the key of a start that has come to its end.
    /// - Parameter key: what all nodes of the database have.
    /// - Returns: whether the last start, of this node or of another, had another one.
    /// - Throws: `SQLError`.
    package func note(_ apiKey: SecretText, under key: KeyEncryptionKey) async throws -> Bool {
        try await applied.keep(Self.noted(apiKey, under: key), of: .rootAPIKey)
    }

    /// Notes a key that was drawn by a start, unless there is one that is noted: of nodes that draw one each in the same moment the database decides.
    /// - Parameter key: what all nodes of the database have.
    /// - Returns: whether it is the noted one now. Also of a start that was killed behind this, when it comes again with the same.
    /// - Throws: `SQLError`.
    package func claim(_ apiKey: SecretText, under key: KeyEncryptionKey) async throws -> Bool {
        try await applied.claim(Self.noted(apiKey, under: key), of: .rootAPIKey)
    }

    private static func noted(_ apiKey: SecretText, under key: KeyEncryptionKey) -> [UInt8] {
        key.derived(for: "root-api-key", writer: apiKey.hash).id
    }
}
