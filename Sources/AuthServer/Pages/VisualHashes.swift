import Authentication
import OstiaryProtocol

/// The visual hash of each virtual server, worked out once: it costs about 70 ms and 32 MiB on purpose.
package actor VisualHashes {
    private nonisolated let keyring: any ServerKeyring
    /// One that is being worked out among them: whoever asks meanwhile waits for it.
    private var known: [ServerID: Task<VisualHash, any Error>] = [:]

    package init(keyring: any ServerKeyring) { self.keyring = keyring }

    /// The identity that an enrolment's link pins.
    /// - Throws: `UnknownServer`.
    nonisolated func root(of server: ServerID) async throws -> Root { try await keyring.keys(of: server).root }

    /// - Throws: `UnknownServer`.
    package func hash(of server: ServerID) async throws -> VisualHash {
        if let hash = known[server] { return try await hash.value }
        let root = try await keyring.keys(of: server).root
        if let hash = known[server] { return try await hash.value }
        // Not on the thread of whoever asks first, which has other connections.
        let hash = Task.detached { try VisualHash(rootHash: root.hash) }
        known[server] = hash
        do { return try await hash.value } catch {
            known[server] = nil
            throw error
        }
    }
}
