import HTTPService
import HTTPTypes
import Testing

@testable import ostiary

@Suite("Who may speak to the phone page")
struct PhonePageGuardTests {
    private static let authority = "127.0.0.1:4711"
    private let checks = PhonePageGuard<ServiceRequestContext>(
        authority: Self.authority, secret: SecretText("right-secret"), open: ["/", "/phone.js"])

    private func refusal(
        _ method: HTTPRequest.Method = .post, _ path: String = "/phones/0/key", host: String? = Self.authority,
        origins: [String] = ["http://127.0.0.1:4711"], secrets: [String] = ["right-secret"]
    ) throws -> HTTPResponse.Status? {
        var head = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
        for origin in origins { head.headerFields.append(HTTPField(name: .origin, value: origin)) }
        for secret in secrets { head.headerFields.append(HTTPField(name: .phonePage, value: secret)) }
        return checks.refusal(of: head)?.status
    }

    @Test("The page itself may do all that it does")
    func itself() throws {
        #expect(try refusal() == nil)
        #expect(try refusal(.get, "/phones", origins: []) == nil)
        #expect(try refusal(.get, "/phones?after=3", origins: []) == nil)
        #expect(try refusal(.get, "/", origins: [], secrets: []) == nil)
        #expect(try refusal(.get, "/phone.js", secrets: []) == nil)
    }

    @Test(
        "Another name of this machine gets nothing, not even the empty page: so no website can have its name lead here (DNS rebinding)",
        arguments: [
            "evil.example:4711", "evil.example", "localhost:4711", "127.0.0.1", "127.0.0.1:4712", "127.0.0.1.evil.example:4711", "127.0.0.2:4711",
            "[::1]:4711", "127.1:4711", "",
        ])
    func otherHosts(_ host: String) throws {
        #expect(try refusal(host: host) == .misdirectedRequest)
        // A website whose name leads here is of one origin with what it asks, and its script may know every header but the secret.
        #expect(try refusal(host: host, origins: ["http://\(host)"]) == .misdirectedRequest)
        #expect(try refusal(.get, "/", host: host, origins: [], secrets: []) == .misdirectedRequest)
        #expect(try refusal(.get, "/phones", host: host, origins: []) == .misdirectedRequest)
    }

    @Test("A request without a name gets nothing")
    func noHost() throws {
        #expect(try refusal(host: nil) == .misdirectedRequest)
        #expect(try refusal(.get, "/", host: nil, origins: [], secrets: []) == .misdirectedRequest)
    }

    @Test(
        "Another origin gets nothing, whatever it knows",
        arguments: [
            "http://localhost:4711", "https://127.0.0.1:4711", "http://127.0.0.1:4712", "http://127.0.0.1", "null", "", "https://evil.example",
            "http://127.0.0.1:4711.evil.example",
        ])
    func otherOrigins(_ origin: String) throws {
        #expect(try refusal(origins: [origin]) == .forbidden)
        #expect(try refusal(origins: ["http://127.0.0.1:4711", origin]) == .forbidden)
        #expect(try refusal(.get, "/phones", origins: [origin]) == .forbidden)
        #expect(try refusal(.get, "/phone.js", origins: [origin]) == .forbidden)
    }

    @Test("What changes something says where it comes from", arguments: [HTTPRequest.Method.post, .put, .delete, .patch])
    func noOrigin(_ method: HTTPRequest.Method) throws {
        #expect(try refusal(method, origins: []) == .forbidden)
    }

    @Test("Without the secret there are the files of the page and nothing else")
    func secrets() throws {
        for wrong in [[], [""], ["right-secre"], ["right-secret0"], ["right-secret", "right-secret"], ["other"]] as [[String]] {
            #expect(try refusal(secrets: wrong) == .unauthorized)
            #expect(try refusal(.get, "/phones", origins: [], secrets: wrong) == .unauthorized)
            #expect(try refusal(.get, "/nothing", origins: [], secrets: wrong) == .unauthorized)
            // The same path, but nothing that a file answers.
            #expect(try refusal(.post, "/", secrets: wrong) == .unauthorized)
        }
    }

    @Test("The secret is in no path and no query: there it opens nothing")
    func secretInAddress() throws {
        for path in ["/phones?secret=right-secret", "/phones?X-Phone-Page=right-secret", "/phones#right-secret", "/right-secret/phones"] {
            #expect(try refusal(.get, path, origins: [], secrets: []) == .unauthorized)
        }
    }
}
