import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryTesting
import Testing

@testable import HTTPService

@Suite("Proxies that are trusted")
struct TrustedProxiesTests {
    private func proxies(_ texts: String...) throws -> TrustedProxies { TrustedProxies(try texts.map { try TrustedProxy(parsing: $0) }) }

    private func origin(_ proxies: TrustedProxies, _ address: String?, _ forwarded: String...) throws -> String? {
        proxies.origin(of: try address.map { try SocketAddress(ipAddress: $0, port: 4_000) }, forwarded: forwarded)?.ipAddress
    }

    @Test("Who asked the proxy is the last that it names; what stands before it was written by anybody")
    func last() throws {
        let proxies = try proxies("10.0.0.1")
        #expect(try origin(proxies, "10.0.0.1", "203.0.113.7") == "203.0.113.7")
        #expect(try origin(proxies, "10.0.0.1", "192.0.2.1, 203.0.113.7") == "203.0.113.7")
        #expect(try origin(proxies, "10.0.0.1", "192.0.2.1", "198.51.100.1,203.0.113.7") == "203.0.113.7")
        #expect(try origin(proxies, "::ffff:10.0.0.1", "203.0.113.7") == "203.0.113.7")
    }

    @Test("Nobody else is believed, and a proxy that names no address is itself who asks")
    func nobodyElse() throws {
        let proxies = try proxies("10.0.0.1")
        for other in ["10.0.0.2", "203.0.113.7", "::1", nil] { #expect(try origin(proxies, other, "192.0.2.1") == nil) }
        for text in ["", "unknown", "203.0.113.7, ", "203.0.113.7, _hidden", "203.0.113.7, 192.0.2.1.5", "203.0.113.7;x"] {
            #expect(try origin(proxies, "10.0.0.1", text) == nil, "\(text)")
        }
        #expect(try origin(proxies, "10.0.0.1") == nil)
        #expect(try origin(.none, "10.0.0.1", "192.0.2.1") == nil)
    }

    @Test("Of several proxies in a row each is passed, and of one that is not trusted the address is its own")
    func several() throws {
        let proxies = try proxies("10.0.0.0/8", "2001:db8::/32")
        #expect(try origin(proxies, "10.0.0.1", "192.0.2.1, 203.0.113.7, 10.2.3.4, 2001:db8:1::5") == "203.0.113.7")
        #expect(try origin(proxies, "10.0.0.1", "192.0.2.1, 172.16.0.1, 10.2.3.4") == "172.16.0.1")
        // A client that has an address among them.
        #expect(try origin(proxies, "10.0.0.1", "10.9.9.9") == "10.9.9.9")
    }

    @Test("An entry may have brackets, a port and blanks, as proxies write them")
    func entries() throws {
        let proxies = try proxies("unix")
        for (text, address) in [
            ("203.0.113.7:55012", "203.0.113.7"), ("[2001:db8::7]:443", "2001:db8::7"), ("[2001:db8::7]", "2001:db8::7"),
            ("2001:db8::7", "2001:db8::7"), ("1.2.3.4 ,\t203.0.113.7 ", "203.0.113.7"),
        ] {
            #expect(try origin(proxies, nil, text) == address, "\(text)")
        }
    }

    @Test("A network holds what begins with its bits")
    func networks() throws {
        let proxies = try proxies("192.0.2.128/25", "2001:db8:8000::/33")
        for (address, isTrusted) in [
            ("192.0.2.128", true), ("192.0.2.255", true), ("192.0.2.127", false), ("192.0.3.128", false), ("2001:db8:8000::1", true),
            ("2001:db8:ffff::1", true), ("2001:db8:7fff::1", false), ("::ffff:192.0.2.200", true),
        ] {
            #expect(try (origin(proxies, address, "203.0.113.7") != nil) == isTrusted, "\(address)")
        }
    }

    @Test(
        "What is no address, or everybody, is refused",
        arguments: ["", "proxy.example", "10.0.0.1/33", "10.0.0.1/8", "0.0.0.0/0", "::/0", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/", "10.1", "UNIX"])
    func refused(text: String) { #expect(throws: Expected.self) { try TrustedProxy(parsing: text) } }

    @Test("A peer that is not trusted and says who asks is told of once, with what to set; a trusted one, and who says nothing, never")
    func untrusted() async throws {
        for (proxies, lines) in [(TrustedProxies.none, 1), (try proxies("10.0.0.1"), 1), (try proxies("unix"), 0)] {
            let log = LogRecorder()
            let untrusted = UntrustedForwarding(logger: log.logger(), setting: "OSTIARY_TRUSTED_PROXIES")
            // As a process has it that makes its router twice.
            for _ in 0..<2 {
                let router = Router(context: ServiceRequestContext.self)
                router.addServiceMiddleware(proxies: proxies, untrusted: untrusted)
                router.get("/") { _, _ in "" }
                try await Application(router: router).test(.router) { client in
                    let before = log.lines.count
                    _ = try await client.execute(uri: "/", method: .get)
                    #expect(log.lines.count == before)
                    for text in ["203.0.113.7", "203.0.113.8", ""] {
                        _ = try await client.execute(uri: "/", method: .get, headers: [.xForwardedFor: text])
                    }
                }
            }
            let told = log.lines.filter { $0.level == .warning }
            #expect(told.count == lines && untrusted.isWaiting == (lines == 0))
            for line in told { #expect(line.message.hasSuffix("set OSTIARY_TRUSTED_PROXIES to its address") && line.facts["peer"] == "unix") }
        }
    }

    @Test("Limits and log see who asked the proxy, and which proxy says so, also after the word of a stranger was told of")
    func context() async throws {
        for (proxies, expected) in [(try proxies("unix"), "203.0.113.7 203.0.113.7 unix"), (TrustedProxies.none, "none none none")] {
            let untrusted = UntrustedForwarding(logger: LogRecorder().logger(), setting: "OSTIARY_TRUSTED_PROXIES")
            untrusted.note(from: nil)
            let router = Router(context: ServiceRequestContext.self)
            router.addServiceMiddleware(proxies: proxies, untrusted: untrusted)
            router.get("/") { _, context in
                [context.remoteAddress, context.peer?.description, context.proxy].map { $0 ?? "none" }.joined(separator: " ")
            }
            try await Application(router: router).test(.router) { client in
                let answer = try await client.execute(uri: "/", method: .get, headers: [.xForwardedFor: "192.0.2.1, 203.0.113.7"])
                #expect(String(buffer: answer.body) == expected)
            }
        }
    }
}
