import OAuthProvider
import Testing

@Suite("Addresses at which clients' backends are called")
struct BackendAddressTests {
    @Test(
        "https to a host and a port that there can be, or http to this machine",
        arguments: [
            "https://shop.example", "https://shop.example/logout?tenant=1", "https://SHOP.example:65535/", "https://10.0.0.7:1/a",
            "https://backend_1:8443/", "https://[2001:db8::1]/", "https://[2001:db8::1]:8443/a",
            "http://127.0.0.1:9/", "http://127.0.0.2/", "http://127.255.255.254:8080/a", "http://[::1]/", "http://localhost:8080/a",
        ])
    func taken(_ text: String) { #expect(BackendAddress(text)?.text == text) }

    @Test(
        "Anything else is none",
        arguments: [
            "", "/logout", "https:///logout", "https://shop.example:0/", "https://shop.example:65536/", "https://shop.example:99999999999999999999/",
            "https://shop.example:/", "https://shop.example:+80/", "https://shop.example:8o/", "https://[2001:db8::1]8443/", "https://[2001:db8::1/",
            "https://[shop]/", "https://[]/", "https://shop..example/", "https://shop.example./", "https://%73hop.example/", "https://shop.example#a",
            "https://shop.example/#a", "https://alice@shop.example/", "https://alice:1@shop.example/", "https://shop.example?@evil.example:70000#",
            "http://shop.example/", "http://10.0.0.7/", "http://127.0.0.256/", "http://127.0.0.01/", "http://127.1/", "http://127.0.0.1.2/",
            "http://128.0.0.1/", "http://0.0.0.0/", "com.example.shop:/logout", "ftp://shop.example/",
            "https://\(String(repeating: "a", count: 64)).example/",
        ])
    func refused(_ text: String) { #expect(BackendAddress(text) == nil) }

    @Test("Calls are counted by scheme, host and port, however an address writes them")
    func hosts() {
        let shop = BackendAddress("https://shop.example/logout?tenant=1")?.host
        for text in ["https://shop.example", "HTTPS://SHOP.example:443/a", "https://shop.example?a:1"] { #expect(BackendAddress(text)?.host == shop) }
        for text in ["https://shop.example:444/", "https://a.shop.example/"] { #expect(BackendAddress(text)?.host != shop) }
        #expect(BackendAddress("https://[2001:DB8::1]/")?.host == BackendAddress("https://[2001:db8::1]:443/a")?.host)
        #expect(BackendAddress("http://127.0.0.1/")?.host == BackendAddress("http://127.0.0.1:80/")?.host)
        #expect(BackendAddress("http://localhost/")?.host != BackendAddress("https://localhost/")?.host)
    }

    @Test("What is looked up is the name or the number alone, in one spelling")
    func names() {
        for (text, name) in [
            ("https://SHOP.example:8443/logout", "shop.example"), ("https://shop.example?a:1", "shop.example"), ("http://127.0.0.1:9/", "127.0.0.1"),
            ("https://[2001:DB8::1]:8443/a", "2001:db8::1"), ("http://[::1]", "::1"),
        ] { #expect(BackendAddress(text)?.name == name) }
    }

    @Test("The log is told an address without its query")
    func query() {
        #expect(BackendAddress("https://shop.example/logout?key=1?2")?.withoutQuery == "https://shop.example/logout")
        #expect(BackendAddress("https://shop.example?key=1")?.withoutQuery == "https://shop.example")
        #expect(BackendAddress("https://shop.example/logout")?.withoutQuery == "https://shop.example/logout")
    }
}
