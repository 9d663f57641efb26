import Foundation
import OstiaryProtocol

extension PostgreSQLAddress {
    /// The URL of this database, as parsing it takes it, without ``connections``, which is no part of where it is. Its files are named from the root on.
    package var url: String {
        // A folder of a socket is no name before a path.
        let areNamed = hosts.allSatisfy { !$0.name.hasPrefix("/") }
        let options = (areNamed ? [] : socketOptions) + otherOptions
        let authority = areNamed ? hosts.map { Self.authority(of: $0) }.joined(separator: ",") : ""
        let query = options.map { "\($0.name)=\(Self.escaped($0.value, keeping: "/,"))" }.joined(separator: "&")
        let owner = user.map { Self.escaped($0) + "@" } ?? ""
        return "postgresql://\(owner)\(authority)/\(Self.escaped(database))" + (query.isEmpty ? "" : "?" + query)
    }

    private static func authority(of host: Host) -> String {
        // Behind the number its zone, perhaps: the `%` before that means something in a URL (RFC 6874).
        let name = host.name.contains(":") ? "[\(escaped(host.name, keeping: ":"))]" : escaped(host.name)
        return host.port == 5432 ? name : "\(name):\(host.port)"
    }

    private var socketOptions: [(name: String, value: String)] {
        let names = (name: "host", value: hosts.map(\.name).joined(separator: ","))
        guard hosts.contains(where: { $0.port != 5432 }) else { return [names] }
        return [names, (name: "port", value: hosts.map { "\($0.port)" }.joined(separator: ","))]
    }

    private var otherOptions: [(name: String, value: String)] {
        let files = [
            ("password_file", passwordFile), ("sslrootcert", rootCertificates), ("sslcert", certificate), ("sslkey", key),
        ]
        let named = files.compactMap { name, value in value.map { (name: name, value: wholePath($0)) } }
        return named + (rootCertificates != nil && !isVerified ? [(name: "sslmode", value: "disable")] : [])
    }

    /// - Parameter kept: what means nothing there, so that folders and lists stay as a person reads them.
    private static func escaped(_ text: String, keeping kept: String = "") -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" + kept)
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }
}
