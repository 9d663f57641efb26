import Foundation
import NIOSSL
import OstiaryTesting
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

@Suite("HTTP client of the phone on a computer", .timeLimit(.minutes(10)))
struct HTTPTransportTests {
    private static let noProxy = ProxySettings(environment: [:])
    private let transport = HTTPTransport(proxies: Self.noProxy)

    private func request(_ server: RawServer, body: [UInt8]? = [1, 2, 3], timeout: Double = 60) throws -> TransportRequest {
        TransportRequest(url: try #require(server.url()), body: body, timeout: timeout)
    }

    /// Until nobody takes what the server sends: one that is read to no end never ends.
    private func ends(_ server: RawServer) async throws { try await eventually("it is cut off") { server.ended > 0 } }

    @Test(
        "A message is posted as bytes, nothing packed is asked for, and the answer's status and bytes come back",
        arguments: [nil, [1, 2, 3]] as [[UInt8]?])
    func posts(_ body: [UInt8]?) async throws {
        let server = try RawServer { $0.send("HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\nhi") }
        #expect(try await transport.send(try request(server, body: body)) == TransportResponse(status: 409, body: Array("hi".utf8)))
        let seen = try #require(server.requests.first)
        #expect(seen.hasPrefix("\(body == nil ? "GET" : "POST") /ap1 HTTP/1.1\r\n"))
        let fields = seen.lowercased().split(separator: "\r\n")
        #expect(fields.filter { $0.hasPrefix("accept-encoding:") } == ["accept-encoding: identity"])
        #expect(fields.contains("content-type: application/octet-stream") == (body != nil))
        #expect(!fields.contains { $0.hasPrefix("user-agent:") })
    }

    @Test("An answer whose status is none is no answer", arguments: ["000 x\r\nContent-Length: 2\r\n\r\nhi", "099 x\r\n\r\n"])
    func noStatus(_ answer: String) async throws {
        let server = try RawServer { $0.send("HTTP/1.1 \(answer)") }
        await #expect(throws: TransportError.unreachable) { try await transport.send(try request(server)) }
    }

    @Test(
        "A packed answer is refused by its head, whatever its status and however it is packed",
        arguments: [(200, "gzip"), (200, "GZIP"), (409, "gzip, gzip"), (500, "deflate"), (200, "identity, gzip"), (404, "br"), (302, "zstd")])
    func packed(_ status: Int, _ coding: String) async throws {
        // Nothing but the head comes: who wants to see the body first waits for it until the time is over.
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 \(status) x\r\nContent-Encoding: \(coding)\r\nContent-Length: 600\r\n\r\n")
            connection.waitForEnd()
        }
        await #expect(throws: TransportError.encoded) { try await transport.send(try request(server)) }
        try await ends(server)
    }

    @Test("One that says that it is not packed is an answer", arguments: ["identity", "Identity", ""])
    func notPacked(_ coding: String) async throws {
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: 2\r\n\r\nhi") }
        #expect(try await transport.send(try request(server)).body == Array("hi".utf8))
    }

