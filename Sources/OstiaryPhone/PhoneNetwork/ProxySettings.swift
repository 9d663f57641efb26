import AsyncHTTPClient
import Foundation
import OstiaryProtocol

/// The proxy that the environment names for what goes over TLS: `https_proxy` or `all_proxy`, and in `no_proxy` the hosts that are asked without it;
/// each in small letters, or else in capital ones.
///
/// What goes to this very machine goes through none, plain or not.
struct ProxySettings: Sendable {
    /// What the environment says of it.
    enum Choice: Sendable {
        case none
        case through(HTTPClient.Configuration.Proxy)
        /// One of a kind that we do not speak to. Nothing goes past it.
        case unusable
    }

    /// The way to a server.
    enum Route: Sendable, Equatable {
        case direct, proxy
        /// A proxy is wanted, and cannot be asked.
        case none
    }

    let choice: Choice
    /// Hosts in small letters without a dot before them; `*` is all.
    private let exceptions: [String]

    init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name] ?? environment[name.uppercased()] }
        choice = (value("https_proxy") ?? value("all_proxy")).map { Self.proxy($0.trimmingCharacters(in: .whitespaces)) } ?? .none
        exceptions = (value("no_proxy") ?? "").split { $0 == "," || $0 == " " }.map { $0.lowercased().trimmingPrefix(".") }.map(String.init)
    }

    func route(to url: URL) -> Route {
        guard let host = url.host?.lowercased().trimmingCharacters(in: ["[", "]"]), !ThisMachine.isHost(host), !isException(host) else {
            return .direct
        }
        return switch choice {
        case .none: .direct
        // Whose certificate has a number for a name is known by the number that was called, and that is the proxy's.
        case .through: Self.isNumber(host) ? .none : .proxy
        case .unusable: .none
        }
    }

    private func isException(_ host: String) -> Bool {
        exceptions.contains { $0 == "*" || host == $0 || host.hasSuffix("." + $0) }
    }

    /// `http://[user:password@]host[:port]`, or `socks5h://host[:port]`. `socks5://` asks that the name be looked up here, which is done nowhere; what has no
    /// scheme is of a kind that other programs guess, each its own.
    private static func proxy(_ text: String) -> Choice {
        if text.isEmpty { return .none }
        guard text.contains("://"), let url = URL(string: text), let host = url.host, !host.isEmpty else { return .unusable }
        guard url.port.map((1...65_535).contains) != false else { return .unusable }
        let bare = host.trimmingCharacters(in: ["[", "]"])
        switch url.scheme?.lowercased() {
        case "http":
            let authorization = url.user.map {
                HTTPClient.Authorization.basic(
                    username: $0.removingPercentEncoding ?? $0, password: url.password.map { $0.removingPercentEncoding ?? $0 } ?? "")
            }
            return .through(.server(host: bare, port: url.port ?? 1080, authorization: authorization))
        case "socks5h": return url.user == nil ? .through(.socksServer(host: bare, port: url.port ?? 1080)) : .unusable
        default: return .unusable
        }
    }

    private static func isNumber(_ host: String) -> Bool {
        host.contains(":") || host.split(separator: ".").last.map { $0.allSatisfy(\.isNumber) } == true
    }
}
