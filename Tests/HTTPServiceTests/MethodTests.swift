import Foundation
import HTTPService
import Hummingbird
import Logging
import NIOCore
import Testing

@Suite("Methods", .timeLimit(.minutes(10)))
struct MethodTests {
    private func router() -> Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware()
        router.get("/thing/{id}") { _, context in "thing \(context.parameters.get("id") ?? "?")" }
        router.put("/thing/{id}") { _, _ in "put" }
        router.post("/thing/new") { request, _ in ByteBuffer(bytes: try await request.bytes()) }
        router.get("/lost") { _, _ -> String in throw ErrorResponse.notFound }
        router.get("/stream") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "piece"))
                    try await writer.finish(nil)
                })
        }
        return router
    }

    /// Head and body of an answer.
    private struct Answer {
        let status: String
        let fields: [String: String]
        let body: String

        init(_ text: String) {
            let halves = text.components(separatedBy: "\r\n\r\n")
            let lines = halves[0].components(separatedBy: "\r\n")
            status = lines[0]
            fields = Dictionary(
                lines.dropFirst().compactMap { line in
                    line.firstIndex(of: ":").map { (line[..<$0].lowercased(), line[$0...].dropFirst(2).description) }
                }, uniquingKeysWith: { $1 })
            body = halves.dropFirst().joined(separator: "\r\n\r\n")
        }

        /// Whether it is JSON with this word, and with the id that the header says.
        func isError(_ word: String) -> Bool {
            let members = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: String]
            return members?["error"] == word && members?["requestId"] == fields["x-request-id"] && members?["message"]?.isEmpty == false
        }
    }

    private func ask(_ server: RunningServer, _ line: String) async throws -> Answer {
        let bytes = Array("\(line) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
        return Answer(try #require(try await RawConnection.exchange(port: server.port, [bytes])))
    }

    @Test("HEAD is GET without the body: the same status, the same length, nothing after it")
    func head() async throws {
        try await RunningServer.with(router()) { server in
            for path in ["/thing/7", "/lost", "/nowhere"] {
                let (get, head) = (try await ask(server, "GET \(path)"), try await ask(server, "HEAD \(path)"))
                #expect(get.status == head.status && head.body.isEmpty && !get.body.isEmpty)
                #expect(Set(get.fields.keys) == Set(head.fields.keys))
                #expect(get.fields["content-length"] == "\(get.body.utf8.count)")
                #expect(get.fields["content-length"] == head.fields["content-length"])
            }
            #expect(try await ask(server, "HEAD /stream").body.isEmpty)
            let other = try await ask(server, "HEAD /thing/new")
            #expect(other.status.contains(" 405 ") && other.fields["allow"] == "OPTIONS, POST" && other.body.isEmpty)
        }
    }

    @Test("An address with a HEAD of its own is not asked by GET: what GET does there is not done")
    func ownHead() async throws {
        let router = router()
        router.get("/spend") { _, _ -> String in throw ErrorResponse.contentTooLarge }
        router.on("/spend", method: .head) { _, _ in "looked" }
        try await RunningServer.with(router) { server in
            #expect(try await ask(server, "GET /spend").status.contains(" 413 "))
            let head = try await ask(server, "HEAD /spend")
            #expect(head.status.contains(" 200 ") && head.body.isEmpty && head.fields["content-length"] == "6")
            #expect(try await ask(server, "OPTIONS /spend").fields["allow"] == "GET, HEAD, OPTIONS")
            #expect(try await ask(server, "PUT /spend").fields["allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test("HEAD of a stream begins it and ends it at once: what it holds is let go")
    func headOfStream() async throws {
        let router = router()
        let (ended, report) = AsyncStream.makeStream(of: Bool.self)
        router.get("/endless") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    defer { report.yield(true) }
                    while true { try await writer.write(ByteBuffer(string: "again")) }
                })
        }
        try await RunningServer.with(router) { server in
            let answer = try await ask(server, "HEAD /endless")
            #expect(answer.status.contains(" 200 ") && answer.body.isEmpty)
            for await isEnded in ended {
                #expect(isEnded)
                break
            }
        }
    }

    /// Codings beside `chunked` were taken for it.
    @Test("A body is chunked once or has a length: any other coding is 501 and the end of the connection, and before HTTP/1.1 there is none")
    func codings() async throws {
        try await RunningServer.with(router()) { server in
            let next = "GET /thing/7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let body = "\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
            let words = [
                "gzip, chunked", "identity, chunked", ",chunked", "chunked,", "chunked\r\nTransfer-Encoding: chunked",
                "identity\r\nTransfer-Encoding: chunked",
            ]
            for (version, coding) in words.map({ ("1.1", $0) }) + [("1.0", "chunked")] {
                let request = "POST /thing/new HTTP/\(version)\r\nHost: x\r\nTransfer-Encoding: \(coding)\(body)\(next)"
                let answer = Answer(try #require(try await RawConnection.exchange(port: server.port, [Array(request.utf8)])))
                #expect(answer.status.contains(" 501 ") || answer.status.contains(" 400 "), "\(coding): \(answer.status)")
                #expect(answer.fields["connection"] == "close" && !answer.body.contains("HTTP/1.1 "), "\(coding)")
            }
            // The second is spelled with the sign of kelvin, whose small letter is a k.
            for coding in ["gzip, chunked", "chun\u{212A}ed"] {
                let coded = "POST /thing/new HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \(coding)\(body)"
                let refused = Answer(try #require(try await RawConnection.exchange(port: server.port, [Array(coded.utf8)])))
                #expect(refused.status.contains(" 501 ") && refused.isError("not_implemented"), "\(coding)")
            }
            for chunked in ["chunked", "Chunked"] {
                let request = "POST /thing/new HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: \(chunked)\(body)"
                let answer = Answer(try #require(try await RawConnection.exchange(port: server.port, [Array(request.utf8)])))
                #expect(!answer.status.contains(" 501 ") && !answer.status.contains(" 400 "), "\(answer.status)")
            }
        }
    }

    @Test("Of the host in an absolute address there is no more than of the Host: it may be any")
    func absolute() async throws {
        try await RunningServer.with(router()) { server in
            let request = "GET http://elsewhere.example/thing/7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let answer = Answer(try #require(try await RawConnection.exchange(port: server.port, [Array(request.utf8)])))
            #expect(answer.status.contains(" 200 "), "\(answer.status)")
        }
    }

    @Test("A request names one Host: none or two are 400 and the end of the connection, and before HTTP/1.1 there may be none")
    func host() async throws {
        try await RunningServer.with(router()) { server in
            func status(_ request: String) async throws -> String {
                let answer = Answer(try #require(try await RawConnection.exchange(port: server.port, [Array(request.utf8)])))
                if answer.status.contains(" 400 ") { #expect(answer.isError("bad_request") && answer.fields["connection"] == "close") }
                #expect(!answer.body.contains("HTTP/1"), "one answer, and nothing of what follows")
                return answer.status
            }
            let end = "Connection: close\r\n\r\n"
            let smuggled = "POST /thing/new HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloGET /thing/7 HTTP/1.1\r\nHost: x\r\n" + end
            let answers = [
                ("GET /thing/7 HTTP/1.1\r\nHost: x\r\n" + end, 200), ("GET /thing/7 HTTP/1.1\r\nHost:\r\n" + end, 200),
                ("GET /thing/7 HTTP/1.0\r\n" + end, 200), ("GET /thing/7 HTTP/1.1\r\n\r\n", 400),
                ("GET /thing/7 HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n", 400),
                ("GET /thing/7 HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", 400), (smuggled, 400),
            ]
            for (request, expected) in answers {
                let found = try await status(request)
                #expect(found.contains(" \(expected) "), "\(request)")
            }
        }
    }

    @Test("OPTIONS says what an address takes, 204 with Allow; and * what any does")
    func options() async throws {
        try await RunningServer.with(router()) { server in
            let thing = try await ask(server, "OPTIONS /thing/7")
            #expect(thing.status.contains(" 204 ") && thing.fields["allow"] == "GET, HEAD, OPTIONS, PUT" && thing.body.isEmpty)
            #expect(try await ask(server, "OPTIONS /thing/new").fields["allow"] == "OPTIONS, POST")
            #expect(try await ask(server, "OPTIONS *").fields["allow"] == "GET, HEAD, OPTIONS, POST, PUT")
            #expect(try await ask(server, "OPTIONS /nowhere").status.contains(" 404 "))
        }
    }

    @Test("An address that answers OPTIONS by itself is asked, and no other is; * is nobody's own")
    func ownOptions() async throws {
        let router = router()
        router.post("/shared") { _, _ in "shared" }
        router.on("/shared", method: .options) { _, _ in Response(status: .noContent, headers: [.allow: "OPTIONS, POST", .server: "itself"]) }
        try await RunningServer.with(router) { server in
            let own = try await ask(server, "OPTIONS /shared")
            #expect(own.status.contains(" 204 ") && own.fields["server"] == "itself" && own.fields["x-request-id"] != nil)
            #expect(try await ask(server, "OPTIONS /thing/7").fields["server"] == nil)
            #expect(try await ask(server, "OPTIONS *").fields["allow"] == "GET, HEAD, OPTIONS, POST, PUT")
            #expect(try await ask(server, "GET /shared").fields["allow"] == "OPTIONS, POST")
        }
    }

    @Test("A method that an address does not take is 405 with Allow, TRACE among them; nothing is sent back")
    func notAllowed() async throws {
        try await RunningServer.with(router()) { server in
            for method in ["DELETE", "PATCH", "POST", "TRACE"] {
                let answer = try await ask(server, "\(method) /thing/7?secret")
                #expect(answer.status.contains(" 405 ") && answer.fields["allow"] == "GET, HEAD, OPTIONS, PUT")
                #expect(answer.body.contains("method_not_allowed") && !answer.body.contains("secret"))
                #expect(answer.fields["x-request-id"] != nil)
            }
            #expect(try await ask(server, "TRACE /nowhere").status.contains(" 404 "))
            #expect(try await ask(server, "POST /lost").status.contains(" 405 "))
            #expect(try await ask(server, "GET /lost").status.contains(" 404 "))
        }
    }

    @Test("A person who opens an address that takes other methods is told in words, and whatever stands before the routes has its say, for HEAD too")
    func pages() async throws {
        let router = Router(context: ServiceRequestContext.self)
        router.add(middleware: PageHeaders(isSecure: true))
        router.add(middleware: ErrorPages(missing: Array("<p>nothing here</p>".utf8), other: []))
        router.addServiceMiddleware()
        router.post("/call") { _, _ in "called" }
        try await RunningServer.with(router) { server in
            let browser = " HTTP/1.1\r\nAccept: text/html\r\nX-no:"
            let (opened, looked) = (try await ask(server, "GET /call" + browser), try await ask(server, "HEAD /call" + browser))
            #expect(opened.body == "<p>nothing here</p>" && opened.fields["content-type"] == "text/html; charset=utf-8")
            #expect(opened.fields["content-length"] == "\(opened.body.utf8.count)" && Set(opened.fields.keys) == Set(looked.fields.keys))
            let (program, head) = (try await ask(server, "GET /call"), try await ask(server, "HEAD /call"))
            #expect(program.isError("method_not_allowed"))
            for answer in [opened, looked, program, head] {
                #expect(answer.status.contains(" 405 ") && answer.fields["allow"] == "OPTIONS, POST")
                #expect(answer.fields["content-security-policy"] != nil && answer.fields["x-frame-options"] == "DENY")
            }
            #expect(looked.body.isEmpty && head.body.isEmpty)
        }
    }

    @Test("An address or header fields beyond every limit are 431 as JSON, an address that is only too long 414; the log has a line of each")
    func tooLarge() async throws {
        let (lines, report) = AsyncStream.makeStream(of: String.self)
        let logger = Logger(label: "test") { _ in Listening { report.yield("\($0.message) \($0.metadata ?? [:])") } }
        try await RunningServer.with(router(), logger: logger) { server in
            let long = String(repeating: "x", count: 20_000)
            let many = (0..<120).map { "X-\($0): 1" }.joined(separator: "\r\n")
            for (line, word) in [
                ("GET /thing/\(long)", " 431 "), ("GET /thing/7 HTTP/1.1\r\nX-long: \(long)\r\nX-no:", " 431 "),
                ("GET /thing/7 HTTP/1.1\r\n\(many)\r\nX-no:", " 431 "), ("GET /thing/\(long.prefix(9000))", " 414 "),
            ] {
                let answer = try await ask(server, line)
                #expect(answer.status.contains(word) && answer.isError(word == " 431 " ? "head_too_large" : "uri_too_long"), "\(answer)")
                #expect(answer.fields["content-length"] == "\(answer.body.utf8.count)")
                for await said in lines where said.hasPrefix("request refused") {
                    #expect(try said.contains(#require(answer.fields["x-request-id"])) && !said.contains("xxx"), "\(said)")
                    break
                }
            }
        }
    }

    @Test("A method that no address takes is 501, whether the parser has heard of it or not; rubbish is 400")
    func notImplemented() async throws {
        try await RunningServer.with(router()) { server in
            for method in ["PROPFIND", "PURGE", "BREW", "M-SEARCHES"] {
                let answer = try await ask(server, "\(method) /thing/7")
                #expect(answer.status.contains(" 501 ") && answer.isError("not_implemented"), "\(method): \(answer.body)")
            }
            #expect(try await ask(server, "brew /thing/7").status.contains(" 400 "))
            let rubbish = try await RawConnection.exchange(port: server.port, [[0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3, 13, 10, 13, 10]])
            #expect(rubbish?.hasPrefix("HTTP/1.1 400 ") == true)
        }
    }
}
