import Foundation
import OstiaryMobile

/// What an app has built in; here it comes from outside, because the provider is on this machine.
struct AppSettings {
    /// What the app can be let do. Of it everybody is given what a role of theirs permits.
    static let scope = "create:timesheets read:timesheets approve:timesheets openid profile email"

    let tokens: TokenSettings
    let api: URL

    init(_ variables: [String: String]) throws {
        func needed(_ name: String) throws -> String {
            guard let value = variables[name], !value.isEmpty else { throw WrongSetting(name: name, why: "is not set") }
            return value
        }
        guard let api = URL(string: try needed("API")), Self.isCalled(api) else {
            throw WrongSetting(name: "API", why: "is no address that is called: https, or http to this machine")
        }
        self.api = api
        var tokens = TokenSettings(
            issuer: try needed("ISSUER"), clientID: variables["CLIENT_ID"] ?? "timesheets-mobile", audience: try needed("AUDIENCE"),
            // Without it the login is over with the one on the phone: for a computer that others use, too.
            scope: variables["LASTING"] == "no" ? Self.scope : Self.scope + " offline_access",
            redirectURL: URL(string: "http://127.0.0.1/cb"))
        // With a port: where a browser may go after a logout is registered to the byte.
        tokens.postLogoutRedirectURL = URL(string: variables["LOGOUT_URL"] ?? "http://127.0.0.1:8912/bye")
        // Tokens of this API live for half a minute, so that a renewal can be watched.
        tokens.renewsBefore = .seconds(5)
        tokens.patience = .seconds(10)
        self.tokens = tokens
    }

    /// What people write is told to nobody on the way.
    private static func isCalled(_ address: URL) -> Bool {
        guard let host = address.host(), !host.isEmpty else { return false }
        return address.scheme == "https" || address.scheme == "http" && ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
    }
}

/// Which setting it is, and what is the matter with it.
struct WrongSetting: Error, CustomStringConvertible {
    let name: String
    let why: String

    var description: String { "\(name) \(why) (README.md has all settings)" }
}
