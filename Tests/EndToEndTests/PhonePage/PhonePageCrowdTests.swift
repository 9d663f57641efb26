import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPService
@testable import OstiaryPhone

/// One crowd at a time: the page is in this process, with as many connections as it takes.
@Suite("Many connections at the phone page", .serialized, .timeLimit(.minutes(10)))
struct PhonePageCrowdTests {
    @Test(
        "A45: many more connections than there may be, silent, with half a request or with a whole one, keep nobody from the phone page",
        arguments: ["", "GET /phones HTTP/1.1\r\nHo", "GET /icon.svg HTTP/1.1\r\nHost: AUTHORITY\r\n\r\n"])
    func crowded(beginning: String) async throws {
        _ = DescriptorLimit.raise()
        try await ServersFixture.run { world in
            try await RunningPage.with(world) { page in
                let port = try #require(page.origin.split(separator: ":").last.flatMap { Int($0) })
                let sent = beginning.replacing("AUTHORITY", with: "127.0.0.1:\(port)")
                var status: UInt?
                // On a machine that is busy for that long it is asked once more, beside another crowd: where nobody gives way it is late each time.
                for _ in 0..<5 where status == nil {
                    let crowd = try await Crowd(1_400, port: port, sending: Array(sent.utf8))
                    // Less than it takes until those are ended who are silent too long, as many at a time as there may be: four times five seconds.
                    status = try? await page.send(.GET, "/phones", within: .seconds(12)).status
                    await crowd.disperse()
                }
                #expect(status == 200)
            }
        }
    }
}
