import OstiaryTokens
import Testing

@Suite("HTTPTarget")
struct HTTPTargetTests {
    @Test(
        "dpop_htu_query_fragment_ignored, dpop_htu_case_and_default_port: spellings of one address are one",
        arguments: [
            "https://server.example.com/oauth/token", "HTTPS://Server.Example.COM/oauth/token", "https://server.example.com:443/oauth/token",
            "https://server.example.com/oauth/token?a=b", "https://server.example.com/oauth/token#x", "https://server.example.com/oauth/%74oken",
            "https://server.example.com:/oauth/token",
        ])
    func same(text: String) throws {
        let target = try #require(HTTPTarget(text))
        #expect(target == HTTPTarget("https://server.example.com/oauth/token"))
    }

    @Test(
        "dpop_htu_other_url: another address is another",
        arguments: [
            "http://server.example.com/oauth/token", "https://server.example.com:8443/oauth/token", "https://server.example.com/oauth/token/",
            "https://server.example.com/OAuth/token", "https://server.example.com.evil.example/oauth/token",
            "https://server.example.com/oauth%2Ftoken",
            "https://server.example.com",
        ])
    func other(text: String) throws {
        let target = try #require(HTTPTarget(text))
        #expect(target != HTTPTarget("https://server.example.com/oauth/token"))
    }

    @Test(
        "What is no address of http or https, or names a user, is none",
        arguments: [
            "", "/oauth/token", "ftp://a/b", "https:/a/b", "https://", "https://a@b/c", "https://a b/c", "https://a/%2", "https://a/%zz",
            "https://a:x/b", "https://[::1/b", "https://:443/",
        ])
    func none(text: String) {
        #expect(HTTPTarget(text) == nil)
    }

    @Test("An IPv6 address keeps its colons, and an empty path is a slash")
    func forms() {
        #expect(HTTPTarget("http://[::1]:80/a") == HTTPTarget("http://[::1]/a"))
        #expect(HTTPTarget("http://[::1]:81/a") != HTTPTarget("http://[::1]/a"))
        #expect(HTTPTarget("https://a") == HTTPTarget("https://a/"))
        #expect(HTTPTarget("https://a/%c3%a9") == HTTPTarget("https://a/%C3%A9"))
    }
}
