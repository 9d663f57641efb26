import Authentication
import OstiaryProtocol
import Synchronization

/// Signs what a server says of itself (protocol §3), once a second at most: whoever asks for it, also with a made-up prekey, has it for nothing.
final class BundleMaker: Sendable {
    private struct Made: Sendable {
        let bundle: Encoded<Bundle>
        let at: Instant
    }

    private let vault: ServerVault
    private let servers: ServerService
    private let gateway: any SecondFactorGateway
    private let publicURL: String
    private let clock: @Sendable () -> Instant
    private let made = Mutex<[ServerID: Made]>([:])

    init(
        vault: ServerVault, servers: ServerService, gateway: any SecondFactorGateway, publicURL: String, clock: @Sendable @escaping () -> Instant
    ) {
        self.vault = vault
        self.servers = servers
        self.gateway = gateway
        self.publicURL = publicURL
        self.clock = clock
    }

    /// - Throws: `UnknownServer`, `SecondFactorUnreachable` as long as the second-factor server was never seen.
    func bundle(of server: ServerID) async throws -> Encoded<Bundle> {
        let now = clock()
        if let made = made.withLock({ $0[server] }), made.at == now { return made.bundle }
        let keys = try await vault.keys(of: server)
        let name = try await servers.virtualServer(server).parameters.name
        let bundle = Bundle(
            chain: keys.chain.value, name: name, url: publicURL, sequence: now, prekeys: try await vault.publishedPrekeys(of: server),
            secondFactor: try await gateway.publishedIdentity())
        let signed = Encoded(bundle, signedBy: keys.operatorKey)
        made.withLock { $0[server] = Made(bundle: signed, at: now) }
        return signed
    }
}
