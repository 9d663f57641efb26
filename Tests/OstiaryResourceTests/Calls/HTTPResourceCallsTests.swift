import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import OstiaryResource

@Suite("Calls to a provider over HTTP", .timeLimit(.minutes(10)))
struct HTTPResourceCallsTests {
    private func call(_ server: RawServer, most: Int = 1_000, body: String? = nil) -> ResourceCall {
        ResourceCall(
            method: body == nil ? .get : .post, address: "http://127.0.0.1:\(server.port)/keys", fields: [("X-nonce", "n")],
            body: body.map { Array($0.utf8) }, mostBytes: most)
    }

    private func outage(of call: ResourceCall, patience: Duration = .seconds(60)) async -> Outage? {
        do throws(Outage) {
            _ = try await HTTPResourceCalls(patience: patience).body(of: call)
            return nil
        } catch { return error }
    }

    @Test("What was asked goes out with its fields and its body, and the answer comes back")
    func whole() async throws {
        let server = try RawServer { connection in
            let isRight = connection.request.hasPrefix("POST /keys HTTP/1.1\r\n") && connection.request.lowercased().contains("x-nonce: n\r\n")
            connection.send("HTTP/1.1 \(isRight ? 200 : 400) OK\r\nContent-Length: 2\r\n\r\n{}")
        }
        let calls = HTTPResourceCalls(patience: .seconds(60))
        #expect(try await calls.body(of: call(server, body: "token=x")) == Array("{}".utf8))
    }

    @Test("A redirect is followed nowhere: what a provider's address says is told by it and nobody else")
    func redirect() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/keys\r\nContent-Length: 0\r\n\r\n") }
        #expect(await outage(of: call(server)) == .status(302))
    }

    @Test("An answer with more bytes than may be is none, whether it says so or not")
    func large() async throws {
        let text = String(repeating: "a", count: 1_001)
        let told = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n\(text)") }
        #expect(await outage(of: call(told)) == .answerTooLarge)
        let untold = try RawServer { $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n\(text)\r\n0\r\n\r\n") }
        #expect(await outage(of: call(untold)) == .answerTooLarge)
    }

    @Test("As many questions as there may be are asked at the same time: none waits for the answer to another")
    func manyQuestions() async throws {
        let server = try RawServer { $0.waitForEnd() }
        let calls = HTTPResourceCalls(patience: .seconds(600))
        let address = "http://127.0.0.1:\(server.port)/introspect"
        let question = ResourceCall(method: .post, address: address, body: Array("token=x".utf8), mostBytes: 1_000, purpose: .question)
        let questions = (0..<ResourceCall.mostQuestions).map { _ in Task { try? await calls.body(of: question) } }
        while server.requests.count < ResourceCall.mostQuestions { await Task.yield() }
        for question in questions {
            question.cancel()
            #expect(await question.value == nil)
        }
    }

    @Test("Questions that nobody answers hold up no keys, however many they are")
    func twoPools() async throws {
        let server = try RawServer { connection in
            guard connection.request.hasPrefix("GET") else { return connection.waitForEnd() }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        }
        let calls = HTTPResourceCalls(patience: .seconds(60))
        let address = "http://127.0.0.1:\(server.port)/introspect"
        let question = ResourceCall(method: .post, address: address, body: Array("token=x".utf8), mostBytes: 1_000, purpose: .question)
        let questions = (0..<16).map { _ in Task { try? await calls.body(of: question) } }
        // As many connections to one server as a client makes.
        while server.requests.count < 8 { await Task.yield() }
        #expect(try await calls.body(of: call(server)) == Array("{}".utf8))
        for question in questions {
            question.cancel()
            #expect(await question.value == nil)
        }
    }

    @Test(
        "A kept connection that ends when the next question has arrived: that goes out once more, and an assertion in it is another",
        arguments: [true, false])
    func keptConnectionEnds(_ isMadeAnew: Bool) async throws {
        let heard = Mutex<[String]>([])
        let isCut = Mutex(false)
        let server = try RawServer { connection in
            var request = connection.request
            while !request.isEmpty {
                heard.withLock { $0.append(request) }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
                request = connection.nextRequest()
                // The first that is kept, once.
                guard !request.isEmpty,
                    isCut.withLock({ isCut in
                        defer { isCut = true }
                        return !isCut
                    })
                else { continue }
                heard.withLock { $0.append(request) }
                return
            }
        }
        let made = Mutex(0)
        @Sendable func question() -> ResourceCall {
            let number = made.withLock { made in
                made += 1
                return made
            }
            return ResourceCall(
                method: .post, address: "http://127.0.0.1:\(server.port)/introspect", body: Array("assertion=\(number)".utf8), mostBytes: 1_000,
                purpose: .question, anew: isMadeAnew ? { @Sendable in question() } : nil)
        }
        let calls = HTTPResourceCalls(patience: .seconds(60))
        var asked = 0
        // A connection is kept a moment after its answer was read: until one was used again.
        while heard.withLock({ $0.count }) == asked {
            #expect(try await calls.body(of: question()) == Array("{}".utf8))
            asked += 1
        }
        let bodies = heard.withLock { heard in heard.compactMap { $0.split(separator: "\r\n\r\n").last } }
        #expect(bodies.count == asked + 1 && Set(bodies).count == (isMadeAnew ? asked + 1 : asked))
    }

    @Test("Nobody there, one who says nothing, one who stops in the middle: each is an outage when the patience is over")
    func silence() async throws {
        let silent = try RawServer { $0.waitForEnd() }
        #expect(await outage(of: call(silent), patience: .milliseconds(200)) == .unreachable)
        let half = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.waitForEnd()
        }
        #expect(await outage(of: call(half), patience: .milliseconds(200)) == .unreachable)
        let gone = try RawServer { _ in }
        #expect(await outage(of: call(gone)) == .unreachable)
    }
}
