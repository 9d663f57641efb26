import Foundation
import OstiaryProtocol

/// Where everything of one demonstration lies and listens.
struct DemoLayout: Sendable {
    let data: URL
    /// Of both listeners of the authentication server, of the second-factor server and of the website; ours until the layout goes.
    private let ports: (public: ReservedPort, admin: ReservedPort, secondFactor: ReservedPort, site: ReservedPort)
    /// Where both servers listen when relays stand before them, and the demonstration's own page; nil where there is none.
    private let witnessed: (public: ReservedPort, secondFactor: ReservedPort, page: ReservedPort)?
    /// The key of the management interface, made for this demonstration.
    let rootAPIKey: String

    /// - Parameter isWitnessed: whether a relay stands before each server, under its address, and a page shows what passes.
    init(data: URL, isWitnessed: Bool = false) throws {
        self.data = data
        witnessed = isWitnessed ? (try ReservedPort(), try ReservedPort(), try ReservedPort()) : nil
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
    /// Of the demonstration's own page; nil where there is none.
    var pagePort: Int? { witnessed?.page.number }
    /// Where the servers themselves listen: behind the relays, if there are any.
    var publicListenPort: Int { witnessed?.public.number ?? publicPort }
    var secondFactorListenPort: Int { witnessed?.secondFactor.number ?? secondFactorPort }

    // By the number that is listened at, each of them: browsers look for localhost at ::1 too, where another user of this machine may listen.
    var publicURL: String { "http://127.0.0.1:\(publicPort)" }
    var adminURL: String { "http://127.0.0.1:\(adminPort)" }
    var secondFactorURL: String { "http://127.0.0.1:\(secondFactorPort)" }
    var siteURL: String { "http://127.0.0.1:\(sitePort)" }
    /// One site with the website and the login pages, so that a browser sends their cookies also within frames of it.
    var pageURL: String? { pagePort.map { "http://127.0.0.1:\($0)" } }

    var authenticationData: URL { data.appendingPathComponent("serve", isDirectory: true) }
    var secondFactorData: URL { data.appendingPathComponent("second-factor", isDirectory: true) }
    /// Where phones and loot of attacks lie.
    var thievesFolder: URL { data.appendingPathComponent("thieves", isDirectory: true) }
    var phoneHome: URL { data.appendingPathComponent("phone", isDirectory: true) }
    /// The bytes in the code that the website shows now.
    var shownCode: URL { data.appendingPathComponent("shown.code") }
    func log(_ name: String) -> URL { data.appendingPathComponent("\(name).log") }

    func authenticationEnvironment(secondFactorIdentity: String) -> [String: String] {
        [
            "OSTIARY_PUBLIC_URL": publicURL,
            "OSTIARY_LISTEN": "127.0.0.1:\(publicListenPort)",
            "OSTIARY_ADMIN_LISTEN": "127.0.0.1:\(adminPort)",
            "OSTIARY_ROOT_API_KEY": rootAPIKey,
            "OSTIARY_SECOND_FACTOR_URL": secondFactorURL,
            "OSTIARY_SECOND_FACTOR_IDENTITY": secondFactorIdentity,
            "OSTIARY_SERVER_NAME": "Hallway",
        ]
    }

    func secondFactorEnvironment(trusting identity: String) -> [String: String] {
        [
            "OSTIARY_SF_LISTEN": "127.0.0.1:\(secondFactorListenPort)",
            "OSTIARY_SF_TRUSTED_SERVERS": identity,
        ]
    }
}
