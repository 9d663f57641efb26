import Foundation
import HTTPService
import Hummingbird
import NIOCore
import Testing

@testable import AuthServer

@Suite("docs/pages.md says what pages are told")
struct PageDocumentTests {
    private func document() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("docs/pages.md"), encoding: .utf8)
    }

    @Test("Every state of a page is named there", arguments: PageSnapshot.State.allCases)
    func states(_ state: PageSnapshot.State) throws { #expect(try document().contains("`\(state.rawValue)`")) }

    @Test("Every request that a page makes is named there, and what pages are loaded from")
    func routes() async throws {
        let router = Router(context: ServiceRequestContext.self)
        try await PagesFixture().pageRoutes.add(to: router)
        // For pages of business applications (docs/rest-api.md).
        let paths = router.routes.map { "\($0.method) \($0.path)" }.filter { $0 != "GET /sessions/events" }
        #expect(paths.count >= 20)
        let page = try document()
        for path in paths {
            let named = path.replacing(#/\/pages\/\w+\.(?<kind>js|css)$/#) { "/pages/NAME.\($0.kind)" }.replacing("{server}", with: "SERVER")
            #expect(page.contains("`\(named)"), "\(path)")
        }
    }

    @Test("Every member of what a page sends is named there", arguments: ["ticket", "frame", "code", "link"])
    func sent(_ member: String) throws { #expect(try document().contains("\"\(member)\":")) }

    @Test("Every member of a snapshot is named there")
    func members() throws {
        var snapshot = PageSnapshot(kind: .login, state: .waiting, server: "Shop")
        (snapshot.logo, snapshot.returnURL, snapshot.cancelURL, snapshot.link) = ("/l", "/r", "/c", "/k")
        (snapshot.name, snapshot.device, snapshot.words, snapshot.beside) = ("a", "b", ["c"], .gaveUp)
        (snapshot.renews, snapshot.mayTakeOver, snapshot.isRead, snapshot.stillAge) = (true, true, true, 90)
        (snapshot.code, snapshot.triesLeft) = (PageCode(bytes: [1]), 2)
        let text = String(buffer: JSONWriter.text(snapshot.write))
        let members = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(members.count >= 18)
        let page = try document()
        for member in members.keys { #expect(page.contains("`\(member)`"), "\(member)") }
    }
}
