import Dispatch
import Foundation
import HTTPCalls
import NIOPosix
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer
@testable import Authentication

/// Real sockets: what comes of a call depends on what libraries below make of it.
@Suite("Calls to services behind virtual servers", .timeLimit(.minutes(10)))
struct HTTPServicesBehindTests {
    private let log = LogRecorder()

    /// - Parameters:
    ///   - second: of patience: long, where a busy machine is no fault.
    ///   - names: where the service's name is looked up ahead.
    private func ask(_ address: String, second: Duration = .seconds(60), names: NameLookups = NameLookups()) async throws -> ServiceAnswer {
        let service = ServiceBehind(
            .token, server: Sample.server, address: try #require(ServiceAddress(address)), secret: StoredSecret(Array("secret-1".utf8)), patience: 2)
        let call = TokenServiceCall(
            service, CallID(using: SystemRandomSource()), of: Sample.session(state: .loggedIn(Sample.login)), Sample.login, Sample.account(1))
        return await HTTPServicesBehind(logger: log.logger(), second: second, names: names).ask(call)
    }

    private func ask(second: Duration = .seconds(60), _ serve: @Sendable @escaping (RawServer.Connection) -> Void) async throws -> ServiceAnswer {
        let server = try RawServer(serve)
        return try await ask("http://127.0.0.1:\(server.port)/token", second: second)
    }

    private func ask(saying answer: String) async throws -> ServiceAnswer { try await ask { $0.send(answer) } }

    private var complaints: [String?] { log.lines("a token service gave no token").map { $0.facts["status"] ?? $0.facts["error"] } }

    @Test("A token is what the body was, in one piece or in chunks, up to 65,000 bytes")
    func tokens() async throws {
        #expect(try await ask(saying: "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na\n\0") == .bytes([0x61, 0x0A, 0]))
        let chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
        #expect(try await ask(saying: chunks) == .bytes(Array("abc".utf8)))
        let most = [UInt8](repeating: 0xFE, count: 65_000)
        let answer = try await ask { connection in
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: 65000\r\n\r\n")
            connection.send(most)
        }
        #expect(answer == .bytes(most) && complaints.isEmpty)
    }

    @Test("Longer than a token may be is none, whether it says so or goes on for ever, and no more of it is read")
    func tooLong() async throws {
        let saying = try await ask { connection in
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: 1048576\r\n\r\n")
            connection.send([UInt8](repeating: 0x61, count: 1_048_576))
        }
        let endless = try await ask { connection in
            connection.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
            let piece = Array("4000\r\n".utf8) + [UInt8](repeating: 0x61, count: 0x4000) + Array("\r\n".utf8)
            while connection.send(piece) {}
        }
        #expect(saying == .trouble(.answer) && endless == .trouble(.answer))
        #expect(complaints == ["more than 65000 bytes", "more than 65000 bytes"])
    }

    @Test("A redirect is followed nowhere; a packed answer, an empty one, and one of which nobody knows the end are none")
    func noTokens() async throws {
        let elsewhere = try ListeningBackend()
        for status in [301, 302, 303, 307, 308] {
            let answer = "HTTP/1.1 \(status) x\r\nlocation: \(elsewhere.address("/"))\r\ncontent-length: 1\r\n\r\nx"
            #expect(try await ask(saying: answer) == .trouble(.answer))
        }
        #expect(elsewhere.calls.isEmpty)
        for head in ["content-length: 0", "content-length: 1\r\ncontent-encoding: gzip", "connection: close"] {
            #expect(try await ask(saying: "HTTP/1.1 200 OK\r\n\(head)\r\n\r\nx") == .trouble(.answer), "\(head)")
        }
    }

    @Test("A body that ends with its connection is no token, whatever coding it names, so that none that was cut is one; nor is one that is packed")
    func codings() async throws {
        for head in [
            "transfer-encoding: identity", "transfer-encoding: gzip", "transfer-encoding: x",
            "content-encoding: identity\r\ncontent-encoding: gzip\r\ncontent-length: 5",
        ] { #expect(try await ask(saying: "HTTP/1.1 200 OK\r\n\(head)\r\n\r\nhalf-") == .trouble(.answer), "\(head)") }
        let packed = "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
        #expect(try await ask(saying: packed) == .trouble(.answer))
        let plain = "HTTP/1.1 200 OK\r\ncontent-encoding: identity\r\ntransfer-encoding: Chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
        #expect(try await ask(saying: plain) == .bytes(Array("ab".utf8)))
    }

    @Test("What a status says is told apart: no, not now, and our own secret not taken, which is an operator's to mend")
    func statuses() async throws {
        for (status, trouble) in [(403, ServiceTrouble.refused), (404, .refused), (401, .unavailable), (429, .unavailable), (503, .unavailable)] {
            #expect(try await ask(saying: "HTTP/1.1 \(status) x\r\ncontent-length: 1\r\n\r\nx") == .trouble(trouble), "\(status)")
        }
        #expect(complaints == ["403", "404", "401", "429", "503"])
    }

    @Test("A connection that is cut in the middle of a body, or before it, is no token; nor is what is no HTTP, or nobody")
    func cut() async throws {
        for answer in [
            "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabcde", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n", "HTTP/1.1 200 OK\r\n", "",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
        ] { #expect(try await ask(saying: answer) == .trouble(.unavailable), "\(answer)") }
        let closed = try LoopbackSocket(listens: false)
        #expect(try await ask("http://127.0.0.1:\(closed.port)/token") == .trouble(.unavailable))
        #expect(complaints.last == "could not connect")
    }

    @Test("A service that answers twice has answered once")
    func twice() async throws {
        let answer = "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n"
        #expect(try await ask(saying: answer + "a" + answer + "b") == .bytes([0x61]))
    }

    @Test("The time is for the whole call: silence, and a body that trickles, are given up")
    func slow() async throws {
        #expect(try await ask(second: .seconds(1)) { $0.waitForEnd() } == .trouble(.unavailable))
        let trickling = try await ask(second: .seconds(1)) { connection in
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n")
            while connection.send("a") { usleep(20_000) }
        }
        #expect(trickling == .trouble(.unavailable))
        #expect(complaints == ["no answer in 2 seconds", "no answer in 2 seconds"])
    }

    @Test("A87 a service whose name nobody answers for costs one lookup, however often it is asked, and each call its own time only")
    func silentName() async throws {
        let asked = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        let (lookups, begun) = AsyncStream.makeStream(of: Void.self)
        let names = NameLookups { _ in
            asked.withLock { $0 += 1 }
            begun.yield()
            gate.wait()
        }
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx") }
        let address = "http://localhost:\(server.port)/token"
        for _ in 0..<3 { #expect(try await ask(address, second: .milliseconds(5), names: names) == .trouble(.unavailable)) }
        // Its thread may come later than the calls are given up.
        for await _ in lookups { break }
        #expect(asked.withLock { $0 } == 1)
        gate.signal()
        #expect(try await ask(address) == .bytes([0x78]))
    }

    @Test("A87 services, and backends of clients, have threads of their own: their names hold up no call of the second-factor server")
    func threads() {
        let (services, backends) = (HTTPServicesBehind(logger: log.logger()), HTTPBackends(logger: log.logger()))
        for group in [services.threads, backends.threads] { #expect(group !== MultiThreadedEventLoopGroup.singleton) }
        #expect(services.threads !== backends.threads)
    }

    @Test("Of a coding that is none the log has no more than a word, so that a service writes nothing of its own there")
    func codingInLog() async throws {
        for (coding, word) in [("gzip", "packed: gzip"), ("x server=other [AuthServer] all is well", "packed: x"), ("\u{202E}y", "packed: ")] {
            _ = try await ask(saying: "HTTP/1.1 200 OK\r\ncontent-encoding: \(coding)\r\ncontent-length: 1\r\n\r\nx")
            #expect(complaints.last == word)
        }
    }

    @Test("The log has the service and why, once a minute, and no secret and no token")
    func logged() async throws {
        let service = try RawServer { $0.send("HTTP/1.1 500 x\r\ncontent-length: 7\r\n\r\nsecret-") }
        _ = try await ask("http://127.0.0.1:\(service.port)/token")
        let facts = try #require(log.lines("a token service gave no token").first?.facts)
        #expect(facts == ["server": Sample.server.text, "address": "http://127.0.0.1:\(service.port)/token", "status": "500"])
        #expect(!log.text.contains("secret-"))
    }
}
