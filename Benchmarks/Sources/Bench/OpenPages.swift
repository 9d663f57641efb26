import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// Login pages that are open in browsers: each has its stream, and hears what its code says every five seconds.
struct OpenPages: Sendable {
    let servers: Servers
    let count: Int
    /// For so long the server is metered without pages, and then with them.
    let seconds: Int

    struct Measured {
        /// Of the server without a page, each second.
        let idle: Cost
        /// Of the server with all pages, each second.
        let busy: Cost
        /// What a page adds, each second.
        let page: Cost
    }

    /// The same server in one run, first without pages and then with them; the second-factor server has nothing to do with them.
    /// - Throws: `BenchError` when not every page heard what it should have meanwhile: then something else was measured.
    func measure() async throws -> Measured {
        try await settle()
        let idle = try await metered()
        var configuration = HTTPClient.Configuration()
        // A stream holds its connection.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = count + 8
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let busy = try await withPages(by: client)
            try await client.shutdown()
            return Measured(idle: idle, busy: busy, page: (busy - idle).each(of: count))
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private func withPages(by client: HTTPClient) async throws -> Cost {
        var pages: [Request] = []
        for _ in 0..<count { pages.append(try await open(by: client)) }
        let heard = Heard(count)
        return try await withThrowingTaskGroup(of: Cost?.self) { group in
            for (place, page) in pages.enumerated() {
                group.addTask {
                    try await page.listen(by: client) { heard.note(at: place) }
                    // A stream ends with its page or its server, and neither ends here.
                    throw BenchError("a page's stream ended")
                }
            }
            group.addTask {
                try await settle()
                heard.forget()
                let busy = try await metered()
                guard heard.fewest >= seconds / 5 - 1 else {
                    throw BenchError("a page heard \(heard.fewest) times of its code in \(seconds) seconds")
                }
                return busy
            }
            defer { group.cancelAll() }
            while let told = try await group.next() {
                if let told { return told }
            }
            throw BenchError("nothing was measured")
        }
    }

    /// What was begun is over, and pages are in the turn of their ticks.
    private func settle() async throws { try await Task.sleep(for: .seconds(8)) }

    private func metered() async throws -> Cost {
        let meter = servers.serveMeter()
        let before = meter.now()
        try await Task.sleep(for: .seconds(seconds))
        return (meter.now() - before).each(of: seconds)
    }

    /// What a backend and a browser do until the page has its cookie.
    private func open(by client: HTTPClient) async throws -> Request {
        struct Link: Decodable { let url: String }
        struct Opened: Decodable { let page: String }
        let told = try await servers.call(
            "POST", "/servers/\(servers.serverID)/sessions/page", nonce: Person.nonce(),
            body: #"{"kind":"login","returnurl":"\#(servers.origin)/l?back"}"#)
        let link = try JSONDecoder().decode(Link.self, from: Data(told)).url
        guard let ticket = link.split(separator: "#").last else { throw BenchError("a link without a ticket") }
        var request = HTTPClientRequest(url: servers.origin + "/pages/ticket")
        request.method = .POST
        request.headers.add(name: "Origin", value: servers.origin)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: #"{"ticket":"\#(ticket)"}"#))
        let response = try await client.execute(request, timeout: .seconds(10))
        let body = try await response.body.collect(upTo: 1 << 16)
        guard response.status == .ok, let cookie = response.headers.first(name: "Set-Cookie")?.split(separator: ";").first else {
            throw BenchError("a ticket: \(response.status)")
        }
        let page = try JSONDecoder().decode(Opened.self, from: Data(body.readableBytesView)).page
        return Request(url: "\(servers.origin)/pages/events?page=\(page)", cookie: String(cookie))
    }

    /// A page's question for its stream.
    private struct Request: Sendable {
        let url: String
        let cookie: String

        /// Calls `heard` with each word of what the code says, until the stream ends.
        func listen(by client: HTTPClient, heard: () -> Void) async throws {
            var request = HTTPClientRequest(url: url)
            request.headers.add(name: "Cookie", value: cookie)
            let response = try await client.execute(request, timeout: .hours(1))
            guard response.status == .ok else { throw BenchError("a stream: \(response.status)") }
            for try await part in response.body where String(buffer: part).contains("event: code") { heard() }
        }
    }

    /// How often each page heard of its code.
    private final class Heard: Sendable {
        private let counts: Mutex<[Int]>

        init(_ pages: Int) { counts = Mutex([Int](repeating: 0, count: pages)) }

        func note(at page: Int) { counts.withLock { $0[page] += 1 } }
        func forget() { counts.withLock { $0 = $0.map { _ in 0 } } }
        var fewest: Int { counts.withLock { $0.min() ?? 0 } }
    }
}

extension OpenPages {
    /// Measures, and adds what came out, side by side.
    func measure(into table: inout Table) async throws {
        let measured = try await measure()
        table.add("no login page open, each second", measured.idle)
        table.add("\(count) login pages open, each second", measured.busy, "\(seconds) s without and \(seconds) s with them")
        table.add("a login page that is open, each second", measured.page)
    }
}
