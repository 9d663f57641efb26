import Authentication
import HTTPTypes
import Hummingbird
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// A page that is open in a browser, and what its stream has told it. A test waits for what it expects; nothing here waits for time to pass.
final class PageScreen {
    private var told: AsyncStream<String>.Iterator
    private let task: Task<Void, any Error>
    private(set) var seen: [PageEvent] = []

    init(_ premises: PagesFixture, cookie: String, isStill: Bool = false) async throws {
        let (texts, continuation) = AsyncStream.makeStream(of: String.self)
        let page = try await premises.pageRoutes.pages.page(PageClient.page(cookie), in: [.cookie: cookie], at: premises.clock.now)
        let stream = try await premises.pageRoutes.stream(of: page, isStill: isStill)
        told = texts.makeAsyncIterator()
        task = Task {
            defer { continuation.finish() }
            var writer: any ResponseBodyWriter = ScreenWriter(continuation: continuation)
            try await stream.write(to: &writer)
        }
    }

    deinit { task.cancel() }

    /// The next event; nil when the stream has ended.
    func next() async -> PageEvent? {
        while let text = await told.next() {
            guard let event = PageEvent.all(in: text).first else { continue }
            seen.append(event)
            return event
        }
        return nil
    }

    /// The next snapshot with that state.
    @discardableResult
    func until(_ state: String) async throws -> JSONObject {
        while let event = await next() {
            if event.name == "page", event.data.text("state") == state { return event.data }
        }
        throw ScreenEnded()
    }

    /// What the stream writes next, events and signs of life.
    func nextText() async -> String? { await told.next() }

    /// The states that were shown, in order.
    var states: [String] { seen.filter { $0.name == "page" }.compactMap { $0.data.text("state") } }
}

struct ScreenEnded: Error {}

private struct ScreenWriter: ResponseBodyWriter {
    let continuation: AsyncStream<String>.Continuation

    mutating func write(_ buffer: ByteBuffer) async throws { continuation.yield(String(buffer: buffer)) }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { continuation.finish() }
}
