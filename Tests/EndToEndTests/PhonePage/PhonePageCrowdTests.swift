import NIOCore
import NIOHTTP1
import Testing

@testable import ostiary

@Suite("Many connections at the phone page", .timeLimit(.minutes(5)))
struct PhonePageCrowdTests {
    @Test(
        "A45: more connections than there may be, silent, with half a request or after a whole one, keep nobody from the phone page for long",
        arguments: ["", "GET /phones HTTP/1.1\r\nHo", "GET /icon.svg HTTP/1.1\r\nHost: AUTHORITY\r\n\r\n"])
    func crowded(beginning: String) async throws {
        try await ServersFixture.run { world in
            try await RunningPage.with(world) { page in
                let port = try #require(page.origin.split(separator: ":").last.flatMap { Int($0) })
                let sent = beginning.replacing("AUTHORITY", with: "127.0.0.1:\(port)")
                let crowd = try await Crowd(500, port: port, sending: Array(sent.utf8))
                // Much longer than five seconds, and much shorter than a connection may be silent elsewhere.
                let answer = try await page.send(.GET, "/phones", within: .seconds(15))
                #expect(answer.status == 200)
                await crowd.disperse()
            }
        }
    }
}
