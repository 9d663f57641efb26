import Foundation

/// What is set from outside: the port, who may ask, and where tokens come from.
struct ServiceEnvironment {
    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is not set, or is none: README.md says what it is" }
    }

    let port: Int
    let secrets: CallerSecrets
    let tokens: any TokenSource

    init(_ variables: [String: String]) throws {
        guard let port = UInt16(variables["PORT"] ?? "8091"), port > 0 else { throw Missing(name: "PORT") }
        self.port = Int(port)
        secrets = CallerSecrets([try Self.needed("SECRET", of: variables)] + [variables["FORMER_SECRET"]].compactMap { $0 }.filter { !$0.isEmpty })
        guard let endpoint = variables["TOKEN_ENDPOINT"] else {
            tokens = OwnTokens()
            return
        }
        tokens = ProviderTokens(
            endpoint: endpoint, clientID: try Self.needed("CLIENT_ID", of: variables), clientSecret: try Self.needed("CLIENT_SECRET", of: variables),
            scope: variables["SCOPE"], audience: variables["AUDIENCE"])
    }

    /// An empty one is none: what starts programs writes those, and an empty secret would be anybody's.
    private static func needed(_ name: String, of variables: [String: String]) throws -> String {
        guard let value = variables[name], !value.isEmpty else { throw Missing(name: name) }
        return value
    }
}
