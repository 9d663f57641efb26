import Authentication
import OstiaryProtocol

/// Signs what a server says of itself (protocol §3).
struct BundleMaker: Sendable {
    let vault: ServerVault
    let servers: ServerService
    let gateway: any SecondFactorGateway
    let publicURL: String
    let clock: @Sendable () -> Instant

    /// - Throws: `UnknownServer`, `SecondFactorUnreachable` as long as the second-factor server was never seen.
    func bundle(of server: ServerID) async throws -> Encoded<Bundle> {
        let keys = try await vault.keys(of: server)
        let name = try await servers.virtualServer(server).parameters.name
        let bundle = Bundle(
            chain: keys.chain.value, name: name, url: publicURL, sequence: clock(), prekeys: try await vault.publishedPrekeys(of: server),
            secondFactor: try await gateway.identity().identity)
        return Encoded(bundle, signedBy: keys.operatorKey)
    }
}
