import Foundation

extension PostgreSQLAddress {
    /// - Parameter rest: what follows the scheme and its colon.
    /// - Throws: ``DatabaseURLError``. No error says a part of the text that may be a secret.
    init(parsing rest: some StringProtocol) throws(DatabaseURLError) {
        guard rest.hasPrefix("//") else { throw .noHost }
        let parts = rest.dropFirst(2).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard path.count == 2, let database = Self.plain(path[1]), !database.isEmpty else { throw .noDatabase }
        let options = try Self.options(parts.count == 2 ? parts[1] : "")
        let authority = path[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let user = authority.count == 2 ? authority[0] : ""
        guard !user.contains(":"), options["password"] == nil else { throw .passwordInURL }
        let hosts = try Self.hosts(authority[authority.count - 1], options)
        self.init(hosts: hosts, database: database, user: user.isEmpty ? options["user"] : Self.plain(user))
        passwordFile = options["password_file"]
        (rootCertificates, certificate, key) = (options["sslrootcert"], options["sslcert"], options["sslkey"])
        connections = try options["connections"].map { text throws(DatabaseURLError) in
            guard let count = Int(text), (1...1000).contains(count) else { throw .badParameter("connections") }
            return count
        }
        try settle(mode: options["sslmode"])
    }

    /// Whoever may be asked over a network is asked by TLS, of a server that has shown who it is: rows hold what logs people in.
    private mutating func settle(mode: String?) throws(DatabaseURLError) {
        switch mode {
        case nil: isVerified = isVerified || rootCertificates != nil
        case "verify-full": isVerified = true
        case "disable":
            guard hosts.allSatisfy(\.isLocal) else { throw .unprotected }
            isVerified = false
        default: throw hosts.allSatisfy(\.isLocal) ? DatabaseURLError.unknownMode : .unprotected
        }
        guard !isVerified || rootCertificates != nil else { throw .noRootCertificates }
    }

    private static let known: Set<String> = [
        "connections", "host", "password", "password_file", "port", "sslcert", "sslkey", "sslmode", "sslrootcert", "user",
    ]

    private static func options(_ text: some StringProtocol) throws(DatabaseURLError) -> [String: String] {
        var options: [String: String] = [:]
        for option in text.split(separator: "&") {
            let pair = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0])
            guard known.contains(name) else { throw .unknownParameter(name) }
            guard pair.count == 2, let value = plain(pair[1]), !value.isEmpty, options[name] == nil else { throw .badParameter(name) }
            options[name] = value
        }
        return options
    }

    private static func hosts(_ authority: some StringProtocol, _ options: [String: String]) throws(DatabaseURLError) -> [Host] {
        if let name = options["host"] {
            guard authority.isEmpty else { throw .badParameter("host") }
            // One after the other, and the first that is silent leaves time to the others (`PostgreSQLConnector`): libpq would give none.
            return try several(name, ports: options["port"])
        }
        guard options["port"] == nil else { throw .badParameter("port") }
        var hosts: [Host] = []
        for text in authority.split(separator: ",", omittingEmptySubsequences: false) { hosts.append(try host(text)) }
        return hosts
    }

    /// As libpq has them: `one,two`, with a port for all or one for each.
    private static func several(_ names: String, ports: String?) throws(DatabaseURLError) -> [Host] {
        let names = names.split(separator: ",", omittingEmptySubsequences: false)
        let ports = (ports ?? "5432").split(separator: ",", omittingEmptySubsequences: false)
        guard ports.count == 1 || ports.count == names.count else { throw .badParameter("port") }
        guard names.allSatisfy({ !$0.isEmpty }) else { throw .badParameter("host") }
        var hosts: [Host] = []
        for (place, name) in names.enumerated() { hosts.append(Host(String(name), port: try port(ports[ports.count == 1 ? 0 : place]))) }
        return hosts
    }

    /// `name`, `name:port`, `[::1]`, `[::1]:port`.
    private static func host(_ text: some StringProtocol) throws(DatabaseURLError) -> Host {
        let isNumber = text.hasPrefix("[")
        let end = isNumber ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex
        guard let end, let name = plain(isNumber ? text[..<end].dropFirst() : text[..<end]), !name.isEmpty else { throw .noHost }
        let rest = text[end...].drop { $0 == "]" }
        if rest.isEmpty { return Host(name) }
        guard rest.hasPrefix(":") else { throw .noHost }
        return Host(name, port: try port(rest.dropFirst()))
    }

    private static func port(_ text: some StringProtocol) throws(DatabaseURLError) -> UInt16 {
        guard let port = UInt16(text), port > 0 else { throw .badParameter("port") }
        return port
    }

    private static func plain(_ text: some StringProtocol) -> String? { String(text).removingPercentEncoding }
}
