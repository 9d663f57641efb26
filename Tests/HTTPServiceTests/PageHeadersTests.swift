import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Headers of pages")
struct PageHeadersTests {
    private func headers(isSecure: Bool, frameAncestors: [PublicURL] = []) async throws -> HTTPFields {
        let router = Router(context: ServiceRequestContext.self)
        router.add(middleware: PageHeaders(isSecure: isSecure, frameAncestors: frameAncestors))
        router.get("/page") { _, _ in Response(status: .ok, headers: [.cacheControl: "max-age=60"]) }
        return try await Application(responder: router.buildResponder()).test(.router) { client in
            try await client.execute(uri: "/page", method: .get).headers
        }
    }

    @Test("A page loads nothing from elsewhere and is framed by nobody")
    func policy() async throws {
        let headers = try await headers(isSecure: true)
        let policy = try #require(headers[.contentSecurityPolicy])
        #expect(policy.hasPrefix("default-src 'none'"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(headers[HTTPField.Name("X-Frame-Options")!] == "DENY")
        #expect(headers[.xContentTypeOptions] == "nosniff")
        #expect(headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
        #expect(headers[.strictTransportSecurity] != nil)
    }

    @Test("A route's own header wins, and plain http on this machine is not pinned to https")
    func exceptions() async throws {
        let headers = try await headers(isSecure: false)
        #expect(headers[.cacheControl] == "max-age=60")
        #expect(headers[.strictTransportSecurity] == nil)
    }

    @Test("A page may be framed by the origins that are named")
    func frames() async throws {
        let headers = try await headers(isSecure: true, frameAncestors: [try PublicURL(parsing: "https://shop.example")])
        #expect(headers[.contentSecurityPolicy]?.contains("frame-ancestors https://shop.example") == true)
        #expect(headers[HTTPField.Name("X-Frame-Options")!] == nil)
    }
}
