import Foundation
import OstiaryResource

/// What is set from outside: the port, and whose tokens are taken.
struct APIEnvironment {
    struct Missing: Error { let name: String }

    let port: Int
    let settings: ResourceSettings

    init(_ variables: [String: String]) throws {
        func needed(_ name: String) throws -> String {
            guard let value = variables[name] else { throw Missing(name: name) }
            return value
        }
        port = Int(try needed("PORT")) ?? 8090
        var provider = ProviderSettings(issuer: try needed("ISSUER"), audience: try needed("AUDIENCE"))
        provider.introspection = try Self.introspection(variables)
        if let seconds = variables["REMEMBERED_FOR"].flatMap(UInt64.init) { provider.introspection?.rememberedFor = seconds }
        var settings = ResourceSettings(base: variables["BASE"] ?? "http://127.0.0.1:\(port)", provider: provider)
        settings.realm = "timesheets"
        settings.proofs.needNonce = variables["NEED_NONCE"] == "true"
        self.settings = settings
    }

    /// How this API shows who it is when it asks about opaque tokens; nil where it has nothing to show, and asks nobody.
    private static func introspection(_ variables: [String: String]) throws -> IntrospectionSettings? {
        guard let id = variables["CLIENT_ID"], let secret = variables["CLIENT_SECRET"] else { return nil }
        return IntrospectionSettings(clientID: id, clientSecret: secret)
    }
}
