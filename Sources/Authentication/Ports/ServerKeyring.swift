import OstiaryProtocol

/// Where the keys of the virtual servers are.
package protocol ServerKeyring: Sendable {
    /// - Throws: `UnknownServer`, and what storage throws.
    func keys(of server: ServerID) async throws -> ServerKeys
}
