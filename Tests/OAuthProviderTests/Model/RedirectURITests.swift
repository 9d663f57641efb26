import OAuthProvider
import Testing

@Suite("Redirect addresses, RFC 8252 §7 and RFC 9700 §2.1")
struct RedirectURITests {
    private func error(_ text: String, ofApp: Bool = true) -> RedirectURIError? {
        do { _ = try RedirectURI(registering: text, ofApp: ofApp) } catch { return error }
        return nil
    }

    @Test("S3-29 authz_redirect_exact_no_normalise: a registered address is matched by its own bytes only")
    func exact() throws {
        let registered = try RedirectURI(registering: "https://app.example/cb?tenant=K", ofApp: false)
        #expect(registered.isMatched(by: "https://app.example/cb?tenant=K"))
        for other in [
            "https://app.example/cb", "https://app.example/cb?tenant=K&x=y", "https://app.example/cb?x=y&tenant=K",
            "https://app.example/cb/?tenant=K",
            "https://APP.example/cb?tenant=K", "HTTPS://app.example/cb?tenant=K", "https://app.example:443/cb?tenant=K",
            "https://app.example/%63b?tenant=K", "https://user@app.example/cb?tenant=K", "https://app.example/cb?tenant=K#x",
            "https://app.example/./cb?tenant=K", "https://app.example/cb?tenant=k", "https://app.example/cb?tenant=\u{212A}",
            " https://app.example/cb?tenant=K", "https://app.example.evil.example/cb?tenant=K",
        ] {
            #expect(!registered.isMatched(by: other), "\(other)")
        }
    }

    @Test(
        "authz_loopback_any_port_only_for_loopback: an app that listens on this machine has any port",
        arguments: ["http://127.0.0.1/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb"])
    func loopback(presented: String) throws {
        #expect(try RedirectURI(registering: "http://127.0.0.1/cb", ofApp: true).isMatched(by: presented))
        #expect(try RedirectURI(registering: "http://127.0.0.1:8000/cb", ofApp: true).isMatched(by: presented))
        let six = presented.replacing("127.0.0.1", with: "[::1]")
        #expect(try RedirectURI(registering: "http://[::1]/cb", ofApp: true).isMatched(by: six))
        #expect(try !RedirectURI(registering: "http://127.0.0.1/cb", ofApp: true).isMatched(by: six))
        let other = try RedirectURI(registering: "http://127.8.9.10:8000/cb", ofApp: true)
        #expect(other.kind == .loopback && other.kind.isClaimable)
        #expect(other.isMatched(by: presented.replacing("127.0.0.1", with: "127.8.9.10")) && !other.isMatched(by: presented))
    }

    @Test(
        "Nothing but the port of a loopback address is free",
        arguments: [
            "https://127.0.0.1:9000/cb", "http://127.0.0.1:9000/other", "http://127.0.0.1:9000/cb?x=y", "http://127.0.0.1:/cb",
            "http://127.0.0.1:port/cb",
            "http://127.0.0.1:9000:80/cb", "http://127.0.0.1.evil.example/cb", "http://127.0.0.1@evil.example/cb",
            "http://127.0.0.1:80@evil.example/cb",
            "http://localhost:9000/cb", "http://127.0.0.2/cb", "http://127.0.0.1:123456/cb", "http://127.0.0.1:٣/cb",
            "http://127.0.0.1:0/cb", "http://127.0.0.1:00/cb", "http://127.0.0.1:05000/cb", "http://127.0.0.1:65536/cb",
            "http://127.0.0.1:99999/cb", "http://127.0.0.1:+80/cb",
        ])
    func notLoopback(presented: String) throws {
        #expect(try !RedirectURI(registering: "http://127.0.0.1/cb", ofApp: true).isMatched(by: presented))
    }

    @Test("localhost is matched as it stands, and so is every other host with a port")
    func noPorts() throws {
        let localhost = try RedirectURI(registering: "http://localhost:3000/cb", ofApp: false)
        #expect(localhost.kind == .localhost)
        #expect(!localhost.isMatched(by: "http://localhost:3001/cb"))
        #expect(try !RedirectURI(registering: "https://app.example/cb", ofApp: true).isMatched(by: "https://app.example:8443/cb"))
    }

    @Test("The port of a site that somebody works on is its own: only a native app has any", arguments: ["127.0.0.1", "127.0.0.2", "[::1]"])
    func siteOnLoopback(host: String) throws {
        let site = try RedirectURI(registering: "http://\(host):3000/cb", ofApp: false)
        #expect(site.kind == .localhost)
        #expect(site.isMatched(by: "http://\(host):3000/cb"))
        #expect(!site.isMatched(by: "http://\(host):3001/cb"))
        #expect(!site.isMatched(by: "http://\(host)/cb"))
    }

    @Test("authz_redirect_fragment_refused: what can't be an address is not registered, each for its reason")
    func registration() {
        #expect(error("https://app.example/cb#x") == .fragment)
        #expect(error("https://user:pw@app.example/cb") == .userInformation)
        #expect(error("http://app.example/cb") == .notSecure)
        #expect(error("http://127.0.0.1.evil.example/cb") == .notSecure)
        for host in ["127.0.0.01", "127.0.0.256", "127.1", "127.0.0.+1", "0127.0.0.1", "128.0.0.1", "0.0.0.0", "[::2]"] {
            #expect(error("http://\(host)/cb") == .notSecure, "\(host)")
        }
        #expect(error("https:///cb") == .noHost)
        #expect(error("https:app.example") == .malformed)
        #expect(error("/cb") == .malformed)
        #expect(error("https://app.example/a b") == .malformed)
        #expect(error("https://app.example/é") == .malformed)
        #expect(error("") == .malformed)
        for text in ["javascript:alert(1)", "data:text/html,x", "demo://cb", "file:///etc/passwd"] { #expect(error(text) == .schemeWithoutDomain) }
    }

    @Test(
        "A port that nobody can have, or that two readers may read as two, is registered by nobody",
        arguments: ["0", "00", "05000", "65536", "99999", "", "+80", "8o", "-1", "80:80"])
    func ports(port: String) {
        for host in ["https://app.example", "http://127.0.0.1", "http://[::1]", "http://localhost"] {
            #expect(error("\(host):\(port)/cb") == .portWrong)
            #expect(error("\(host):5000/cb") == nil && error("\(host):65535?a") == nil)
        }
        #expect(error("http://[::1]5000/cb") == .portWrong)
    }

    @Test(
        "An address of before a rule that it breaks is kept as it was written, and fits nothing, not even itself",
        arguments: ["https://app.example:99999/cb", "http://127.0.0.1:0/cb", "javascript:alert(1)", "no address", "https://a@app.example/"])
    func stored(text: String) throws {
        for ofApp in [false, true] {
            let former = RedirectURI(stored: text, ofApp: ofApp)
            #expect(former.text == text && former.kind == .unusable && !former.kind.isClaimable)
            #expect(!former.isMatched(by: text) && !former.isMatched(by: "http://127.0.0.1:5000/cb"))
        }
        #expect(try RedirectURI(stored: "https://app.example/cb", ofApp: false) == RedirectURI(registering: "https://app.example/cb", ofApp: false))
    }

    @Test("An app's own scheme belongs to a domain and to an app")
    func customScheme() throws {
        let own = try RedirectURI(registering: "com.example.app:/cb", ofApp: true)
        #expect(own.kind == .customScheme)
        #expect(own.isMatched(by: "com.example.app:/cb"))
        #expect(!own.isMatched(by: "com.example.app:/cb2"))
        #expect(error("com.example.app:/cb", ofApp: false) == .schemeOfApps)
    }
}
