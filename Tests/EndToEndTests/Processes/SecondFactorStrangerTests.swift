import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OstiaryTesting
import ServiceLifecycle
import Synchronization
import Testing

@testable import OstiaryPhone

/// The second-factor address in the hands of others, while `ostiary serve` runs.
@Suite("A stranger at the second-factor address", .serialized)
struct SecondFactorStrangerTests {
    @Test("52 zero bytes, then a second-factor server with an empty database: serve goes on, says why nobody logs in, and mends itself")
    func strangers() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let (first, second) = (try await person.logIn(in: pair.folder).nonce, try await person.logIn(in: pair.folder).nonce)
        try await pair.stop()

        let stranger = Stranger()
        try await stranger.answering(at: pair.layout.secondFactorPort) {
            let serve = try pair.authentication.start()
            // Once at the start, and once by what runs beside it.
            try await eventually("asked twice: \(serve.complaints)") { stranger.asked >= 2 || !serve.isRunning }
            try await expect(pair, toGoOnSaying: "no second-factor server", session: first, of: person)
        }
        try await person.backend.logOut(first)
        #expect(try await !person.backend.session(first).loggedin)

        let empty = try Program(
            ["second-factor", "--data", pair.folder.file("not-mounted")],
            environment: pair.layout.secondFactorEnvironment(trusting: String(repeating: "A", count: 43)))
        try await expect(pair, toGoOnSaying: "another second-factor server", session: second, of: person)
        empty.signal(SIGTERM)
        try await empty.end()

        try pair.secondFactor.start()
        try await pair.waitUntilReady()
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)
        expectOneLineAChange(pair)
        try await pair.stop()
    }

    @Test("52 zero bytes where the second-factor server was: who is logged in stays so, a ping counts, a logout ends it, then the right one is used")
    func later() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let nonce = try await person.logIn(in: pair.folder).nonce
        try await pair.secondFactor.stop()

        let stranger = Stranger()
        try await stranger.answering(at: pair.layout.secondFactorPort) {
            try await expect(pair, toGoOnSaying: "no second-factor server", session: nonce, of: person)
            #expect(stranger.asked > 0)
            let end = try await person.backend.end(of: nonce)
            let watch = try person.phone.start(["watch", "--seconds", "60"], pins: [])
            try await eventually("a ping counts: \(watch.complaints)") { try await person.backend.end(of: nonce) > end }
            try await person.backend.logOut(nonce)
            #expect(try await !person.backend.session(nonce).loggedin)
            #expect(try await watch.event("sessionStop")["reason"] == .string("server"))
            watch.signal(SIGTERM)
            #expect(try await watch.end() == 128 + SIGTERM)
            #expect(pair.authentication.program?.isRunning == true)
        }

        try pair.secondFactor.start()
        try await pair.waitUntilReady()
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)
        expectOneLineAChange(pair)
        try await pair.stop()
    }

    /// The log tells what is wrong when it begins to be and when it is over, and never twice the same, however often the other server is asked.
    private func expectOneLineAChange(_ pair: ProcessesFixture) {
        let told = pair.authentication.complaints.split(separator: "\n").filter { $0.contains("the second-factor server can") }.map { line in
            let reason = line.components(separatedBy: "reason=").last?.components(separatedBy: " since=").first ?? ""
            return line.contains("can be used again") ? "over: \(reason)" : reason
        }
        #expect(told.count >= 2 && zip(told, told.dropFirst()).allSatisfy { $0 != $1 }, "\(told)")
    }

    /// getSession is answered, the balancer leaves the server where it is, and the report says what is wrong.
    private func expect(_ pair: ProcessesFixture, toGoOnSaying words: String, session nonce: String, of person: Person) async throws {
        try await eventually("\(words) is told: \(pair.authentication.complaints)") {
            let (status, body) = try await pair.report("/ready?for=logins")
            return status == 503 && body.contains(words)
        }
        #expect(pair.authentication.program?.isRunning == true)
        try await pair.waitUntilInOrder()
        #expect(try await person.backend.session(nonce).loggedin)
    }
}

/// Something that answers every question with what looks like an identity and is none.
private final class Stranger: Sendable {
    private let count = Mutex(0)

    var asked: Int { count.withLock { $0 } }

    func answering(at port: Int, _ body: @Sendable @escaping () async throws -> Void) async throws {
        let router = Router()
        router.get("**") { [self] _, _ in
            count.withLock { $0 += 1 }
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0, count: 52)))
        }
        let application = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: Logger(label: "stranger")))
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await group.run() }
            do { try await body() } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
        }
    }
}
