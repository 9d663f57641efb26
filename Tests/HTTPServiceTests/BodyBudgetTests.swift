import Hummingbird
import NIOCore
import Testing

@testable import HTTPService

@Suite("Memory of unfinished bodies", .timeLimit(.minutes(10)))
struct BodyBudgetTests {
    private func router() -> Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware()
        router.post("/length") { request, _ in "\(try await request.bytes().count) bytes" }
        return router
    }

    private func body(_ length: Int, of announced: Int) -> [UInt8] {
        Array("POST /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(announced)\r\n\r\n".utf8)
            + [UInt8](repeating: 7, count: length)
    }

    @Test("What unfinished bodies hold together is bounded: beyond it 503 with Retry-After, and the memory comes back when they go")
    func bounded() async throws {
        let budget = BodyBudget(bytes: 100_000, free: 1_000)
        let limits = ServiceLimits(idle: .hours(1), arrival: .hours(1), bodies: budget)
        try await RunningServer.with(router(), limits: limits) { server in
            let first = try await HeldConnection(port: server.port, sending: body(60_000, of: 65_536))
            try await until("the first is held") { budget.held == 59_000 }
            let second = try await HeldConnection(port: server.port, sending: body(60_000, of: 65_536))
            let refusal = try #require(await second.firstAnswer())
            #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("Retry-After: 5") && refusal.contains("overloaded"))
            try await until("what the second held is given back") { budget.held == 59_000 }

            // A short one is served all the same, and one that is whole holds nothing.
            let short = try await HeldConnection(port: server.port, sending: body(1_000, of: 1_000))
            #expect(try await short.end().hasSuffix("1000 bytes"))
            try await first.send([UInt8](repeating: 7, count: 5_536))
            #expect(try await first.end().hasSuffix("65536 bytes"))
            try await until("nothing is held") { budget.held == 0 }

            let broken = try await HeldConnection(port: server.port, sending: body(60_000, of: 65_536))
            try await until("held again") { budget.held == 59_000 }
            await broken.close()
            try await until("given back") { budget.held == 0 }
        }
    }

    @Test("A body that is refused for its size gives back what it held")
    func tooLarge() async throws {
        let budget = BodyBudget(bytes: 1_000_000, free: 0)
        try await RunningServer.with(router(), limits: ServiceLimits(bodies: budget)) { server in
            let chunks = String(repeating: "1000\r\n" + String(repeating: "d", count: 4096) + "\r\n", count: 20)
            let head = "POST /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
            let large = try await HeldConnection(port: server.port, sending: Array((head + chunks).utf8))
            #expect(await large.firstAnswer()?.hasPrefix("HTTP/1.1 413 ") == true)
            try await until("nothing is held") { budget.held == 0 }
        }
    }

    /// Sizes near 2^63 and 2^64: one that is made a signed number, or added to what came, must not end the process or turn negative.
    @Test(
        "A chunk that says it is larger than any number is no body: what of it comes is counted as it comes",
        arguments: ["7fffffffffffffff", "8000000000000000", "fffffffffffffffe", "ffffffffffffffff", "10000000000000000", "ffffffffffffffffffff"])
    func hugeChunk(size: String) async throws {
        let budget = BodyBudget(bytes: 1_000_000, free: 0)
        try await RunningServer.with(router(), limits: ServiceLimits(bodies: budget)) { server in
            let head = "POST /length HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            for before in ["", "5\r\nhello\r\n"] {
                let opening = Array((head + before + "\(size)\r\n").utf8)
                // Its client goes without a word more: nobody is told that a body came.
                let short = try #require(
                    try await RawConnection.exchange(port: server.port, [opening + Array("abc".utf8)], endsOutput: true))
                #expect(!short.contains(" 200 ") && !short.contains(" 500 "), "\(short)")
                // It sends on: beyond the limit it is refused as any other is.
                let long = try await HeldConnection(port: server.port, sending: opening + [UInt8](repeating: 7, count: 80_000))
                let refusal = try #require(await long.firstAnswer())
                #expect(refusal.hasPrefix(size.utf8.count > 16 ? "HTTP/1.1 400 " : "HTTP/1.1 413 "), "\(refusal)")
                await long.close()
            }
            try await until("nothing is held") { budget.held == 0 }
            let after = Array("POST /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi".utf8)
            #expect(try await RawConnection.exchange(port: server.port, [after])?.hasSuffix("2 bytes") == true)
        }
    }
}
