import Authentication
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Page files")
struct PageAssetTests {
    static let pages = ["/login", "/enrol", "/l"]

    @Test("Pages load nothing from elsewhere and run nothing that is written into them", arguments: pages)
    func isClosed(path: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let response = try await browser.get(path)
            let policy = try #require(response.headers[.contentSecurityPolicy])
            for rule in [
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'", "form-action 'none'",
                "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
            ] {
                #expect(policy.components(separatedBy: "; ").contains(rule), "\(rule)")
            }
            #expect(!policy.contains("unsafe") && !policy.contains("*"))
            #expect(response.headers[.xContentTypeOptions] == "nosniff")
            #expect(response.headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
            let html = String(buffer: response.body)
            for word in ["http:", "https:", "style=", "onclick", "javascript:", "<script>"] { #expect(!html.contains(word)) }
            #expect(html.contains(#"<html lang="en">"#) && html.contains(#"aria-live="polite""#) && html.contains("<noscript>"))
        }
    }

    @Test("Every state that the server can tell has its place on the page")
    func hasEveryState() {
        let (login, enrol) = (String(decoding: PageAsset.login.bytes, as: UTF8.self), String(decoding: PageAsset.enrol.bytes, as: UTF8.self))
        for state in [
            "waiting", "scanned", "returning", "inapp", "otherpage", "notreturned", "gaveup", "penalised", "blocked", "nosecondfactor", "loggedin",
            "denied", "notme", "expired", "loggedout",
        ] {
            #expect(login.contains("data-state=\"\(state)\""))
        }
        for state in ["waiting", "scanned", "otherpage", "code", "done", "declined", "failed", "expired"] {
            #expect(enrol.contains("data-state=\"\(state)\""))
        }
        for state in PageSnapshot.State.allCases { #expect(login.contains("\"\(state.rawValue)\"") || enrol.contains("\"\(state.rawValue)\"")) }
    }

    @Test("Style and script are asked for again only when they changed", arguments: ["/pages/style.css", "/pages/page.js", "/pages/icon.svg"])
    func isCached(path: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let tag = try #require(try await browser.get(path).headers[.eTag])
            let again = try await browser.client.execute(uri: path, method: .get, headers: [.ifNoneMatch: tag], body: nil)
            #expect(again.status == .notModified)
            #expect(again.body.readableBytes == 0)
        }
    }

    @Test("Without scripts a page says only that it needs them, and not that it is being prepared", arguments: [PageKind.login, .enrol])
    func withoutScripts(kind: PageKind) throws {
        let text = String(decoding: (kind == .login ? PageAsset.login : .enrol).bytes, as: UTF8.self)
        #expect(text.contains("<noscript>"))
        #expect(text.matches(of: #/<section data-state="\w+">/#).isEmpty)
        #expect(text.matches(of: #/<section data-state="opening" hidden>/#).count == 1)
    }
}
