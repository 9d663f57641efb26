import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import OstiaryMobile
import Synchronization
import Testing

@testable import OstiaryPhone

@Suite("A browser that comes back to this machine", .timeLimit(.minutes(5)))
struct LoopbackBrowserTests {
    private func get(_ address: String) async throws -> TransportResponse {
        try await HTTPTransport().send(TransportRequest(url: try #require(URL(string: address)), body: nil, timeout: 20))
    }

    @Test("It waits at a port of its own, takes the query as it is, says that the page can be closed, and listens no longer")
    func comesBack() async throws {
        let shown = AsyncStream.makeStream(of: URL.self)
        let browser = LoopbackBrowser { shown.continuation.yield($0) }
        let visit = try await browser.visit(redirectURL: try #require(URL(string: "http://127.0.0.1/cb")))
        let port = try #require(visit.redirectURL.port)
        #expect(visit.redirectURL.absoluteString == "http://127.0.0.1:\(port)/cb")
        let address = try #require(URL(string: "https://login.example/authorize?a=b&state=c"))
        let person = Task { [self] in
            var addresses = shown.stream.makeAsyncIterator()
            let first = await addresses.next()
            #expect(first == address)
            // Somebody else's tries, which end nothing.
            for other in ["/", "/cb/", "/other?code=1&state=c", "/cb", "/cb?code=1", "/cb?error=access_denied&state=d"] {
                #expect(try await get("http://127.0.0.1:\(port)\(other)").status == 404, "\(other)")
            }
            let page = try await get("http://127.0.0.1:\(port)/cb?code=a%2Fb&state=c")
            #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("You can close this page"))
        }
        let callback = try await visit.open(address)
        #expect(callback.absoluteString == "http://127.0.0.1:\(port)/cb?code=a%2Fb&state=c")
        try await person.value
        let here = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        let refusal = await #expect(throws: IOError.self) {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: here).get()
        }
        #expect(refusal?.errnoCode == ECONNREFUSED)
    }

    private struct GoneBrowser: ResponseBodyWriter {
        struct Gone: Error, Equatable {}

        mutating func write(_ buffer: ByteBuffer) async throws { throw Gone() }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { throw Gone() }
    }

    @Test("A browser that goes away before it has its page keeps nobody waiting for it")
    func pageBrokenOff() async throws {
        let told = DrainSignal()
        await #expect(throws: GoneBrowser.Gone()) { try await LoopbackPage.body(told).write(GoneBrowser()) }
        #expect(told.isDraining)
    }

    @Test("Who gives up waits no longer; an address elsewhere, or with a port that is another's, is none of its")
    func refused() async throws {
        let browser = LoopbackBrowser { _ in }
        for address in ["http://127.0.0.1:8080/cb", "https://127.0.0.1/cb", "http://localhost/cb", "http://192.0.2.1/cb", "com.example:/cb"] {
            let url = try #require(URL(string: address))
            await #expect(throws: BrowserError.unavailable) { try await browser.visit(redirectURL: url) }
        }
        let visit = try await browser.visit(redirectURL: try #require(URL(string: "http://127.0.0.1/cb")))
        let address = try #require(URL(string: "https://login.example/"))
        let waiting = Task { try await visit.open(address) }
        waiting.cancel()
        await #expect(throws: BrowserError.cancelled) { try await waiting.value }
    }

    @Test("Each error has a sentence, a name without what it carries, and an exit code that scripts know")
    func errors() {
        #expect(TokenError.refused(.invalidScope).name == "refused" && TokenError.refused(.invalidRequest).sentence.contains("invalid_request"))
        // And says what to do where that is known.
        let told: [(TokenError, String)] = [
            (.refused(.unauthorizedClient), "grant_types"), (.refused(.invalidScope), "--scope"), (.refused(.invalidClient), "--client-id"),
            (.accessTokenRefused, "--call"), (.storeUnreadable, "tokens.json"),
        ]
        for (error, words) in told { #expect(error.sentence.contains(words), "\(error)") }
        #expect(TokenError.loginOver.exit == .codeOver && TokenError.serverConnection.exit == .serverUnreachable)
        #expect(TokenError.idToken(.issuer).exit == .serverIdentity && TokenError.cancelled.exit == .cancelledOrDenied)
    }
}
