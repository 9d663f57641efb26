import Foundation
import HTTPService
import OAuthProvider
import Testing

@testable import AuthServer

@Suite("docs/oauth.md says what clients are answered")
struct OAuthDocumentTests {
    private func page(_ name: String = "oauth") throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardized
        return try String(contentsOf: root.appendingPathComponent("docs/\(name).md"), encoding: .utf8)
    }

    @Test("Every client of the examples is registered in docs/rest-api.md, by what an operator may write")
    func clients() throws {
        let examples = try page()
        let named = examples.matches(of: /client_id=(\w+)/).map { String($0.1) } + examples.matches(of: /-u "(\w+):/).map { String($0.1) }
        let registered = try page("rest-api").matches(of: /-X PUT -d '(.+)' \\\n  \$API\/servers\/\$SERVER\/applications\/(\w+)\//)
        #expect(Set(registered.map { String($0.2) }) == Set(named))
        for put in registered {
            let body = try JSONBody.decode(AdminApplicationPut.self, from: Array(put.1.utf8))
            var application = try body.application(try #require(ClientID(String(put.2))), of: Sample.server)
            // Drawn by the PUT.
            if !application.isPublic { application.secrets = [ClientSecret(hash: Sample.bytes(1), expiresAt: nil)] }
            try ApplicationRules.check(application)
        }
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
