import Foundation
import Hummingbird
import NIOCore
import NIOPosix
import OstiaryTesting
import Testing

@testable import HTTPService

/// Sockets that were opened for us.
@Suite("Sockets that were handed over", .serialized, .timeLimit(.minutes(10)))
struct HandedSocketTests {
    /// Listens on any port of this machine.
    /// - Returns: the port, and so many descriptors of the socket, in the place of those that a starter would use: these numbers are ours alone.
    private func listening(copies: Int = 1) throws -> (port: Int, descriptors: [Int32]) {
        let socket = try LoopbackSocket()
        return (Int(socket.port), (0..<copies).map { _ in dup(socket.descriptor) })
    }

    private func handed(_ environment: [String: String], _ descriptors: [Int32]) throws -> HandedSockets {
        try HandedSockets(environment: environment, for: ["public", "private"], process: 4711) { descriptors[$0] }
    }

    @Test("A server serves on the socket that it was handed, whatever address its settings name, and tells the socket's own")
    func serves() async throws {
        let (port, descriptors) = try listening()
        let socket = try handed(["LISTEN_FDS": "1", "LISTEN_FDNAMES": "public", "LISTEN_PID": "4711"], descriptors)["public"]
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware()
        router.get("/who") { _, context in context.remoteAddress ?? "nobody" }
        try await RunningServer.with(router, socket: socket) { server in
            #expect(server.port == port)
            let answer = try await RawConnection.exchange(
                port: port, [Array("GET /who HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)])
            #expect(answer?.hasSuffix("127.0.0.1") == true)
        }
    }

    @Test("Names say which socket is whose; none are there without LISTEN_FDS, or when they are another process's")
    func names() throws {
        let (_, descriptors) = try listening(copies: 2)
        defer { for descriptor in descriptors { close(descriptor) } }
        let both = try handed(["LISTEN_FDS": "2", "LISTEN_FDNAMES": "private:public"], descriptors)
        #expect(both["private"]?.descriptor == descriptors[0] && both["public"]?.descriptor == descriptors[1])
        #expect(both["health"] == nil)
        #expect(try handed([:], descriptors)["public"] == nil)
        #expect(try handed(["LISTEN_FDS": "1", "LISTEN_FDNAMES": "public", "LISTEN_PID": "4712"], descriptors)["public"] == nil)
    }

    @Test(
        "What cannot be used is one clear line",
        arguments: [
            (["LISTEN_FDS": "1"], "FileDescriptorName=public"), (["LISTEN_FDS": "1", "LISTEN_FDNAMES": "ostiary.socket"], "ostiary.socket"),
            (["LISTEN_FDS": "2", "LISTEN_FDNAMES": "public:public"], "two sockets"), (["LISTEN_FDS": "x"], "LISTEN_FDS"),
            (["LISTEN_FDS": "3", "LISTEN_FDNAMES": "public:private:public"], "two sockets"),
            (["LISTEN_FDS": "1", "LISTEN_FDNAMES": "public:private"], "2 names for 1 sockets"), (["LISTEN_FDS": "-1"], "LISTEN_FDS"),
        ])
    func refused(environment: [String: String], words: String) throws {
        let (_, descriptors) = try listening(copies: 2)
        defer { for descriptor in descriptors { close(descriptor) } }
        let error = #expect(throws: ServerStartError.self) { try handed(environment, descriptors) }
        #expect(error?.description.contains(words) == true && error?.description.contains("\n") == false, "\(error?.description ?? "")")
    }

    @Test("A descriptor that is no socket is one clear line")
    func noSocket() throws {
        let nothing = open("/dev/null", O_RDONLY)
        defer { close(nothing) }
        let error = #expect(throws: ServerStartError.self) { try handed(["LISTEN_FDS": "1", "LISTEN_FDNAMES": "public"], [nothing]) }
        #expect(error?.description.contains("no stream socket") == true)
    }

    @Test("A date is written as HTTP has it")
    func date() {
        var second: time_t = 784_111_777
        let date = HTTPDate.text(of: &second)
        #expect(date == "Sun, 06 Nov 1994 08:49:37 GMT" && date.utf8.count == HTTPDate.length)
    }
}
