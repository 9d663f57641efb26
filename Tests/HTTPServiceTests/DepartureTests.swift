import Hummingbird
import NIOCore
import OstiaryTesting
import Testing

@testable import HTTPService

@Suite("A client that has gone", .timeLimit(.minutes(5)))
struct DepartureTests {
    /// Those who listen.
    private let began = AwaitedValue<Set<String>>([])
    /// Those who have gone.
    private let left = AwaitedValue<Set<String>>([])

    /// Answers until its client has gone, whom the address names.
    private var router: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware()
        router.get("/listen/{name}") { [began, left] _, context -> Response in
            let name = try #require(context.parameters.get("name"))
            let otherEnd = try #require(context.otherEnd)
            let body = ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "begun"))
                began.change { $0.formUnion([name]) }
                await otherEnd.leaves()
                left.change { $0.formUnion([name]) }
                try await writer.finish(nil)
            }
            return Response(status: .ok, body: body)
        }
        return router
    }

    private static func ask(_ name: String) -> [UInt8] { Array("GET /listen/\(name) HTTP/1.1\r\nHost: a\r\n\r\n".utf8) }

    @Test(
        "Who answers as long as somebody listens is told when that one goes, however it goes, and not when another does",
        arguments: RawClient.Leaving.allCases)
    func goes(way: RawClient.Leaving) async throws {
        let (began, left) = (began, left)
        try await RunningServer.with(router) { server in
            let port = server.port
            let stays = try await HeldConnection(port: port, sending: Self.ask("stays"))
            let goes = try await onOwnThread { try RawClient(port: port) }
            // What was not read would break the connection off.
            let begun = await onOwnThread {
                goes.send(Self.ask("goes"))
                return goes.hear("begun\r\n")
            }
            #expect(begun.hasSuffix("begun\r\n"))
            await began.wait { $0 == ["stays", "goes"] }
            await onOwnThread { goes.leave(way) }
            await left.wait { !$0.isEmpty }
            #expect(left.value == ["goes"])
            await stays.close()
            await left.wait { $0 == ["stays", "goes"] }
        }
    }

    @Test("Who has closed its half with the request has gone as well, and the answer ends as a whole")
    func goneBefore() async throws {
        try await RunningServer.with(router) { server in
            let port = server.port
            let answer = try await onOwnThread { try RawClient.exchange(port: port, [Self.ask("goes")]) }
            let text = String(decoding: answer, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\n5\r\nbegun\r\n0\r\n\r\n"), "\(text)")
        }
    }
}
