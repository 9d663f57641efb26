import HTTPService
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Synchronization

/// Where the provider of each virtual server is: the first one's issuer is the origin itself, any other's stands in a folder of its own, and the
/// endpoints of each have the same names below its issuer.
package struct ProviderAddresses: Sendable {
    /// Before the id of a virtual server that is not the first.
    static let folder = "/oidc"

    private let origin: String
    private let first: ServerID
    private let targets = KnownTargets()

    /// - Parameter first: the virtual server that was made on the first start.
    package init(publicURL: PublicURL, first: ServerID) {
        origin = publicURL.description
        self.first = first
    }

    /// `iss`, without a slash at its end.
    package func issuer(of server: ServerID) -> String { server == first ? origin : "\(origin)\(Self.folder)/\(server.text)" }

    package func address(_ path: ProviderPath, of server: ServerID) -> String { path.address(at: issuer(of: server)) }

    /// The virtual server that an address names; nil for what no issuer has: an issuer has one spelling, and the first server's has no name.
    /// - Parameter name: what stands behind the folder; nil where the address has no folder.
    func server(named name: String?) -> ServerID? {
        guard let name else { return first }
        guard let server = ServerID(text: name), server.text == name, server != first else { return nil }
        return server
    }

    /// Where a proof of possession has to be for.
    /// - Parameter server: one that is a provider: of others nothing is remembered here.
    /// - Throws: ``ErrorResponse/notFound``, of an origin that no proof can name.
    func target(_ path: ProviderPath, of server: ServerID) throws -> HTTPTarget {
        if let known = targets[server, path] { return known }
        guard let target = HTTPTarget(address(path, of: server)) else { throw ErrorResponse.notFound }
        targets[server, path] = target
        return target
    }
}

/// The addresses of endpoints in the spelling in which they are compared: every call asks for its own, and they change with the settings only.
private final class KnownTargets: Sendable {
    private let targets = Mutex<[ServerID: [ProviderPath: HTTPTarget]]>([:])

    subscript(server: ServerID, path: ProviderPath) -> HTTPTarget? {
        get { targets.withLock { $0[server]?[path] } }
        set { targets.withLock { $0[server, default: [:]][path] = newValue } }
    }
}
