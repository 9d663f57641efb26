import Foundation
import OstiaryProtocol

/// Where everything of one demonstration lies and listens.
struct DemoLayout: Sendable {
    let data: URL
    /// Of both listeners of the authentication server, of the second-factor server and of the website; ours until the layout goes.
    private let ports: (public: ReservedPort, admin: ReservedPort, secondFactor: ReservedPort, site: ReservedPort)
    /// The key of the management interface, made for this demonstration.
    let rootAPIKey: String

    init(data: URL) throws {
        self.data = data
        ports = (try ReservedPort(), try ReservedPort(), try ReservedPort(), try ReservedPort())
        var random = SystemRandomNumberGenerator()
        rootAPIKey = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        for folder in [data, authenticationData, secondFactorData, phoneHome] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    var publicPort: Int { ports.public.number }
    var adminPort: Int { ports.admin.number }
    var secondFactorPort: Int { ports.secondFactor.number }
    var sitePort: Int { ports.site.number }

    var publicURL: String { "http://localhost:\(publicPort)" }
    var adminURL: String { "http://127.0.0.1:\(adminPort)" }
    var secondFactorURL: String { "http://127.0.0.1:\(secondFactorPort)" }
    var siteURL: String { "http://localhost:\(sitePort)" }

    var authenticationData: URL { data.appendingPathComponent("serve", isDirectory: true) }
    var secondFactorData: URL { data.appendingPathComponent("second-factor", isDirectory: true) }
    var phoneHome: URL { data.appendingPathComponent("phone", isDirectory: true) }
    func log(_ name: String) -> URL { data.appendingPathComponent("\(name).log") }

    func authenticationEnvironment(secondFactorIdentity: String) -> [String: String] {
        [
            "OSTIARY_PUBLIC_URL": publicURL,
            "OSTIARY_LISTEN": "127.0.0.1:\(publicPort)",
            "OSTIARY_ADMIN_LISTEN": "127.0.0.1:\(adminPort)",
            "OSTIARY_ROOT_API_KEY": rootAPIKey,
            "OSTIARY_SECOND_FACTOR_URL": secondFactorURL,
            "OSTIARY_SECOND_FACTOR_IDENTITY": secondFactorIdentity,
            "OSTIARY_SERVER_NAME": "Hallway",
        ]
    }

    func secondFactorEnvironment(trusting identity: String) -> [String: String] {
        [
            "OSTIARY_SF_LISTEN": "127.0.0.1:\(secondFactorPort)",
            "OSTIARY_SF_TRUSTED_SERVERS": identity,
        ]
    }
}
