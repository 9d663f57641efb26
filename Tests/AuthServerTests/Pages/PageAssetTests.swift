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
            #expect(html.contains(#"<html lang="en" dir="ltr">"#) && html.contains(#"role="status""#) && html.contains("<noscript>"))
        }
    }

    @Test("Every state that the server can tell has its place on the page")
    func hasEveryState() throws {
        let (login, enrol) = (try html(.login), try html(.enrol))
        for state in [
            "waiting", "scanned", "returning", "inapp", "otherpage", "notreturned", "gaveup", "penalised", "blocked", "nosecondfactor", "loggedin",
            "denied", "notme", "expired", "loggedout", "over",
        ] {
            #expect(login.contains("data-state=\"\(state)\""))
        }
        for state in ["waiting", "scanned", "otherpage", "code", "done", "declined", "gaveup", "notme", "failed", "expired", "over"] {
            #expect(enrol.contains("data-state=\"\(state)\""))
        }
        for state in PageSnapshot.State.allCases {
            #expect(login.contains("\"\(state.rawValue)\"") || enrol.contains("\"\(state.rawValue)\""))
        }
    }

    @Test("A page with all that it loads from us has at most 30,000 bytes, in every language", arguments: PageLanguage.allCases)
    func isSmall(language: PageLanguage) throws {
        let shared = ["view", "draw", "qr"]
        for (page, scripts, styles) in [
            (PageSource.Page.login, ["page", "login"], ["style"]), (.enrol, ["page", "enrol"], ["style", "enrol"]), (.link, ["link"], ["style"]),
            (.embed, ["page", "login", "embed"], ["style", "embed"]), (.consent, ["consent"], ["style"]), (.device, ["device"], ["style", "device"]),
            (.logout, ["logout"], ["style"]),
        ] {
            let html = try html(page, in: language)
            // All that it loads is counted here.
            for script in scripts.dropFirst(scripts.count - 1) { #expect(html.contains("src=\"/pages/\(script).js\"")) }
            #expect(html.matches(of: /<script/).count == 1 && html.matches(of: /rel="stylesheet"/).count == styles.count)
            // A frame has no icon.
            #expect(html.contains("rel=\"icon\"") == (page != .embed))
            let parts =
                try (scripts + shared).map { try #require(PageAsset.scripts[$0]) } + styles.map { try #require(PageAsset.styles[$0]) }
                + (page == .embed ? [] : [.icon])
            #expect(html.utf8.count > 2_000 && parts.allSatisfy { $0.bytes.count > 100 })
            let total = html.utf8.count + parts.map(\.bytes.count).reduce(0, +)
            #expect(total <= 30_000, "\(page) in \(language): \(total)")
        }
    }

    @Test("Scripts load what there is and nothing else, each with no more than its own comments gone")
    func loadsModules() throws {
        for (name, asset) in PageAsset.scripts {
            let text = String(decoding: asset.bytes, as: UTF8.self)
            let modules = text.matches(of: #/from "\.\/(\w+)\.js"/#).map { String($0.1) }
            #expect(modules.allSatisfy { PageAsset.scripts[$0] != nil }, "\(name)")
            #expect(!text.contains("\n//") && !text.contains("/**") && !text.contains("\n "), "\(name)")
        }
        let given = "/* one\n   two */\n  a\n\n    // three\n/** four */\n  b // five\n"
        #expect(String(decoding: PageSource.stripped(Array(given.utf8)), as: UTF8.self) == "a\nb // five\n")
        let markup = "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n<label>c</label>\n<input>\n<p>d\n<b>e</b></p>\n"
        let blocks = "<ul><li>a<li>b</ul>\n<label>c</label>\n<input><p>d\n<b>e</b></p>\n"
        #expect(String(decoding: PageSource.strippedMarkup(Array(markup.utf8)), as: UTF8.self) == blocks)
        let paragraphs = "<section>\n<p>a</p>\n<p class=\"b\">c</p>\n<div>d</div>\n<p>e</p>\n</section>\n<noscript><p>f</p></noscript>\n"
        let shorter = "<section><p>a<p class=\"b\">c</p>\n<div>d</div><p>e</section>\n<noscript><p>f</p></noscript>\n"
        #expect(String(decoding: PageSource.strippedMarkup(Array(paragraphs.utf8)), as: UTF8.self) == shorter)
        let style = "a,\nb > c {\n  color: red;\n  top: 1px;\n}\n@media (pointer: fine) { d { margin: 0 1px; } }\n"
        let stripped = String(decoding: PageSource.strippedStyle(Array(style.utf8)), as: UTF8.self)
        #expect(stripped == "a,\nb > c{color:red;top:1px}@media (pointer:fine){d{margin:0 1px}}")
        let script = "if (a && b || c === d) {\n  b();\n  c(\"; }\");\n}\nd();\nlet e = 1;\n(f ?? g)();\n[h] = i;\n`j`;\n#k = 1;\n-l;\n"
        let code = "if (a&&b||c===d) {\nb()\nc(\"; }\")\n}\nd()\nlet e = 1;\n(f ?? g)();\n[h] = i;\n`j`\n#k = 1;\n-l;\n"
        #expect(String(decoding: PageSource.strippedScript(Array(script.utf8)), as: UTF8.self) == code)
    }

    @Test(
        "Styles and scripts are asked for again only when they changed",
        arguments: ["/pages/style.css", "/pages/enrol.css", "/pages/page.js", "/pages/qr.js", "/pages/icon.svg", "/ostiary-login.js"])
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
        let text = try html(kind == .login ? .login : .enrol)
        #expect(text.contains("<noscript>"))
        #expect(text.matches(of: #/<section data-state="\w+">/#).isEmpty)
        #expect(text.matches(of: #/<section data-state="opening" hidden>/#).count == 1)
    }

    private func html(_ page: PageSource.Page, in language: PageLanguage = .english) throws -> String {
        String(decoding: PageTexts().asset(page, in: language).bytes, as: UTF8.self)
    }
}