    @Test("An answer that names a length beyond the longest is refused by its head, whatever its status", arguments: [200, 404, 409, 500])
    func namedLength(_ status: Int) async throws {
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 \(status) x\r\nContent-Length: \(600 << 20)\r\n\r\n")
            connection.waitForEnd()
        }
        await #expect(throws: TransportError.tooLong) { try await transport.send(try request(server)) }
        try await ends(server)
    }

    @Test("The longest answer is read whole, and one byte more is too long", arguments: [0, 1])
    func boundary(_ more: Int) async throws {
        let count = TransportResponse.longestBody + more
        // Without a length: counted as it arrives.
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: count)) }
        if more == 0 {
            #expect(try await transport.send(try request(server)).body.count == count)
        } else {
            await #expect(throws: TransportError.tooLong) { try await transport.send(try request(server)) }
        }
    }

    @Test("An answer without end is cut off, whatever its status: the server can send no more", arguments: [200, 409, 500])
    func endless(_ status: Int) async throws {
        let piece = Array("10000\r\n".utf8) + [UInt8](repeating: 0x41, count: 0x10000) + Array("\r\n".utf8)
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 \(status) x\r\nTransfer-Encoding: chunked\r\n\r\n")
            while connection.send(piece) {}
        }
        await #expect(throws: TransportError.tooLong) { try await transport.send(try request(server)) }
        try await ends(server)
    }

    @Test("A packed answer without end is cut off, also one that does not say that it is packed", arguments: ["Content-Encoding: gzip", "X: y"])
    func endlessPacked(_ field: String) async throws {
        let server = try RawServer { connection in
            connection.send(Array("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n".utf8) + PackedBomb.gzipHead)
            while connection.send(PackedBomb.megabyte) {}
        }
        let error: TransportError = field.hasPrefix("X") ? .tooLong : .encoded
        await #expect(throws: error) { try await transport.send(try request(server)) }
        try await ends(server)
    }

    @Test(
        "Whatever trickles or floods without an end is over when the time is, and the connection with it",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n", "A"), ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nA\r\n"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x"), ("HTTP/1.1 200 OK\r\nX: ", "A"), ("", "HTTP/1.1 100 Continue\r\n\r\n"),
            ("", ""),
        ])
    func trickles(_ head: String, _ piece: String) async throws {
        let server = try RawServer { connection in
            connection.send(head)
            guard !piece.isEmpty else { return connection.waitForEnd() }
            while connection.send(piece) { Thread.sleep(forTimeInterval: 0.01) }
        }
        await #expect(throws: TransportError.unreachable) { try await transport.send(try request(server, timeout: 0.5)) }
        try await ends(server)
    }

    @Test("Header fields without end are no answer: more than any head of ours is not kept")
    func endlessHead() async throws {
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X: " + String(repeating: "A", count: 60_000) + "\r\n") {}
        }
        await #expect(throws: TransportError.unreachable) { try await transport.send(try request(server)) }
        try await ends(server)
    }

    @Test(
        "An answer that ends before it is whole, or is none of HTTP, is none",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", "hi\r\n\r\n", "",
        ])
    func cutShort(_ answer: String) async throws {
        let server = try RawServer { $0.send(answer) }
        await #expect(throws: TransportError.unreachable) { try await transport.send(try request(server)) }
    }

    @Test("No cookie is kept and no redirect is followed")
    func keepsNothing() async throws {
        let server = try RawServer {
            $0.send("HTTP/1.1 302 Found\r\nSet-Cookie: a=b\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        #expect(try await transport.send(try request(server)).status == 302)
        #expect(try await transport.send(try request(server, body: nil)).status == 302)
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { !$0.lowercased().contains("cookie") && !$0.contains("elsewhere") })
    }

    @Test("A server that closes after each answer, and says so to nobody, is asked by another connection: no call fails for the one that was kept")
    func keptConnection() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") }
        for _ in 0..<100 { #expect(try await transport.send(try request(server)).status == 200) }
        #expect(server.requests.count == 100)
        let rude = try RawServer { _ in }
        await #expect(throws: TransportError.unreachable) { try await transport.send(try request(rude)) }
        // Once more, and no further.
        #expect(rude.requests.count == 2)
    }

    @Test("A call with fields of its own goes out once, whatever becomes of its connection: a code that arrives twice ends what it gave")
    func onceOnly() async throws {
        let rude = try RawServer { _ in }
        let url = try #require(rude.url())
        let request = TransportRequest(url: url, body: [1], timeout: 60, fields: ["content-type": "application/x-www-form-urlencoded"])
        await #expect(throws: TransportError.unreachable) { try await transport.send(request) }
        #expect(rude.requests.count == 1)
    }

    @Test("Its fields go with it, its type in the place of that of messages; of the answer's those are told that were asked for")
    func fields() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nDPoP-Nonce: abc\r\nSet-Cookie: a=b\r\nX-Twice: 1\r\nX-Twice: 2\r\n\r\nhi"
        let server = try RawServer { $0.send(head) }
        let request = TransportRequest(
            url: try #require(server.url()), body: [1], timeout: 60, fields: ["content-type": "application/x-www-form-urlencoded", "dpop": "proof"],
            answerFields: ["dpop-nonce", "x-twice"])
        #expect(try await transport.send(request).fields == ["dpop-nonce": "abc"])
        let seen = try #require(server.requests.first).lowercased().split(separator: "\r\n")
        #expect(seen.filter { $0.hasPrefix("content-type:") } == ["content-type: application/x-www-form-urlencoded"])
        #expect(seen.contains("dpop: proof"))
    }

    @Test("Nobody there is unreachable at once")
    func nobody() async throws {
        let port = try ReservedPort()
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/ap1"))
        await #expect(throws: TransportError.unreachable) { try await transport.send(TransportRequest(url: url, body: nil, timeout: 60)) }
        withExtendedLifetime(port) {}
    }

    @Test("A cancelled call ends at once and closes its connection, before its answer begins and in the midst of it", arguments: [true, false])
    func cancels(_ begins: Bool) async throws {
        let server = try RawServer { connection in
            if begins { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi") }
            connection.waitForEnd()
        }
        let message = try request(server, timeout: 600)
        let call = Task { [transport] () throws(TransportError) in try await transport.send(message) }
        try await eventually("it is asked") { !server.requests.isEmpty }
        call.cancel()
        await #expect(throws: TransportError.cancelled) { try await call.value }
        try await ends(server)
        let early = Task { [transport] () throws(TransportError) in
            while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            return try await transport.send(message)
        }
        early.cancel()
        await #expect(throws: TransportError.cancelled) { try await early.value }
    }

    @Test("Other calls go on while twenty answers to one server trickle, flood and unpack")
    func others() async throws {
        let bad = try RawServer { connection in
            switch connection.request.count % 3 {
            case 0: connection.send(Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8) + PackedBomb.gzipHead)
            case 1: connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\nA")
            default: connection.send("HTTP/1.1 200 OK\r\n")
            }
            connection.waitForEnd()
        }
        let good = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") }
        let messages = try (0..<20).map { try request(bad, body: [UInt8](repeating: 7, count: $0), timeout: 600) }
        let calls = Task { [transport] in
            await withTaskGroup(of: Void.self) { group in
                for message in messages { group.addTask { _ = try? await transport.send(message) } }
            }
        }
        try await eventually("all are asked") { bad.requests.count == 20 }
        #expect(try await transport.send(try request(good)).body == Array("hi".utf8))
        calls.cancel()
        await calls.value
    }

    @Test("A certificate that nobody vouches for is told as that, and nothing is sent to it; with its authority in the store it is good")
    func certificates() async throws {
        let server = try TLSServer()
        let authority = try NIOSSLCertificate.fromPEMBytes(Array(TLSServer.certificate.utf8))
        let trusting = HTTPTransport(proxies: Self.noProxy, trustRoots: .certificates(authority))
        for host in ["localhost", "127.0.0.1"] {
            let url = try #require(URL(string: "https://\(host):\(server.port)/ap1"))
            await #expect(throws: TransportError.untrusted) { try await transport.send(TransportRequest(url: url, body: [1, 2, 3], timeout: 60)) }
            #expect(try await trusting.send(TransportRequest(url: url, body: [1, 2, 3], timeout: 60)).status == 200)
        }
        #expect(try server.requests() == 2)
    }

    @Test("A certificate of another host is not trusted, whoever vouches for it")
    func otherHost() async throws {
        let server = try TLSServer(host: "127.0.0.2")
        let authority = try NIOSSLCertificate.fromPEMBytes(Array(TLSServer.certificate.utf8))
        let trusting = HTTPTransport(proxies: Self.noProxy, trustRoots: .certificates(authority))
        let url = try #require(URL(string: "https://127.0.0.2:\(server.port)/ap1"))
        await #expect(throws: TransportError.untrusted) { try await trusting.send(TransportRequest(url: url, body: [1, 2, 3], timeout: 60)) }
        #expect(try server.requests() == 0)
    }

    @Test("What ends a handshake for another reason is no certificate's fault")
    func brokenHandshake() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n") }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/ap1"))
        await #expect(throws: TransportError.unreachable) { try await transport.send(TransportRequest(url: url, body: nil, timeout: 5)) }
    }

    @Test(
        "Anything but https and this machine is not even tried, nor a port that there is not: that ends the process",
        arguments: [
            "http://192.0.2.1/", "ftp://127.0.0.1/", "http://login.example/", "http://127.0.0.1:70000/", "https://192.0.2.1:65536/",
            "https://[::1]:99999/", "https://127.0.0.1:0/",
        ])
    func addresses(_ text: String) async throws {
        let url = try #require(URL(string: text))
        await #expect(throws: TransportError.addressRefused) { try await transport.send(TransportRequest(url: url, body: [], timeout: 5)) }
    }
}
