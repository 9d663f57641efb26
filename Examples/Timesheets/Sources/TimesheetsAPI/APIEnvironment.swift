import Foundation
import OstiaryResource

/// What is set from outside.
struct APIEnvironment {
    struct Missing: Error { let name: String }

    let port: Int
    let database: String
    let settings: ResourceSettings

    init(_ variables: [String: String]) throws {
        func needed(_ name: String) throws -> String {
            guard let value = variables[name], !value.isEmpty else { throw Missing(name: name) }
            return value
        }
        guard let port = Int(variables["PORT"] ?? "8090") else { throw Missing(name: "PORT") }
        self.port = port
        database = variables["DATABASE"] ?? "timesheets.sqlite"
        var provider = ProviderSettings(issuer: try needed("ISSUER"), audience: try needed("AUDIENCE"))
        if let seconds = variables["RECHECKED_EVERY"] {
            // Then a logout and a revocation are seen here after as many seconds, and not when the token is over.
            guard let seconds = UInt64(seconds) else { throw Missing(name: "RECHECKED_EVERY") }
            let secret = try String(contentsOfFile: try needed("CLIENT_SECRET_FILE"), encoding: .utf8)
            provider.introspection = IntrospectionSettings(
                clientID: variables["CLIENT_ID"] ?? "timesheets-api", clientSecret: secret.trimmingCharacters(in: .whitespacesAndNewlines))
            provider.jwt?.recheckedEvery = seconds
        }
        var settings = ResourceSettings(base: variables["BASE"] ?? "http://127.0.0.1:\(port)", provider: provider)
        settings.realm = "timesheets"
        self.settings = settings
    }
}
