import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

@Suite("Proxies of the phone on a computer", .timeLimit(.minutes(10)))
struct ProxySettingsTests {
    private func route(_ url: String, _ environment: [String: String]) throws -> ProxySettings.Route {
        ProxySettings(environment: environment).route(to: try #require(URL(string: url)))
    }

    @Test(
        "What goes over TLS to another machine goes through the proxy that the environment names, by either spelling",
        arguments: [
            ["https_proxy": "http://proxy.example:3128"], ["HTTPS_PROXY": "HTTP://proxy.example:3128"], ["all_proxy": "socks5h://proxy.example"],
            ["ALL_PROXY": "socks5h://[2001:db8::1]:9"], ["https_proxy": "http://user:p%40ss@proxy.example"],
            ["https_proxy": "http://proxy.example", "all_proxy": "ftp://no.example"],
        ])
    func proxied(_ environment: [String: String]) throws {
        #expect(try route("https://login.example/ap1", environment) == .proxy)
        #expect(try route("http://127.0.0.1:8080/ap1", environment) == .direct)
        #expect(try route("https://localhost:8443/ap1", environment) == .direct)
        #expect(try route("https://[::1]:8443/ap1", environment) == .direct)
        // A certificate for a number would be looked at by the number of the proxy.
        #expect(try route("https://192.0.2.1/ap1", environment) == .none)
        #expect(try route("https://[2001:db8::2]/ap1", environment) == .none)
    }

    @Test(
        "Without one, or with a plain one only, everything goes straight",
        arguments: [[:], ["http_proxy": "http://proxy.example"], ["https_proxy": ""], ["https_proxy": "", "all_proxy": "http://proxy.example"]])
    func straight(_ environment: [String: String]) throws {
        for url in ["https://login.example/ap1", "https://192.0.2.1/ap1", "http://127.0.0.1:8080/ap1"] {
            #expect(try route(url, environment) == .direct)
        }
    }

    @Test(
        "Past a proxy that we do not speak to nothing goes",
        arguments: [
            "https://proxy.example", "ftp://proxy.example", "socks4://proxy.example", "socks5h://user:word@proxy.example", "http://", "://",
            "http://192.0.2.1:70000", "socks5h://192.0.2.1:70000", "http://proxy.example:0", "socks5://proxy.example", "socks://proxy.example",
            "proxy.example", "proxy.example:3128", "user:word@proxy.example:3128", "//proxy.example",
        ])
    func unusable(_ proxy: String) async throws {
        #expect(try route("https://login.example/ap1", ["https_proxy": proxy]) == .none)
        let transport = HTTPTransport(proxies: ProxySettings(environment: ["https_proxy": proxy]))
        let url = try #require(URL(string: "https://login.example/ap1"))
        await #expect(throws: TransportError.unreachable) { try await transport.send(TransportRequest(url: url, body: nil, timeout: 60)) }
    }

    @Test(
        "Hosts that no_proxy names are asked without it, and so are the names below theirs",
        arguments: [
            ("*", "login.example", true), ("login.example", "login.example", true), ("other.example, .Example", "LOGIN.example", true),
            ("example", "login.example", true), ("ogin.example", "login.example", false), ("login.example", "example", false),
            ("192.0.2.1", "192.0.2.1", true), ("", "login.example", false),
        ])
    func exceptions(_ exceptions: String, _ host: String, _ isDirect: Bool) throws {
        let environment = ["https_proxy": "http://proxy.example", "no_proxy": exceptions]
        #expect(try route("https://\(host)/ap1", environment) == (isDirect ? .direct : .proxy))
    }

    @Test("The proxy is asked for a tunnel to the host, by its user, and told nothing of the message")
    func tunnel() async throws {
        let proxy = try RawServer { $0.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n") }
        let transport = HTTPTransport(proxies: ProxySettings(environment: ["https_proxy": "http://u:p@127.0.0.1:\(proxy.port)"]))
        let url = try #require(URL(string: "https://login.example/ap1"))
        await #expect(throws: TransportError.unreachable) { try await transport.send(TransportRequest(url: url, body: [1, 2, 3], timeout: 60)) }
        let seen = try #require(proxy.requests.first)
        #expect(seen.hasPrefix("CONNECT login.example:443 HTTP/1.1\r\n"))
        #expect(seen.lowercased().contains("proxy-authorization: basic dtpw\r\n") && !seen.contains("ap1"))
    }
}
