import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("HTTP client", .timeLimit(.minutes(10)))
struct URLSessionTransportTests {
    private func request(_ server: RawServer, body: [UInt8]? = [1, 2, 3], timeout: Double = 60) throws -> TransportRequest {
        TransportRequest(url: try #require(server.url()), body: body, timeout: timeout)
    }

    @Test("A message is posted as bytes, and the answer's status and bytes come back")
    func posts() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\nhi") }
        let response = try await URLSessionTransport().send(try request(server))
        #expect(response == TransportResponse(status: 409, body: Array("hi".utf8)))
        let seen = try #require(server.requests.first)
        #expect(seen.hasPrefix("POST /ap1 HTTP/1.1\r\n"))
        #expect(seen.lowercased().contains("content-type: application/octet-stream"))
        // The client's own would name all that it can unpack.
        #expect(seen.lowercased().split(separator: "\r\n").filter { $0.hasPrefix("accept-encoding:") } == ["accept-encoding: identity"])
    }

    @Test("Its fields go with it, its type in the place of that of messages; of the answer's those are told that were asked for")
    func fields() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nDPoP-Nonce: abc\r\nX-Other: 1\r\nConnection: close\r\n\r\nhi") }
        let request = TransportRequest(
            url: try #require(server.url()), body: [1], timeout: 60, fields: ["content-type": "application/x-www-form-urlencoded", "dpop": "proof"],
            answerFields: ["dpop-nonce"])
        #expect(try await URLSessionTransport().send(request).fields == ["dpop-nonce": "abc"])
        let seen = try #require(server.requests.first).lowercased().split(separator: "\r\n")
        #expect(seen.filter { $0.hasPrefix("content-type:") } == ["content-type: application/x-www-form-urlencoded"])
        #expect(seen.contains("dpop: proof"))
    }

    @Test("No cookie is kept and no redirect is followed")
    func keepsNothing() async throws {
        let server = try RawServer {
            $0.send("HTTP/1.1 302 Found\r\nSet-Cookie: a=b\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        let transport = URLSessionTransport()
        #expect(try await transport.send(try request(server)).status == 302)
        #expect(try await transport.send(try request(server, body: nil)).status == 302)
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { !$0.lowercased().contains("cookie") && !$0.contains("elsewhere") })
    }

    @Test("A server that says nothing is unreachable when the time is over")
    func silence() async throws {
        let server = try RawServer { $0.waitForEnd() }
        await #expect(throws: TransportError.unreachable) { try await URLSessionTransport().send(try request(server, timeout: 0.3)) }
    }

    @Test("Nobody there is unreachable at once")
    func nobody() async throws {
        let nobody = try LoopbackSocket(listens: false)
        let url = try #require(URL(string: "http://127.0.0.1:\(nobody.port)/ap1"))
        await #expect(throws: TransportError.unreachable) {
            try await URLSessionTransport().send(TransportRequest(url: url, body: nil, timeout: 5))
        }
        withExtendedLifetime(nobody) {}
    }

    @Test("A cancelled call ends at once, also one that was cancelled before it began")
    func cancels() async throws {
        let server = try RawServer { $0.waitForEnd() }
        // Longer than any machine needs to get there: what ends the call is not its own time limit.
        let message = try request(server, timeout: 3_600)
        let transport = URLSessionTransport()
        let call = Task { () throws(TransportError) in try await transport.send(message) }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        call.cancel()
        await #expect(throws: TransportError.cancelled) { try await call.value }
        let early = Task { () throws(TransportError) in
            while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            return try await transport.send(message)
        }
        early.cancel()
        await #expect(throws: TransportError.cancelled) { try await early.value }
    }

    @Test("A call that was cancelled before it began is cancelled, also when the client says so before anybody waits for it")
    func cancelledEarly() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") }
        let calls = URLSessionCalls()
        let session = URLSession(configuration: .ephemeral, delegate: calls, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
        calls.register(task)
        calls.end(task.taskIdentifier, .failure(.cancelled))
        // What the client does with a task that is cancelled before it was begun; here it is sure to be first.
        calls.urlSession(session, task: task, didCompleteWithError: URLError(.cancelled))
        let outcome = await withCheckedContinuation { calls.begin(task, $0) }
        #expect(outcome == .failure(.cancelled))
        #expect(server.requests.isEmpty)
    }

    @Test("What ends a call that is over, or that nobody began, changes nothing and is not kept")
    func late() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") }
        let calls = URLSessionCalls()
        let session = URLSession(configuration: .ephemeral, delegate: calls, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
        calls.end(task.taskIdentifier, .failure(.unreachable))
        calls.register(task)
        let outcome = await withCheckedContinuation { calls.begin(task, $0) }
        #expect(outcome == .success(TransportResponse(status: 200, body: Array("hi".utf8))))
        calls.end(task.taskIdentifier, .failure(.unreachable))
        calls.forget(task.taskIdentifier)
    }

    @Test("A certificate that nobody vouches for is told as that, and not as a server that cannot be reached; nothing is sent to it")
    func untrusted() async throws {
        let server = try TLSServer()
        for host in ["localhost", "127.0.0.1"] {
            let url = try #require(URL(string: "https://\(host):\(server.port)/ap1"))
            await #expect(throws: TransportError.untrusted) {
                try await URLSessionTransport().send(TransportRequest(url: url, body: [1, 2, 3], timeout: 60))
            }
        }
        #expect(try server.requests() == 0)
    }

    @Test("A phone that meets such a certificate says so at once: no number, nothing that trying again later would mend")
    func untrustedEnrolment() async throws {
        let server = try TLSServer()
        let ostiary = Ostiary(ports: Ports(keys: MemoryKeyStore(), accounts: MemoryAccountStore()))
        let link = EnrolLink(
            rootHash: [UInt8](repeating: 7, count: 32), enrolID: EnrolmentID(using: SystemRandomSource()),
            enrolSecret: [UInt8](repeating: 1, count: 16), url: "https://localhost:\(server.port)")
        var events = ostiary.events.makeAsyncIterator()
        ostiary.start(with: link.encoded)
        var failure: OstiaryError?
        while failure == nil, let event = await events.next() { if case .error(let error, _) = event { failure = error } }
        #expect(failure == .certificateUntrusted && failure?.code == nil && failure?.advice == .askUser)
    }

    @Test(
        "What Apple's client says of a certificate is told as that; a broken connection is not",
        arguments: [
            (-1201, TransportError.untrusted), (-1202, .untrusted), (-1203, .untrusted), (-1204, .untrusted), (-1001, .unreachable),
            (-1003, .unreachable), (-1004, .unreachable), (-1009, .unreachable), (-1, .unreachable),
        ])
    func codes(_ code: Int, _ error: TransportError) {
        #expect(TransportError(NSError(domain: NSURLErrorDomain, code: code)) == error)
        #expect(TransportError(NSError(domain: NSPOSIXErrorDomain, code: code)) == .unreachable)
    }

    @Test("An answer longer than any of ours is cut off")
    func tooLong() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 1_000_000)) }
        await #expect(throws: TransportError.tooLong) { try await URLSessionTransport().send(try request(server)) }
    }

    @Test("Anything but https and this machine is not even tried", arguments: ["http://192.0.2.1/", "ftp://127.0.0.1/", "http://login.example/"])
    func addresses(_ text: String) async throws {
        let url = try #require(URL(string: text))
        await #expect(throws: TransportError.addressRefused) {
            try await URLSessionTransport().send(TransportRequest(url: url, body: [], timeout: 5))
        }
    }
}
