import Authentication
import OstiaryProtocol

/// The visual hash of each virtual server, worked out once: it costs about 70 ms and 32 MiB on purpose.
package actor VisualHashes {
    private nonisolated let keyring: any ServerKeyring
    private var known: [ServerID: VisualHash] = [:]

    package init(keyring: any ServerKeyring) { self.keyring = keyring }

    /// The identity that an enrolment's link pins.
    /// - Throws: `UnknownServer`.
    nonisolated func root(of server: ServerID) async throws -> Root { try await keyring.keys(of: server).root }

    /// - Throws: `UnknownServer`.
    package func hash(of server: ServerID) async throws -> VisualHash {
        if let hash = known[server] { return hash }
        let root = try await keyring.keys(of: server).root
        let hash = try VisualHash(rootHash: root.hash)
        known[server] = hash
        return hash
    }
}
