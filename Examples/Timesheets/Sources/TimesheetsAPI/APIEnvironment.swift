import Foundation
import OstiaryResource

/// What is set from outside.
struct APIEnvironment {
    let port: Int
    let database: String
    let settings: ResourceSettings

    init(_ variables: [String: String]) throws {
        func needed(_ name: String) throws -> String {
            guard let value = variables[name], !value.isEmpty else { throw WrongSetting(name: name, why: "is not set") }
            return value
        }
        guard let port = Int(variables["PORT"] ?? "8090") else { throw WrongSetting(name: "PORT", why: "is no number") }
        self.port = port
        database = variables["DATABASE"] ?? "timesheets.sqlite"
        var provider = ProviderSettings(issuer: try needed("ISSUER"), audience: try needed("AUDIENCE"))
        if let seconds = variables["RECHECKED_EVERY"] {
            // Then a logout and a revocation are seen here after as many seconds, and not when the token is over.
            guard let seconds = UInt64(seconds) else { throw WrongSetting(name: "RECHECKED_EVERY", why: "is no number of seconds") }
            let file = try needed("CLIENT_SECRET_FILE")
            guard let secret = try? String(contentsOfFile: file, encoding: .utf8) else {
                throw WrongSetting(name: "CLIENT_SECRET_FILE", why: "names a file that cannot be read: \(file)")
            }
            provider.introspection = IntrospectionSettings(
                clientID: variables["CLIENT_ID"] ?? "timesheets-api", clientSecret: secret.trimmingCharacters(in: .whitespacesAndNewlines))
            provider.jwt?.recheckedEvery = seconds
        }
        var settings = ResourceSettings(base: variables["BASE"] ?? "http://127.0.0.1:\(port)", provider: provider)
        settings.realm = "timesheets"
        self.settings = settings
    }
}

/// Which setting it is, and what is the matter with it.
struct WrongSetting: Error, CustomStringConvertible {
    let name: String
    let why: String

    var description: String { "\(name) \(why) (README.md has all settings)" }
}
