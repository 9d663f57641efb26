import Authentication
import Testing

@Suite("Origins that may show login pages in a frame")
struct FrameOriginTests {
    @Test(
        "An origin is told as browsers write it",
        arguments: [
            ("https://shop.example", "https://shop.example"), ("HTTPS://Shop.Example", "https://shop.example"),
            ("https://shop.example:443", "https://shop.example"), ("https://shop.example:8443", "https://shop.example:8443"),
            ("https://xn--bcher-kva.example:65535", "https://xn--bcher-kva.example:65535"), ("https://192.0.2.7", "https://192.0.2.7"),
            ("http://localhost", "http://localhost"), ("http://localhost:80", "http://localhost"), ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
            ("http://127.8.9.1:443", "http://127.8.9.1:443"), ("https://localhost:80", "https://localhost:80"),
        ])
    func reads(text: String, told: String) { #expect(FrameOrigin(text)?.text == told) }

    @Test(
        "What is no such origin is none, least of all what a policy would read as more than one, or as everybody",
        arguments: [
            "", "https://", "https://:443", "shop.example", "//shop.example", "https://shop.example/", "https://shop.example/a",
            "https://a@b.example",
            "https://shop.example?", "https://shop.example#", "https://*.shop.example", "https://*", "*", "'self'", "'none'", "https:",
            "https://shop.example https://evil.example", "https://shop.example;", "https://shop.example,https://evil.example",
            "https://shop.example\n", " https://shop.example", "https://shop.example:", "https://shop.example:0", "https://shop.example:65536",
            "https://shop.example:+1", "https://shop.example:1:2", "https://shop..example", "https://shop.example.", "https://-shop.example",
            "https://sh_op.example", "https://[::1]", "http://[::1]", "https://bücher.example", "https://shop.example\u{212A}",
            "http://shop.example", "http://127.0.0.1.shop.example", "http://localhost.shop.example", "http://127.0.0.256", "http://127.1",
            "http://127.0.0.01", "ftp://shop.example", "javascript:alert(1)", "null", "about:blank",
        ])
    func refuses(text: String) { #expect(FrameOrigin(text) == nil) }

    @Test("Each is kept once, in the order in which they were told, up to 32 of them; one that is none refuses all")
    func applies() throws {
        func applied(_ texts: [String]) throws -> [String] {
            var update = ServerUpdate()
            update.frameOrigins = texts
            return try update.applied(to: ServerParameters(name: "Example")).frameOrigins.map(\.text)
        }
        #expect(ServerParameters(name: "Example").frameOrigins.isEmpty)
        #expect(try applied(["https://b.example", "https://a.example:443", "https://a.example"]) == ["https://b.example", "https://a.example"])
        #expect(try applied([]) == [])
        let most = (0..<32).map { "https://a\($0).example" }
        #expect(try applied(most + most) == most)
        #expect(throws: ServerUpdateError.tooManyOrigins) { try applied(most + ["https://b.example"]) }
        #expect(throws: ServerUpdateError.badOrigin("*")) { try applied(["https://a.example", "*"]) }
    }
}
