import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// The demonstration as its page drives it: real servers behind their relays, and every attack of the tour really tried on them.
@Suite("The demonstration's page and its thieves", .serialized)
struct ThiefTests {
    /// A demonstration that runs.
    private final class Running: Sendable {
        let program: Program
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let origin: String
        let secret: String

        init() async throws {
            let program = try Program(["demo", "--no-browser"])
            self.program = program
            try await eventually("the overview: \(program.complaints)") { program.output.contains(" enrol \u{27}") }
            let line = try #require(program.lines.first { $0.contains("  open this ") })
            let address = try #require(line.split(separator: " ").last).split(separator: "#").map(String.init)
            try #require(address.count == 2)
            (origin, secret) = (String(address[0].dropLast()), address[1])
        }

        deinit { client.shutdown { _ in } }

        func request(_ method: HTTPMethod, _ path: String, secret: String? = nil, origin other: String? = nil) -> HTTPClientRequest {
            var request = HTTPClientRequest(url: origin + path)
            request.method = method
            request.headers.add(name: "X-Demo-Secret", value: secret ?? self.secret)
            if method == .POST { request.headers.add(name: "Origin", value: other ?? origin) }
            return request
        }

        func answer(_ request: HTTPClientRequest) async throws -> (status: Int, json: JSONLine?) {
            let answer = try await client.execute(request, timeout: .minutes(10))
            let text = String(buffer: try await answer.body.collect(upTo: 1 << 20))
            return (Int(answer.status.code), try? JSONLine(text))
        }

        /// What the feed tells until `isEnough`, or for minutes: its empty lines come every 15 seconds.
        func feed(until isEnough: @Sendable ([JSONLine]) -> Bool) async throws -> [JSONLine] {
            let answer = try await client.execute(request(.GET, "/demo/feed"), timeout: .minutes(5))
            var (lines, rest): ([JSONLine], String) = ([], "")
            let end = ContinuousClock.now + .aHang
            for try await part in answer.body {
                var texts = (rest + String(buffer: part)).components(separatedBy: "\n")
                rest = texts.removeLast()
                lines += try texts.filter { !$0.isEmpty }.map { try JSONLine($0) }
                if isEnough(lines) || ContinuousClock.now > end { break }
            }
            return lines
        }

        func stop() async throws {
            program.signal(SIGTERM)
            try await program.end()
        }
    }

    @Test("Every attack of the tour is really tried and comes to nothing, twice; what passed meanwhile is told, and what is sealed is not")
    func thieves() async throws {
        let demo = try await Running()
        for round in 1...2 {
            for move in ThiefMove.allCases {
                let told = try await demo.answer(demo.request(.POST, "/demo/thief/\(move.rawValue)"))
                #expect(told.status == 200 && told.json?["outcome"] == .string("held"), "\(move), round \(round): \(String(describing: told.json))")
                #expect((told.json?["seen"]?.array?.count ?? 0) >= 2, "\(move) says what it did")
            }
        }
        let names = ["E1", "E3", "W1", "L1", "L5", "M1", "M3", "Ping", "Ans", "Bundle", "Ticket", "Proof", "SfAnswer"]
        let lines = try await demo.feed { lines in names.allSatisfy { name in lines.contains { $0["name"]?.string == name } } }
        for name in names { #expect(lines.contains { $0["name"]?.string == name }, "\(name) was not told") }
        let messages = lines.filter { $0["name"] != nil }
        for message in messages where message["name"]?.string == "Ans" {
            #expect(message["fields"]?.array?.allSatisfy { $0["text"] == nil && $0["opens"]?.string == "phone" } == true)
        }
        for message in messages where ["M1", "Ticket"].contains(message["name"]?.string) {
            let sealed = message["fields"]?.array?.first { $0["name"]?.string == "sealed" }
            #expect(sealed?["text"] == nil && sealed?["opens"]?.string == "secondFactor" && (sealed?["sealed"]?.int ?? 0) > 0)
        }
        // Thieves do no step of the visitor's tour.
        #expect(lines.filter { $0["done"] != nil }.allSatisfy { $0["done"] == .array([]) })
        let spelled = "\(lines)"
        #expect(!spelled.contains("274916"), "a PIN in the feed")
        try await demo.stop()
    }

    @Test("Nobody drives the page without its secret, from another site, or under another name; one thief works at a time")
    func guarded() async throws {
        let demo = try await Running()
        #expect(try await demo.answer(demo.request(.GET, "/demo/state")).status == 200)
        // However the path is written.
        for path in ["/demo/state", "//demo/state", "/demo//state", "/demo/state/", "/./demo/state", "/%64emo/state", "/DEMO/state"] {
            let told = try await demo.answer(demo.request(.GET, path, secret: "guess"))
            #expect([403, 404].contains(told.status) && told.json?["site"] == nil, "\(path): \(told.status)")
        }
        #expect(try await demo.answer(demo.request(.POST, "/demo/thief/replay", secret: "guess")).status == 403)
        #expect(try await demo.answer(demo.request(.POST, "/demo/thief/replay", origin: "http://evil.example")).status == 403)
        #expect(try await demo.answer(demo.request(.POST, "/demo/thief/nothing")).status == 404)
        var rebound = demo.request(.GET, "/")
        rebound.headers.replaceOrAdd(name: "Host", value: "evil.example")
        #expect(try await demo.answer(rebound).status == 403)

        let page = try await demo.client.execute(demo.request(.GET, "/"), timeout: .minutes(5))
        let policy = try #require(page.headers.first(name: "content-security-policy"))
        #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'") && !policy.contains("unsafe"))
        #expect(!demo.program.complaints.contains(demo.secret))

        // Two at once: one works, and the other is told that he has to wait; on a busy machine he may come when the first is done.
        var told: [Int] = []
        for _ in 0..<5 where told != [200, 409] {
            told = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<2 { group.addTask { try await demo.answer(demo.request(.POST, "/demo/thief/yesterdaysBackup")).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            .sorted()
        }
        #expect(told == [200, 409])
        try await demo.stop()
    }

    @Test("Login pages and the website may be shown in a frame of the demonstration's page and of no other")
    func frames() async throws {
        let demo = try await Running()
        let login = try #require(demo.program.lines.first { $0.contains("  authentication server ") }?.split(separator: " ").last)
        let page = try await demo.client.execute(HTTPClientRequest(url: "\(login)/login"), timeout: .minutes(5))
        #expect(page.headers["x-frame-options"].isEmpty)
        let policy = try #require(page.headers.first(name: "content-security-policy"))
        #expect(policy.contains("frame-ancestors \(demo.origin)") && !policy.contains("frame-ancestors 'none'"))
        let site = try #require(demo.program.lines.first { $0.contains("  website ") }?.split(separator: " ").last)
        let hallway = try await demo.client.execute(HTTPClientRequest(url: "\(site)/style.css"), timeout: .minutes(5))
        #expect(hallway.headers.first(name: "content-security-policy")?.contains("frame-ancestors \(demo.origin)") == true)
        try await demo.stop()
    }
}
