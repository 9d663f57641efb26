import HTTPService
import Testing

@Suite("Public URL")
struct PublicURLTests {
    @Test(
        "An origin comes back in the form that browsers use",
        arguments: [
            ("https://Login.Example.org", "https://login.example.org"), ("https://login.example.org/", "https://login.example.org"),
            ("https://a:443", "https://a"), ("https://a:8443", "https://a:8443"), ("HTTPS://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://127.200.3.4", "http://127.200.3.4"), ("http://[::1]:80", "http://[::1]"),
            ("http://localhost:8080/", "http://localhost:8080"),
        ])
    func accepted(text: String, origin: String) throws {
        #expect(try PublicURL(parsing: text).description == origin)
    }

    @Test(
        "Plain http to anything but this machine is refused, look-alikes included",
        arguments: [
            "http://login.example.org", "http://128.0.0.1", "http://127.0.0.1.example.org", "http://localhost.example.org", "http://127.1",
            "http://[::2]",
            "http://127.0.0.256", "http://127.0.0.01", "http://0127.0.0.1", "http://0.0.0.0",
        ])
    func plainHTTP(text: String) {
        #expect(throws: PublicURLError.plainHTTP) { try PublicURL(parsing: text) }
    }

    @Test(
        "Anything that is not just an origin is refused",
        arguments: [
            ("login.example.org", PublicURLError.noScheme), ("ftp://a", .otherScheme("ftp")), ("https://a/path", .notAnOrigin),
            ("https://a?x", .notAnOrigin),
            ("https://a#x", .notAnOrigin), ("https://user@a", .notAnOrigin), ("https://a//", .notAnOrigin), ("https://", .badHost),
            ("https://a b", .badHost),
            ("https://[::1", .badHost), ("https://[::1]x", .badHost), ("https://a:0", .badPort), ("https://a:", .badPort),
            ("https://a:99999", .badPort),
            ("https://a:8x", .badPort), ("https://ä.example", .badHost),
        ])
    func refused(text: String, error: PublicURLError) {
        #expect(throws: error) { try PublicURL(parsing: text) }
    }
}
