import HTTPService
import Testing

@Suite("Listen address")
struct ListenAddressTests {
    @Test(
        "host:port in every spelling comes back as it was written",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:0", "::1", 0), ("localhost:65535", "localhost", 65535), ("0.0.0.0:80", "0.0.0.0", 80),
            ("a-b.example:1", "a-b.example", 1),
        ])
    func accepted(text: String, host: String, port: Int) throws {
        let address = try ListenAddress(parsing: text)
        #expect(address == ListenAddress(host: host, port: port))
        #expect(address.description == text)
    }

    @Test(
        "Anything else says what is wrong with it",
        arguments: [
            ("", ListenAddressError.noPort), ("8080", .noPort), (":8080", .noHost), ("::1:8080", .needsBrackets), ("host:", .badPort("")),
            ("host:65536", .badPort("65536")), ("host:+80", .badPort("+80")), ("host:80a", .badPort("80a")), ("ho st:80", .badHost("ho st")),
            ("[zz]:80", .badHost("[zz]")), ("-a:80", .badHost("-a")), ("http://x:80", .needsBrackets), ("a..b:80", .badHost("a..b")),
        ])
    func refused(text: String, error: ListenAddressError) {
        #expect(throws: error) { try ListenAddress(parsing: text) }
    }
}
