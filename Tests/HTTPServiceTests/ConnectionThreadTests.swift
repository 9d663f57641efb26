import HTTPService
import Hummingbird
import NIOPosix
import Testing

@Suite("On which thread a request is answered", .timeLimit(.minutes(10)))
struct ConnectionThreadTests {
    /// The event loop whose thread this is.
    private static var loop: ObjectIdentifier? { MultiThreadedEventLoopGroup.currentEventLoop.map { ObjectIdentifier($0) } }

    private func router() -> Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware()
        return router
    }

    private func get(_ path: String, of server: RunningServer) async throws -> String? {
        try await RawConnection.exchange(
            port: server.port, [Array("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)])
    }

    @Test("On that of its connection, before and after it has waited, also for what it does at once; what it does aside is done elsewhere")
    func stays() async throws {
        let router = router()
        router.get("/where") { _, _ in
            let first = Self.loop
            await Task.yield()
            let second = Self.loop
            async let third = Self.loop
            let beside = await third
            let aside = await aside { Self.loop }
            let last = Self.loop
            return "\(first != nil) \(second == first) \(beside == first) \(aside == nil) \(last == first)"
        }
        try await RunningServer.with(router) { server in
            let answer = try await get("/where", of: server)
            #expect(answer?.hasSuffix("\r\n\r\ntrue true true true true") == true, "\(answer ?? "nothing")")
        }
    }

    @Test("Requests that wait hold up no other, however many of them share a thread")
    func waiting() async throws {
        let router = router()
        let (open, waiting) = (AwaitedValue(false), AwaitedValue(0))
        router.get("/wait") { _, _ in
            waiting.change { $0 += 1 }
            await open.wait { $0 }
            return "waited"
        }
        router.get("/now") { _, _ in "now" }
        try await RunningServer.with(router) { server in
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<40 { group.addTask { try await get("/wait", of: server) } }
                await waiting.wait { $0 == 40 }
                for _ in 0..<20 { #expect(try await get("/now", of: server)?.hasSuffix("now") == true) }
                open.change { $0 = true }
                for try await answer in group { #expect(answer?.hasSuffix("waited") == true) }
            }
        }
    }

    @Test("A body that arrives in pieces is read on that thread, too")
    func body() async throws {
        let router = router()
        router.post("/length") { request, _ in
            let length = try await request.bytes().count
            return "\(length) \(Self.loop != nil)"
        }
        try await RunningServer.with(router) { server in
            let head = Array("POST /length HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 6\r\n\r\n".utf8)
            let answer = try await RawConnection.exchange(
                port: server.port, [head, Array("abc".utf8), Array("def".utf8)], pause: .milliseconds(20))
            #expect(answer?.hasSuffix("\r\n\r\n6 true") == true, "\(answer ?? "nothing")")
        }
    }
}
