import NIOCore
import NIOHTTP1
import Testing

@testable import ostiary

@Suite("Many connections at the phone page", .timeLimit(.minutes(5)))
struct PhonePageCrowdTests {
    @Test(
        "A45: many more connections than there may be, silent, with half a request or with a whole one, keep nobody from the phone page",
        arguments: ["", "GET /phones HTTP/1.1\r\nHo", "GET /icon.svg HTTP/1.1\r\nHost: AUTHORITY\r\n\r\n"])
    func crowded(beginning: String) async throws {
        try await ServersFixture.run { world in
            try await RunningPage.with(world) { page in
                let port = try #require(page.origin.split(separator: ":").last.flatMap { Int($0) })
                let sent = beginning.replacing("AUTHORITY", with: "127.0.0.1:\(port)")
                let crowd = try await Crowd(1_400, port: port, sending: Array(sent.utf8))
                // Less than it takes until those are ended who are silent too long, as many at a time as there may be: four times five seconds.
                let answer = try await page.send(.GET, "/phones", within: .seconds(12))
                #expect(answer.status == 200)
                await crowd.disperse()
            }
        }
    }
}
