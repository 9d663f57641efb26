import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Links opened in a browser")
struct PageLinkTests {
    @Test("A link of ours is drawn as the code of itself", arguments: ["login", "enrol?name=Alice"])
    func drawsLink(call: String) async throws {
        let premises = try await Premises()
        let link = try await premises.asBackend { (backend) async throws in
            String(buffer: try await backend.send(.get, backend.path("/sessions/link/\(call)")).body)
        }
        try await premises.asBrowser { (browser) async throws in
            let fragment = try #require(link.split(separator: "#").last)
            let response = try await browser.post("/pages/link", #"{"link":"\#(fragment)"}"#, cookie: nil)
            #expect(response.status == .ok)
            let answer = JSONObject(response.body)
            #expect(answer.text("server") == "Timesheets")
            let drawn = try TilePicture(code: Array(link.utf8))
            #expect(answer.object("code")?.text("bits") == Base64URL.encode(drawn.bits))
        }
    }

    @Test("Nothing else is drawn")
    func refusesOthers() async throws {
        let premises = try await Premises()
        let foreign = try await Premises()
        let link = try await foreign.asBackend { (backend) async throws in
            String(buffer: try await backend.send(.get, backend.path("/sessions/link/login")).body)
        }
        let fragment = String(try #require(link.split(separator: "#").last))
        try await premises.asBrowser { (browser) async throws in
            for link in [fragment, "", "AAAA", "not base64!", String(fragment.dropLast(2)), String(repeating: "A", count: 600)] {
                let response = try await browser.post("/pages/link", #"{"link":"\#(link)"}"#, cookie: nil)
                #expect(response.status == .badRequest)
            }
        }
    }
}
