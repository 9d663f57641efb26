import HTTPService
import HTTPTypes
import Testing

@testable import OstiaryPhone

/// The guard of both pages that a person of this machine looks at, whatever address such a page has.
@Suite("Who may speak to a page on loopback")
struct LocalPageGuardTests {
    private static let authorities = ["127.0.0.1:4711", "localhost:4711", LocalPageGuard<ServiceRequestContext>.authority(port: 80)]
    private static let header = HTTPField.Name("X-Right-Page")!

    /// What a request is refused for; unless told otherwise it is one that the page makes, for something that changes something.
    private struct Asked {
        let authority: String

        private var checks: LocalPageGuard<ServiceRequestContext> {
            LocalPageGuard(
                authority: authority, header: header, secret: SecretText("right-secret"), open: ["/", "/page.js"], refuse: { throw $0 })
        }

        func callAsFunction(
            _ method: HTTPRequest.Method = .post, _ path: String = "/phones/0/key", host: String?? = nil, origins: [String]? = nil,
            secrets: [String] = ["right-secret"]
        ) -> LocalPageRefusal? {
            var head = HTTPRequest(method: method, scheme: "http", authority: host ?? authority, path: path)
            for origin in origins ?? ["http://\(authority)"] { head.headerFields.append(HTTPField(name: .origin, value: origin)) }
            for secret in secrets { head.headerFields.append(HTTPField(name: header, value: secret)) }
            return checks.refusal(of: head)
        }
    }

    @Test("The page itself may do all that it does", arguments: authorities)
    func itself(_ authority: String) {
        let refusal = Asked(authority: authority)
        #expect(refusal() == nil)
        #expect(refusal(.get, "/phones", origins: []) == nil)
        #expect(refusal(.get, "/phones?after=3", origins: []) == nil)
        #expect(refusal(.get, "/phones") == nil)
        #expect(refusal(.get, "/", origins: [], secrets: []) == nil)
        #expect(refusal(.get, "/page.js", secrets: []) == nil)
    }

    @Test("The port of http itself stands in no address, no Host and no Origin: browsers leave it out")
    func portOfHTTP() {
        #expect(LocalPageGuard<ServiceRequestContext>.authority(port: 80) == "127.0.0.1")
        #expect(LocalPageGuard<ServiceRequestContext>.authority(port: nil) == "127.0.0.1")
        #expect(LocalPageGuard<ServiceRequestContext>.authority(port: 8_080) == "127.0.0.1:8080")
        let page = PhonePage(phones: [], changes: PhoneChanges(), port: 80, drain: DrainSignal())
        #expect(page.address.hasPrefix("http://127.0.0.1/#") && page.listener.address.port == 80)
        // A secret so that nothing but the name is refused, or not.
        let refusal = Asked(authority: "127.0.0.1")
        #expect(refusal() == nil && refusal(host: "127.0.0.1:80") == .otherHost && refusal(origins: ["http://127.0.0.1:80"]) == .otherOrigin)
    }

    @Test(
        "Another name of this machine gets nothing, not even the empty page: so no website can have its name lead here (DNS rebinding)",
        arguments: authorities,
        [
            "evil.example:4711", "evil.example", "localhost", "localhost:4712", "localhost:4711.evil.example", "localhost:4711", "127.0.0.1:4711",
            "127.0.0.1", "127.0.0.1:4712", "127.0.0.1.evil.example:4711", "127.0.0.2:4711", "[::1]:4711", "127.1:4711", "",
        ])
    func otherHosts(_ authority: String, _ host: String) {
        guard host != authority else { return }
        let refusal = Asked(authority: authority)
        #expect(refusal(host: host) == .otherHost)
        // A website whose name leads here is of one origin with what it asks, and its script may know every header but the secret.
        #expect(refusal(host: host, origins: ["http://\(host)"]) == .otherHost)
        #expect(refusal(.get, "/", host: host, origins: [], secrets: []) == .otherHost)
        #expect(refusal(.get, "/phones", host: host, origins: []) == .otherHost)
    }

    @Test("A request without a name gets nothing", arguments: authorities)
    func noHost(_ authority: String) {
        let refusal = Asked(authority: authority)
        #expect(refusal(host: .some(nil)) == .otherHost)
        #expect(refusal(.get, "/", host: .some(nil), origins: [], secrets: []) == .otherHost)
    }

    @Test(
        "Another origin gets nothing, whatever it knows", arguments: authorities,
        [
            "http://localhost:4711", "https://localhost:4711", "http://localhost:4712", "http://localhost", "http://127.0.0.1:4711",
            "https://127.0.0.1:4711", "http://127.0.0.1:4712", "http://127.0.0.1", "null", "", "https://evil.example",
            "http://127.0.0.1:4711.evil.example", "http://localhost:4711.evil.example",
        ])
    func otherOrigins(_ authority: String, _ origin: String) {
        guard origin != "http://\(authority)" else { return }
        let refusal = Asked(authority: authority)
        #expect(refusal(origins: [origin]) == .otherOrigin)
        #expect(refusal(origins: ["http://\(authority)", origin]) == .otherOrigin)
        #expect(refusal(.get, "/phones", origins: [origin]) == .otherOrigin)
        #expect(refusal(.get, "/page.js", origins: [origin]) == .otherOrigin)
    }

    @Test("What changes something says where it comes from", arguments: authorities, [HTTPRequest.Method.post, .put, .delete, .patch])
    func noOrigin(_ authority: String, _ method: HTTPRequest.Method) {
        #expect(Asked(authority: authority)(method, origins: []) == .otherOrigin)
    }

    @Test("Without the secret, once and whole, there are the files of the page and nothing else", arguments: authorities)
    func secrets(_ authority: String) {
        let refusal = Asked(authority: authority)
        let wrongs: [[String]] = [
            [], [""], ["right-secre"], ["right-secret0"], ["right-secreT"], ["right-secret", "right-secret"], ["right-secret", "x"], ["other"],
        ]
        for wrong in wrongs {
            #expect(refusal(secrets: wrong) == .noSecret, "\(wrong)")
            #expect(refusal(.get, "/phones", origins: [], secrets: wrong) == .noSecret, "\(wrong)")
            #expect(refusal(.get, "/nothing", origins: [], secrets: wrong) == .noSecret, "\(wrong)")
            // The same path, but nothing that a file answers; and a file whose path is spelled otherwise.
            #expect(refusal(.post, "/", secrets: wrong) == .noSecret, "\(wrong)")
            #expect(refusal(.get, "//page.js", origins: [], secrets: wrong) == .noSecret, "\(wrong)")
        }
    }

    @Test("The secret is in no path and no query: there it opens nothing", arguments: authorities)
    func secretInAddress(_ authority: String) {
        let refusal = Asked(authority: authority)
        for path in ["/phones?secret=right-secret", "/phones?X-Right-Page=right-secret", "/phones#right-secret", "/right-secret/phones"] {
            #expect(refusal(.get, path, origins: [], secrets: []) == .noSecret, "\(path)")
        }
    }

    @Test("The phone page's refusals say which it was, the guard itself says no secret")
    func answers() {
        #expect(ErrorResponse(.otherHost).status == .misdirectedRequest)
        #expect(ErrorResponse(.otherOrigin).status == .forbidden)
        #expect(ErrorResponse(.noSecret).status == .unauthorized)
        let checks = LocalPageGuard<ServiceRequestContext>(
            authority: "localhost:4711", header: Self.header, secret: SecretText("right-secret"), open: [], refuse: { throw $0 })
        #expect(!"\(checks)".contains("right-secret"))
    }
}
