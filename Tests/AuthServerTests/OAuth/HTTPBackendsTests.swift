import Dispatch
import Foundation
import HTTPCalls
import OAuthProvider
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import AuthServer

/// Real sockets: what comes of a call depends on what libraries below make of it.
@Suite("Calls to the backends of clients", .timeLimit(.minutes(10)))
struct HTTPBackendsTests {
    private let log = LogRecorder()

    /// - Parameter patience: long, where a busy machine is no fault.
    private func backends(patience: Duration = .seconds(300)) -> HTTPBackends { HTTPBackends(logger: log.logger(), patience: patience) }

    private var complaints: [[String: String]] { log.lines("a client's backend was not told").map(\.facts) }

    @Test("A logout token is the one value of a form, and a ping is JSON with the client's own token; nothing else goes along")
    func requests() async throws {
        let (listener, backends) = (try ListeningBackend([200, 204]), backends())
        #expect(await backends.send("aa.bb.cc", to: listener.address("/logout?tenant=1")) == 200)
        let body = OstiaryTokens.JSONObject(["auth_req_id": .string("request-1")])
        #expect(await backends.ping(body, token: PresentedSecret("token-1"), at: listener.address("/ping")) == 204)
        let (logout, ping) = (try #require(listener.calls.first), try #require(listener.calls.last))
        #expect(try listener.calls.count == 2 && #require(logout.fields["host"]).hasPrefix("127.0.0.1:"))
        #expect(logout.line == "POST /logout?tenant=1 HTTP/1.1" && logout.body == "logout_token=aa.bb.cc")
        #expect(logout.fields["content-type"] == "application/x-www-form-urlencoded" && logout.fields["authorization"] == nil)
        #expect(ping.line == "POST /ping HTTP/1.1" && ping.body == #"{"auth_req_id":"request-1"}"#)
        #expect(ping.fields["content-type"] == "application/json" && ping.fields["authorization"] == "Bearer token-1")
        #expect(complaints.isEmpty)
    }

    @Test("ciba_ping_body_ignored: an answer is its status; a redirect is followed nowhere, and no body is read")
    func answers() async throws {
        let (elsewhere, backends) = (try ListeningBackend(), backends())
        for status in [302, 307, 308] {
            let redirecting = try RawServer { connection in
                connection.send("HTTP/1.1 \(status) x\r\nlocation: \(elsewhere.address("/"))\r\ncontent-length: 0\r\n\r\n")
            }
            #expect(await backends.send("a.b.c", to: "http://127.0.0.1:\(redirecting.port)/") == status)
            #expect(redirecting.requests.count == 1)
        }
        #expect(elsewhere.calls.isEmpty)
        let endless = try Self.endless()
        #expect(await backends.send("a.b.c", to: "http://127.0.0.1:\(endless.port)/") == 200)
        #expect(endless.requests.count == 1)
        // Of a ping it is the same, whatever a body says.
        let body = OstiaryTokens.JSONObject(["auth_req_id": .string("request-1")])
        let talking = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 27\r\n\r\n{\"error\":\"invalid_request\"}")
        }
        let endlessly = try Self.endless()
        for server in [endlessly, talking] {
            #expect(await backends.ping(body, token: PresentedSecret("token-1"), at: "http://127.0.0.1:\(server.port)/") == 200)
        }
        #expect(endlessly.requests.count == 1 && talking.requests.count == 1)
    }

    private static func endless() throws -> RawServer {
        try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n")
            while connection.send([UInt8](repeating: 0x61, count: 65_536)) {}
        }
    }

    @Test("Who hangs up, is not there, or says no status in time has not answered, and the log says which in words of an operator")
    func noAnswer() async throws {
        let (hangingUp, closed) = (try ListeningBackend([nil]), try LoopbackSocket(listens: false))
        #expect(await backends().send("a.b.c", to: hangingUp.address("/")) == nil)
        #expect(hangingUp.calls.count == 1)
        #expect(await backends().send("a.b.c", to: "http://127.0.0.1:\(closed.port)/") == nil)
        let silent = try RawServer { $0.waitForEnd() }
        // A byte is no answer either, however many come.
        let trickling = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("a: b\r\n") { usleep(20_000) }
        }
        for server in [silent, trickling] {
            #expect(await backends(patience: .seconds(2)).send("a.b.c", to: "http://127.0.0.1:\(server.port)/") == nil)
        }
        for answer in ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 000 x\r\ncontent-length: 0\r\n\r\n"] {
            let other = try RawServer { $0.send(answer) }
            #expect(await backends().send("a.b.c", to: "http://127.0.0.1:\(other.port)/") == nil)
        }
        #expect(complaints.allSatisfy { $0["work"] == "logouts" })
        let (late, none) = ("no answer in 2 seconds", "no HTTP answer")
        #expect(complaints.map { $0["error"] } == ["hung up before it answered", "could not connect", late, late, none, none])
    }

    @Test("A87 a backend whose name nobody answers for costs one lookup, however often it is to be told, and keeps no other from being told")
    func silentName() async throws {
        let asked = Mutex<[String]>([])
        let gate = DispatchSemaphore(value: 0)
        let (lookups, begun) = AsyncStream.makeStream(of: Void.self)
        let names = NameLookups { host in
            asked.withLock { $0.append(host) }
            begun.yield()
            gate.wait()
        }
        let (listener, log) = (try ListeningBackend(), LogRecorder())
        let impatient = HTTPBackends(logger: log.logger(), patience: .milliseconds(5), names: names)
        let silent = listener.address("/").replacing("127.0.0.1", with: "localhost")
        for _ in 0..<3 { #expect(await impatient.send("a.b.c", to: silent) == nil) }
        let patient = HTTPBackends(logger: log.logger(), patience: .seconds(300), names: names)
        #expect(await patient.send("a.b.c", to: listener.address("/")) == 200)
        for await _ in lookups { break }
        #expect(asked.withLock { $0 } == ["localhost"] && listener.calls.count == 1)
        #expect(log.lines("a client's backend was not told").map { $0.facts["error"] } == ["no answer in 0.005 seconds"])
        // Whoever waits for the name when it is there is told.
        async let late = patient.send("a.b.c", to: silent)
        gate.signal()
        gate.signal()
        #expect(await late == 200)
    }

    @Test("An address that could not be registered is not called, over whatever port it says")
    func addresses() async throws {
        let listener = try ListeningBackend()
        for address in ["", "/logout", "ftp://127.0.0.1/", "http://192.0.2.1/", "https://127.0.0.1:99999/", listener.address("/#a")] {
            #expect(await backends().send("a.b.c", to: address) == nil)
        }
        #expect(listener.calls.isEmpty)
        #expect(complaints.count == 6 && complaints.allSatisfy { $0["error"] == "no address that can be called" })
    }

    @Test("The log says once a minute which backend did not hear and why, without its query and what it was to hear")
    func complaintsOfOne() async throws {
        let (listener, backends) = (try ListeningBackend([503, 503, 200, 401]), backends())
        for _ in 0..<3 { _ = await backends.send("secret-1", to: listener.address("/logout?key=secret-2")) }
        _ = await backends.ping(OstiaryTokens.JSONObject(), token: PresentedSecret("secret-3"), at: listener.address("/logout"))
        let address = listener.address("/logout")
        #expect(
            complaints == [
                ["work": "logouts", "address": address, "status": "503"], ["work": "pings", "address": address, "status": "401"],
            ])
        #expect(!log.text.contains("secret-"))
    }
}
