import CPageFiles
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import AuthServer

@Suite("Languages of the pages")
struct PageLanguageTests {
    private func catalogue() throws -> PageSource.Catalogue {
        try JSONDecoder().decode(PageSource.Catalogue.self, from: Data(PageFile.texts_json.bytes))
    }

    @Test("Every language says everything, with the same places for what is put in, and in its direction")
    func isComplete() throws {
        let catalogue = try catalogue()
        #expect(try PageSource.catalogue() == catalogue)
        #expect(Set(catalogue.keys) == Set(PageLanguage.allCases.map(\.rawValue)))
        let english = try #require(catalogue["en"])
        for (language, texts) in catalogue {
            #expect(Set(texts.keys) == Set(english.keys), "\(language)")
            for (name, text) in texts {
                #expect(!text.isEmpty && text == text.trimmingCharacters(in: .whitespaces), "\(language) \(name)")
                #expect(places(in: text) == places(in: english[name] ?? ""), "\(language) \(name)")
            }
            #expect(texts["dir"] == (language == "ar" ? "rtl" : "ltr"))
        }
    }

    private func places(in text: String) -> [String] { text.matches(of: /\{\w+\}/).map { String($0.0) }.sorted() }

    @Test("Every text that a page asks for is there, and every one that is there is asked for")
    func isUsed() throws {
        let files = [
            PageFile.head_html.bytes, PageFile.begin_html.bytes, PageFile.foot_html.bytes, PageFile.marks_html.bytes,
            PageFile.login_html.bytes, PageFile.enrol_html.bytes, PageFile.link_html.bytes, PageFile.missing_html.bytes,
            PageFile.trouble_html.bytes, PageFile.consent_html.bytes, PageFile.device_html.bytes, PageFile.logout_html.bytes,
            PageFile.refused_html.bytes, PageFile.stale_html.bytes, PageFile.send_html.bytes,
        ]
        let templates = files.map { String(decoding: $0, as: UTF8.self) }.joined()
        let asked = Set(templates.matches(of: /\{\{\{?(\w+)\}/).map { String($0.1) })
        let titles = Set(PageSource.Page.allCases.map { "\($0.rawValue)Title" })
        // Put into others: what stands where no name is known; and what phones and the consent page are told by the server.
        let inside: Set = Set(PageTexts.typedNames).union([
            "theApp", "yourPhone", "phoneMay", "scopeOpenID", "scopeProfile", "scopeEmail", "scopeOffline", "phoneMessage", "phoneCode",
        ])
        let texts = Set(try #require(try catalogue()["en"]).keys)
        #expect(asked.subtracting(["lang", "title"]).subtracting(texts).isEmpty)
        #expect(texts.subtracting(asked).subtracting(titles).subtracting(inside).isEmpty)
    }

    @Test("A page leaves no place of its template open, and puts texts in as text", arguments: PageLanguage.allCases)
    func isFilled(language: PageLanguage) throws {
        for page in PageSource.Page.allCases {
            let html = String(decoding: PageTexts().asset(page, in: language).bytes, as: UTF8.self)
            #expect(html.hasPrefix("<!doctype html>\n<html lang=\"\(language.rawValue)\" dir=\""), "\(page)")
            #expect(!html.contains("{{") && !html.contains("}}") && !html.contains("<title></title>") && html.hasSuffix("</html>\n"), "\(page)")
            for place in ["{name}", "{device}", "{app}", "{client}"] { #expect(!html.contains(place), "\(page)") }
        }
    }

    @Test(
        "The language is that of the address, else the browser's, else English",
        arguments: [
            ("", "nl", "nl"), ("", "de-AT,de;q=0.9,en;q=0.8", "de"), ("", "en;q=0.5, fr;q=0.9", "fr"), ("", "ja, ar;q=0.2", "ar"), ("", "ja", "en"),
            ("", "*", "en"), ("", "fr;q=0, nl;q=0.1", "nl"), ("", "", "en"), ("?lang=ar", "nl", "ar"), ("?lang=DE", "nl", "de"),
            ("?lang=tlh", "nl", "nl"), ("?lang=", "nl", "nl"), ("", "fr;q=x, nl;q=0.1", "nl"), ("", "nl;q=0.8, de;q=0.8", "nl"),
        ])
    func chooses(query: String, header: String, expected: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            for path in ["/login", "/enrol", "/l"] {
                let response = try await browser.client.execute(uri: path + query, method: .get, headers: [.acceptLanguage: header])
                #expect(response.headers[.contentLanguage] == expected, "\(path)")
                #expect(response.headers[.vary] == "Accept-Language")
                #expect(String(buffer: response.body).contains("<html lang=\"\(expected)\""))
            }
            let headers: HTTPFields = [.acceptLanguage: header, .accept: "text/html"]
            let missing = try await browser.client.execute(uri: "/nothing" + query, method: .get, headers: headers)
            #expect(missing.status == .notFound && String(buffer: missing.body).contains("<html lang=\"\(expected)\""))
        }
    }

    @Test("A browser's copy of a page in one language is none of it in another")
    func isCachedByLanguage() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let dutch = try #require(try await browser.client.execute(uri: "/login?lang=nl", method: .get).headers[.eTag])
            let same = try await browser.client.execute(uri: "/login?lang=nl", method: .get, headers: [.ifNoneMatch: dutch])
            let other = try await browser.client.execute(uri: "/login?lang=fr", method: .get, headers: [.ifNoneMatch: dutch])
            #expect(same.status == .notModified && other.status == .ok)
        }
    }
}
