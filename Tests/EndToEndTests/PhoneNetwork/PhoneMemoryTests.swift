import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

/// A stranger's code leads the phone to a server that sends 600 MB, 600 KB of which go over the wire where they are packed.
@Suite("Memory of the phone on a computer", .serialized, .timeLimit(.minutes(10)))
struct PhoneMemoryTests {
    private static let heads = [
        "Content-Encoding: gzip\r\nContent-Length: \(PackedBomb.gzipHead.count + 600 * PackedBomb.megabyte.count)",
        "Content-Encoding: deflate", "X: y",
    ]

    private func server(_ head: String) throws -> RawServer {
        try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n")
            if !head.contains("deflate") { connection.send(PackedBomb.gzipHead) }
            for _ in 0..<600 where !connection.send(PackedBomb.megabyte) { return }
        }
    }

    private func link(to server: RawServer) -> String {
        let link = EnrolLink(
            rootHash: [UInt8](repeating: 7, count: 32), enrolID: EnrolmentID(using: SystemRandomSource()),
            enrolSecret: [UInt8](repeating: 1, count: 16), url: "http://127.0.0.1:\(server.port)")
        return "http://127.0.0.1:\(server.port)/l#\(Base64URL.encode(link.encoded))"
    }

    @Test("ostiary phone takes none of it, asks again, and ends with an answer that cannot be understood", arguments: heads)
    func terminal(_ head: String) async throws {
        let (folder, server) = (try TemporaryFolder(), try server(head))
        let program = try Program(["phone", "--home", folder.file("phone"), "--json", "--yes", "--pin-stdin", "enrol", link(to: server)])
        let use = ProcessUse(process: program.id)
        var most = 0
        // Its patience is seconds long, and the most is looked at while it lasts.
        while program.isRunning {
            most = max(most, (try? use.peakMiB) ?? 0)
            try await Task.sleep(for: .milliseconds(15))
        }
        #expect(try await program.end() == 1, "\(program.output) \(program.complaints)")
        #expect(try JSONLine(try #require(program.lines.last))["name"] == .string("serverAnswer"), "\(program.output)")
        #expect(most > 0 && most < 256, "\(most) MiB")
        #expect(server.requests.count > 1)
    }

    @Test("Nor does its page, which answers meanwhile")
    func page() async throws {
        let (folder, server) = (try TemporaryFolder(), try server(Self.heads[0]))
        let program = try Program(["phone", "--ui", "--json", "--home", folder.file("home")])
        let page = try PageCaller(try #require(try await program.event("page")["address"]?.string))
        #expect(try await page.call("link", #"{"link":"\#(link(to: server))"}"#).status == 200)
        try await eventually("it has asked again") { server.requests.count > 1 }
        _ = try await page.shown()
        let most = try ProcessUse(process: program.id).peakMiB
        #expect(most > 0 && most < 256, "\(most) MiB")
        program.signal(SIGTERM)
        #expect(try await program.end() == 0)
    }
}
