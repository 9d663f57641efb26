import Authentication
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Return addresses")
struct ReturnURLTests {
    @Test(
        "Places on this site, https and loopback are taken",
        arguments: [
            "/", "/welcome?a=b#c", "https://shop.example", "https://shop.example:8443/path?x=%20#y", "HTTPS://Shop.Example/",
            "https://[2001:db8::1]/",
            "http://localhost:3000/cb", "http://127.0.0.1/cb", "http://[::1]:8080/",
        ])
    func takes(text: String) { #expect(ReturnURL(text)?.text == text) }

    @Test(
        "Everything that a browser could take for another place is refused",
        arguments: [
            "", "welcome", "//evil.example", "/\\evil.example", "\\\\evil.example", "http://shop.example/", "javascript:alert(1)", "data:text/html,x",
            "https://", "https:/shop.example", "https:shop.example", "https://user@shop.example/", "https://shop.example@evil.example/",
            "https://shop.example\\@evil.example", "https://a b/", "https://shop.example/ x", "https://shop.example/\n", "/a\tb",
            "https://shop.example/é",
            "http://127.0.0.1.evil.example/", "http://localhost.evil.example/", "https://shop.example:99999/", "ftp://shop.example/",
            "https://shop.example/" + String(repeating: "a", count: 2_048),
        ])
    func refuses(text: String) { #expect(ReturnURL(text) == nil) }

    @Test(
        "The code is added to the query, before what browsers keep to themselves",
        arguments: [
            ("https://shop.example", "https://shop.example?returncode=AQEBAQEBAQEBAQEBAQEBAQ"),
            ("/welcome?a=b#c?d", "/welcome?a=b&returncode=AQEBAQEBAQEBAQEBAQEBAQ#c?d"), ("/#a?b", "/?returncode=AQEBAQEBAQEBAQEBAQEBAQ#a?b"),
        ])
    func adds(text: String, address: String) throws {
        let code = try #require(ReturnCode(text: Base64URL.encode([UInt8](repeating: 1, count: 16))))
        #expect(try #require(ReturnURL(text)).adding(code) == address)
    }

    @Test(
        "An address with a code of its own is known",
        arguments: [
            "/?returncode=x", "/?a&returncode", "https://shop.example/?a=b&returncode=#c", "/?%72eturncode=x", "/?a&returncod%65=x", "/?%=x",
        ])
    func hasCode(text: String) throws { #expect(try #require(ReturnURL(text)).hasCode) }

    @Test(
        "What only looks like one is not", arguments: ["/returncode=x", "/?a=returncode=x", "/#?returncode=x", "/?returncodes=x", "/?Returncode=x"])
    func hasNone(text: String) throws { #expect(try #require(ReturnURL(text)).hasCode == false) }
}
