import Foundation
import HTTPService
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

    @Test("Every member of a snapshot is named there")
    func members() throws {
        var snapshot = PageSnapshot(kind: .enrol, state: .waiting, server: "Shop")
        (snapshot.logo, snapshot.returnURL, snapshot.cancelURL, snapshot.link) = ("/l", "/r", "/c", "/k")
        (snapshot.name, snapshot.device, snapshot.words, snapshot.beside) = ("a", "b", ["c"], .gaveUp)
        (snapshot.renews, snapshot.mayTakeOver, snapshot.isRead, snapshot.stillAge) = (true, true, true, 90)
        snapshot.code = PageCode(bytes: [1])
        let text = String(buffer: JSONWriter.text(snapshot.write))
        let members = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(members.count >= 16)
        let page = try document()
        for member in members.keys { #expect(page.contains("`\(member)`"), "\(member)") }
    }
}
