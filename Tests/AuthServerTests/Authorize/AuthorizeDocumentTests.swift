import Foundation
import HTTPService
import Hummingbird
import OAuthProvider
import Testing

@testable import AuthServer

@Suite("docs/pages.md and docs/oauth.md say what browsers ask the provider")
struct AuthorizeDocumentTests {
    private func document(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardized
        return try String(contentsOf: root.appendingPathComponent("docs/\(name).md"), encoding: .utf8)
    }

    @Test("Every request of the provider's pages stands there")
    func routes() async throws {
        let router = Router(context: ServiceRequestContext.self)
        try await AuthorizeFixture().routes.add(to: router)
        let paths = router.routes.filter { $0.method != .head }.map { "\($0.method) \($0.path)" }.filter { !$0.contains("{server}") }
        #expect(paths.count == 13)
        let page = try document("pages")
        for path in paths { #expect(page.contains("`\(path)"), "\(path)") }
    }

    @Test("Every parameter of an authorization request stands there, and every error that browsers are sent back with")
    func parameters() throws {
        let page = try document("oauth")
        for name in PushService.read.subtracting(["request"]) { #expect(page.contains("`\(name)`"), "\(name)") }
        for prompt in AuthorizationRequest.Prompt.allCases { #expect(page.contains("`\(prompt.rawValue)`")) }
    }
}
