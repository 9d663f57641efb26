import Foundation
import NIOCore
import NIOPosix
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// What a supervisor does with the servers beside starting and ending them.
@Suite("Servers under a supervisor", .serialized)
struct SupervisorTests {
    @Test("SIGHUP ends neither server: both say that it changes nothing, go on, and end in good order at SIGTERM")
    func hangUp() async throws {
        let pair = try await ProcessesFixture.running()
        for server in [pair.authentication, pair.secondFactor] {
            server.program?.signal(SIGHUP)
            try await eventually("it is told: \(server.complaints)") { server.complaints.contains("SIGHUP changes nothing") }
        }
        try await pair.waitUntilReady()
        for server in [pair.authentication, pair.secondFactor] {
            server.program?.signal(SIGHUP)
            server.program?.signal(SIGTERM)
            #expect(try await server.program?.end() == 0)
        }
    }

    @Test("A log reader that stands still stops nothing: both servers start, answer and end, and a start that fails ends too")
    func silentReader() async throws {
        let pair = try await ProcessesFixture()
        let pipe = try FullPipe(in: pair.folder)
        let shell = "exec \"$0\" \"$@\" 2>\(pipe.path)"
        // Every request is lines of the log.
        let everything = ["OSTIARY_LOG_LEVEL": "trace"]
        try await pair.start(everything, secondFactor: everything, shell: shell, isForBoth: true)
        let backend = try await pair.backend()
        for _ in 0..<20 {
            try await eventually("it lives") { await pair.status("/live") == 200 }
            #expect(try await !backend.session(ManagementClient.newNonce()).loggedin)
        }
        let launch = pair.authentication.launch
        let second = try Program(launch.arguments, environment: launch.environment, shell: shell)
        #expect(try await second.end() == 1)
        for server in [pair.authentication, pair.secondFactor] {
            server.program?.signal(SIGTERM)
            #expect(try await server.program?.end() == 0)
        }
    }

    @Test("On a socket that was handed over nobody is turned away while the server restarts")
    func handedOver() async throws {
        let pair = try await ProcessesFixture()
        try pair.secondFactor.start()
        let socket = try LoopbackSocket()
        let url = "http://localhost:\(socket.port)"
        let data = pair.layout.authenticationData.path
        let identity = try await ProcessesFixture.identity(["second-factor", "--data", pair.layout.secondFactorData.path])
        let environment = pair.layout.authenticationEnvironment(secondFactorIdentity: identity).merging(["OSTIARY_PUBLIC_URL": url]) { $1 }
        let handle = FileHandle(fileDescriptor: socket.descriptor, closeOnDealloc: false)
        func start() throws -> Program {
            // As systemd does it: the socket is descriptor 3, and the variables name the process.
            try Program(
                ["serve", "--data", data], environment: environment, terminal: handle,
                shell: "LISTEN_FDS=1 LISTEN_FDNAMES=public LISTEN_PID=$$ exec \"$0\" \"$@\" 3<&0 </dev/null")
        }
        let login = try #require(URL(string: url + "/login"))
        let first = try start()
        try await eventually("the first serves: \(first.complaints)") { await HTTPProbe.status(of: login) == 200 }
        // The log is written beside the answers, so its line may come after them.
        try await eventually("it says where: \(first.complaints)") { first.complaints.contains("public=127.0.0.1:\(socket.port)") }
        first.signal(SIGTERM)
        #expect(try await first.end() == 0)
        let between = try await Crowd(5, port: Int(socket.port), sending: Array("GET /login HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        let second = try start()
        try await eventually("those who came between are served: \(second.complaints)") { between.count(of: 200) == 5 }
        second.signal(SIGTERM)
        #expect(try await second.end() == 0)
        await between.disperse()
        try await pair.secondFactor.stop()
    }
}
