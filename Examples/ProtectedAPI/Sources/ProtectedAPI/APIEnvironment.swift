import Foundation
import OstiaryResource

/// What is set from outside: the port, and whose tokens are taken.
struct APIEnvironment {
    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is not set, or is none: README.md says what it is" }
    }

    let port: Int
    let settings: ResourceSettings

    init(_ variables: [String: String]) throws {
        guard let port = UInt16(variables["PORT"] ?? "8095"), port > 0 else { throw Missing(name: "PORT") }
        self.port = Int(port)
        var provider = ProviderSettings(issuer: try Self.needed("ISSUER", of: variables), audience: try Self.needed("AUDIENCE", of: variables))
        provider.introspection = try Self.introspection(variables)
        if let seconds = variables["REMEMBERED_FOR"].flatMap(UInt64.init) { provider.introspection?.rememberedFor = seconds }
        var settings = ResourceSettings(base: variables["BASE"] ?? "http://127.0.0.1:\(port)", provider: provider)
        settings.realm = "timesheets"
        settings.proofs.needNonce = variables["NEED_NONCE"] == "true"
        self.settings = settings
    }

    private static func needed(_ name: String, of variables: [String: String]) throws -> String {
        guard let value = variables[name], !value.isEmpty else { throw Missing(name: name) }
        return value
    }

    /// How this API shows who it is when it asks about opaque tokens; nil where it has nothing to show, and asks nobody.
    private static func introspection(_ variables: [String: String]) throws -> IntrospectionSettings? {
        guard let id = variables["CLIENT_ID"] else { return nil }
        if let file = variables["CLIENT_KEY_FILE"] {
            return IntrospectionSettings(clientID: id, key: try ClientKey(pem: try String(contentsOfFile: file, encoding: .utf8)))
        }
        return try IntrospectionSettings(clientID: id, clientSecret: needed("CLIENT_SECRET", of: variables))
    }
}
