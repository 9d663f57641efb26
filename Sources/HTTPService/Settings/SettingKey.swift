/// One setting. Each server declares its own, beside what it parses them into; one YAML file and one environment may serve both.
///
/// A YAML file is flat:
///
///     public_url: https://login.example.org
///     listen: 127.0.0.1:8080
///     sf_trusted_servers: [m3Yw…]
package struct SettingKey: Hashable, Sendable {
    /// The key in a YAML file.
    package let name: String
    /// What the setting means, for the generated reference.
    package let summary: String
    /// Whether the value is a secret, so that a file that holds it is kept from others.
    package let isSecret: Bool

    package init(_ name: String, _ summary: String, isSecret: Bool = false) {
        self.name = name
        self.summary = summary
        self.isSecret = isSecret
    }

    /// The name of the environment variable.
    package var variable: String { "OSTIARY_" + name.uppercased() }
}

extension SettingKey {
    /// Of both servers.
    package static let logLevel = SettingKey("log_level", "trace, debug, info, notice, warning, error or critical; default info")
}

extension [SettingKey] {
    /// The key of that name.
    func named(_ name: String) -> SettingKey? { first { $0.name == name } }

    /// The key that an operator probably meant.
    func nearest(to text: String) -> SettingKey? {
        var text = text.lowercased()
        if text.hasPrefix("ostiary_") { text.removeFirst("ostiary_".count) }
        return nearestName(to: text, among: map(\.name)).flatMap(named)
    }
}
