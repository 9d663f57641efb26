import NIOCore
import NIOHTTP1
import Testing

@testable import ostiary

@Suite("Many connections at the phone page", .timeLimit(.minutes(5)))
struct PhonePageCrowdTests {
    @Test(
        "A45: more connections than there may be, silent or with half a request, keep nobody from the phone page for longer than five seconds",
        arguments: ["", "GET /phones HTTP/1.1\r\nHo"])
    func crowded(beginning: String) async throws {
        try await ServersFixture.run { world in
            try await RunningPage.with(world) { page in
                let port = try #require(page.origin.split(separator: ":").last.flatMap { Int($0) })
                let crowd = try await Crowd(500, port: port, sending: Array(beginning.utf8))
                // Much longer than five seconds and much shorter than a connection may be silent later.
                let answer = try await page.send(.GET, "/phones", within: .seconds(15))
                #expect(answer.status == 200)
                await crowd.disperse()
            }
        }
    }
}
