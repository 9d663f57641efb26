import Foundation
import OAuthProvider
import Testing

@Suite("docs/oauth.md says what clients are answered")
struct OAuthDocumentTests {
    private func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardized
        return try String(contentsOf: root.appendingPathComponent("docs/oauth.md"), encoding: .utf8)
    }

    @Test("Every endpoint, every way to a token and every way for a client to show who it is stand there")
    func names() throws {
        let page = try page()
        for path in ProviderPath.allCases { #expect(page.contains("`\(path.rawValue)`"), "\(path)") }
        for type in GrantType.allCases {
            #expect(page.contains("`\(type.rawValue)`") && page.contains("grant_type=\(type.rawValue)"), "\(type)")
        }
        for method in ClientAuthenticationMethod.allCases { #expect(page.contains("`\(method.rawValue)`"), "\(method)") }
    }

    @Test("Every word that an endpoint of clients says stands there; of those that browsers are told by redirect none has to")
    func errors() throws {
        let page = try page()
        let byRedirect: Set<OAuthErrorCode> = [
            .loginRequired, .consentRequired, .interactionRequired, .unmetAuthenticationRequirements, .temporarilyUnavailable, .unsupportedTokenType,
            .insufficientUserAuthentication,
        ]
        for code in OAuthErrorCode.allCases where !byRedirect.contains(code) { #expect(page.contains("`\(code.rawValue)`"), "\(code)") }
    }
}
