import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization
import Testing

@testable import HTTPService

@Suite("Errors as answers")
struct ErrorMiddlewareTests {
    private enum Penalty: ErrorResponseConvertible {
        case running

        var errorResponse: ErrorResponse {
            ErrorResponse(.tooManyRequests, "penalised", "wait \"30\" s", headers: [.retryAfter: "30"])
        }
    }

    private struct Fault: Error {
        let password = "hunter2"
    }

    private func application(logsTo handler: any LogHandler = QuietLogHandler()) -> some ApplicationProtocol {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware(limits: ServiceLimits(body: 100, uri: 200))
        router.get("/refusal") { _, _ -> String in throw Penalty.running }
        router.get("/fault") { _, _ -> String in throw Fault() }
        router.get("/framework") { _, _ -> String in throw HTTPError(.forbidden, message: "not \u{7} you") }
        router.get("/framework-fault") { _, _ -> String in throw HTTPError(.badGateway, message: "internal name") }
        router.get("/oauth") { _, _ -> String in
            RequestTrace.current?.describeErrors()
            throw Fault()
        }
        router.get("/added/{end}") { _, context -> String in
            RequestTrace.current?.addToErrors([.vary: "Origin"])
            RequestTrace.current?.addToErrors([.retryAfter: "7"])
            switch context.parameters.get("end") {
            case "fault": throw Fault()
            case "refusal": throw Penalty.running
            default: return "fine"
            }
        }
        router.get("/fine") { _, _ in "fine" }
        router.post("/echo") { request, _ in
            Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: try await request.bytes(limit: 100))))
        }
        router.post("/json") { request, context in "\(try await request.decode(as: [Int].self, context: context).count)" }
        return Application(responder: router.buildResponder(), logger: Logger(label: "test") { _ in handler })
    }

    @Test("A refusal says its status, its word and its headers")
    func refusal() async throws {
        try await application().test(.router) { client in
            let answer = try await client.execute(uri: "/refusal", method: .get)
            #expect(answer.status == .tooManyRequests)
            #expect(answer.headers[.retryAfter] == "30")
            #expect(try answer.error() == ["error": "penalised", "message": "wait \"30\" s", "requestId": answer.headers[.requestID] ?? "none"])
        }
    }

    @Test("What a route adds to errors each of them has, a fault of ours too; it replaces nothing that the error says, and is in no other answer")
    func added() async throws {
        try await application().test(.router) { client in
            for (path, status, time) in [("fault", HTTPResponse.Status.internalServerError, "7"), ("refusal", .tooManyRequests, "30")] {
                let answer = try await client.execute(uri: "/added/\(path)", method: .get)
                #expect(answer.status == status && answer.headers[.vary] == "Origin" && answer.headers[values: .retryAfter] == [time])
            }
            for path in ["/added/nothing", "/fine"] { #expect(try await client.execute(uri: path, method: .get).headers[.vary] == nil) }
        }
    }

    @Test("A client of OAuth reads the sentence where RFC 6749 has it, of a fault too")
    func described() async throws {
        try await application().test(.router) { client in
            let answer = try await client.execute(uri: "/oauth", method: .get)
            let members = try JSONDecoder().decode([String: String].self, from: Data(answer.body.readableBytesView))
            #expect(members["error"] == "server_error" && members["requestId"] == answer.headers[.requestID])
            #expect(members["error_description"] == ErrorResponse.serverError.message && members["message"] == members["error_description"])
        }
    }

    @Test("A fault is server_error and tells nothing", arguments: ["/fault", "/framework-fault"])
    func fault(path: String) async throws {
        try await application().test(.router) { client in
            let answer = try await client.execute(uri: path, method: .get)
            #expect(answer.status == .internalServerError)
            #expect(try answer.error()["error"] == "server_error")
            #expect(!String(buffer: answer.body).contains("hunter2") && !String(buffer: answer.body).contains("internal name"))
        }
    }

    @Test("Errors of the framework keep their status and get our form")
    func framework() async throws {
        try await application().test(.router) { client in
            let forbidden = try await client.execute(uri: "/framework", method: .get)
            #expect(forbidden.status == .forbidden)
            #expect(try forbidden.error()["error"] == "forbidden")
            #expect(try forbidden.error()["message"] == "not \u{7} you")
            let missing = try await client.execute(uri: "/nowhere", method: .get)
            #expect(missing.status == .notFound)
            #expect(try missing.error()["error"] == "not_found")
            let body = try await client.execute(uri: "/json", method: .post, body: ByteBuffer(string: "{not json"))
            #expect(body.status == .badRequest)
            #expect(try body.error()["error"] == "bad_request")
        }
    }

    @Test("Every answer names its request, and no two the same")
    func requestID() async throws {
        try await application().test(.router) { client in
            var seen: Set<String> = []
            for path in ["/fine", "/fine", "/fault", "/nowhere"] {
                seen.insert(try #require(try await client.execute(uri: path, method: .get).headers[.requestID]))
            }
            #expect(seen.count == 4)
        }
    }

    @Test("A fault that passes by itself is 503 with a time to come back; the log has it once, with what is meant for the operator only")
    func outage() async throws {
        struct NoRoom: Error, CustomStringConvertible { let description = "the disk of /data/x is full" }
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware(outages: { $0 is NoRoom })
        router.get("/write") { _, _ -> String in throw NoRoom() }
        router.get("/fault") { _, _ -> String in throw Fault() }
        let log = LineCounter()
        try await Application(responder: router.buildResponder(), logger: Logger(label: "test") { _ in log }).test(.router) { client in
            for _ in 0..<5 {
                let answer = try await client.execute(uri: "/write", method: .get)
                #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "30")
                #expect(try answer.error()["error"] == "storage_unavailable")
                #expect(try answer.error()["message"] == "the server cannot use its database or its keys at the moment; try again")
                #expect(!String(buffer: answer.body).contains("/data"))
            }
            #expect(try await client.execute(uri: "/fault", method: .get).status == .internalServerError)
        }
        #expect(log.lines.withLock { $0.filter { $0.contains("/data/x is full") } }.count == 1)
    }

    @Test("The log says of such a fault what is known of its reason, in one line however often that is worded anew; the answer says nothing of it")
    func reason() async throws {
        struct Away: Error, CustomStringConvertible { let description = "it is away" }
        struct Reason: Error, CustomStringConvertible { let description: String }
        let router = Router(context: ServiceRequestContext.self)
        let asked = Mutex(0)
        router.addServiceMiddleware(
            outages: { $0 is Away },
            told: { error in
                let number = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                return Reason(description: "\(error), reason \(number)")
            })
        router.get("/") { _, _ -> String in throw Away() }
        let log = LineCounter()
        try await Application(responder: router.buildResponder(), logger: Logger(label: "test") { _ in log }).test(.router) { client in
            for _ in 0..<3 {
                let answer = try await client.execute(uri: "/", method: .get)
                #expect(answer.status == .serviceUnavailable && !String(buffer: answer.body).contains("away"))
            }
        }
        let lines = log.lines.withLock { $0.filter { $0.contains("it is away") } }
        #expect(lines.count == 1 && lines[0].contains("it is away, reason 1"), "\(lines)")
    }

    @Test("A line of the log without a reason keeps none back that has it")
    func laterReason() async throws {
        struct Away: Error, CustomStringConvertible { let description = "it is away" }
        struct Reason: Error, CustomStringConvertible { let description: String }
        let router = Router(context: ServiceRequestContext.self)
        let isKnown = Mutex(false)
        router.addServiceMiddleware(
            outages: { $0 is Away }, told: { error in isKnown.withLock { $0 } ? Reason(description: "\(error), for a reason") : error })
        router.get("/") { _, _ -> String in throw Away() }
        let log = LineCounter()
        try await Application(responder: router.buildResponder(), logger: Logger(label: "test") { _ in log }).test(.router) { client in
            for isNow in [false, true] {
                isKnown.withLock { $0 = isNow }
                for _ in 0..<3 {
                    let status = try await client.execute(uri: "/", method: .get).status
                    #expect(status == .serviceUnavailable)
                }
            }
        }
        let lines = log.lines.withLock { $0.filter { $0.contains("it is away") } }
        #expect(lines.count == 2 && lines.last?.contains("it is away, for a reason") == true, "\(lines)")
    }

    @Test("One line of a kind a minute; the next one tells how many were held back")
    func lineLimit() {
        let start = ContinuousClock.now
        let seconds = Mutex(0)
        let limit = LineLimit<String>(clock: { start + .seconds(seconds.withLock { $0 }) })
        #expect(limit.admit("a") == 0)
        for _ in 0..<7 { #expect(limit.admit("a") == nil) }
        #expect(limit.admit("b") == 0)
        seconds.withLock { $0 = 59 }
        #expect(limit.admit("a") == nil)
        seconds.withLock { $0 = 60 }
        #expect(limit.admit("a") == 8)
        #expect(limit.admit("a") == nil)
    }

    @Test("A log handler that keeps nothing does not stop a request")
    func forgetfulLogger() async throws {
        try await application(logsTo: SwiftLogNoOpLogHandler()).test(.router) { client in
            let answer = try await client.execute(uri: "/fault", method: .get)
            #expect(answer.status == .internalServerError)
            #expect(answer.headers[.requestID] == "none")
        }
    }

    @Test("A body at the limit passes, one byte more is 413, announced or not")
    func bodyLimit() async throws {
        try await application().test(.router) { client in
            let full = try await client.execute(uri: "/echo", method: .post, body: ByteBuffer(repeating: 7, count: 100))
            #expect(full.status == .ok && full.body.readableBytes == 100)
            let over = try await client.execute(uri: "/echo", method: .post, body: ByteBuffer(repeating: 7, count: 101))
            #expect(over.status == .contentTooLarge)
            #expect(try over.error()["error"] == "content_too_large")
            let unannounced = try await client.execute(
                uri: "/echo", method: .post, headers: [.contentLength: "?"], body: ByteBuffer(repeating: 7, count: 101))
            #expect(unannounced.status == .contentTooLarge)
        }
    }

    @Test("A body whose connection is reset before its end is refused, and no fault of ours")
    func resetBody() async throws {
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        head.headerFields[.contentLength] = "9"
        let (pieces, end) = AsyncThrowingStream.makeStream(of: ByteBuffer.self, throwing: (any Error).self)
        end.yield(ByteBuffer(string: "half"))
        end.finish(throwing: IOError(errnoCode: ECONNRESET, reason: "read"))
        let request = Request(head: head, body: RequestBody(asyncSequence: pieces))
        let refusal = await #expect(throws: ErrorResponse.self) { _ = try await request.bytes() }
        #expect(refusal?.status == .badRequest)
    }

    @Test("A length that no number of this machine holds is 413 before anything is read", arguments: [1 << 63, UInt64.max])
    func endlessLength(length: UInt64) async throws {
        try await application().test(.router) { client in
            for path in ["/echo", "/json"] {
                let answer = try await client.execute(uri: path, method: .post, headers: [.contentLength: "\(length)"])
                #expect(answer.status == .contentTooLarge)
            }
        }
    }

    @Test("An address beyond the limit is 414")
    func addressLimit() async throws {
        try await application().test(.router) { client in
            let answer = try await client.execute(uri: "/fine?" + String(repeating: "x", count: 195), method: .get)
            #expect(answer.status == .uriTooLong)
            #expect(try await client.execute(uri: "/fine?" + String(repeating: "x", count: 194), method: .get).status == .ok)
        }
    }
}

/// Keeps metadata, as a real handler does, and prints nothing.
private struct QuietLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {}
}

/// Keeps the lines at level info and above, with their metadata.
private final class LineCounter: LogHandler, Sendable {
    let lines = Mutex<[String]>([])

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .info }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}

extension TestResponse {
    /// The JSON error of a body, which has exactly three members.
    func error() throws -> [String: String] {
        let members = try JSONDecoder().decode([String: String].self, from: Data(body.readableBytesView))
        #expect(Set(members.keys) == ["error", "message", "requestId"])
        return members
    }
}
