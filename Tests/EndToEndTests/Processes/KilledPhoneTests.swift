import AsyncHTTPClient
import Foundation
import HTTPService
import HTTPTypes
import Logging
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryPhone

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The phone is killed when it has said yes and has not heard the answer: the next command finds out whether somebody is logged in.
@Suite("kill -9 of a phone at its yes", .serialized)
struct KilledPhoneTests {
    /// Stands between phones and their server, and holds one message or one answer back.
    private final class Gate: RelayTap {
        enum Side: Sendable {
            case request, answer
        }

        private struct State {
            var messages = 0
            var plan: (number: Int, side: Side)?
            var held: [UInt8]?
            var waiting: [CheckedContinuation<Void, Never>] = []
            var isOpen = false
        }

        private let state = Mutex(State())

        /// What is held back, or was answered with what is.
        var held: [UInt8]? { state.withLock(\.held) }

        /// How many messages passed since this was asked for the last time.
        func passed() -> Int {
            state.withLock { state in
                defer { state.messages = 0 }
                return state.messages
            }
        }

        /// From the next message on, the `number`th waits, or its answer does.
        func holdBack(_ side: Side, number: Int) {
            state.withLock { state in
                state.messages = 0
                state.plan = (number, side)
            }
        }

        func open() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isOpen = true
                return state.waiting
            }
            for held in waiting { held.resume() }
        }

        func heard(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]) async -> AnswerTap? {
            guard method == .post, path == "/ap1" else { return nil }
            let side = state.withLock { state -> Side? in
                state.messages += 1
                return state.plan?.number == state.messages ? state.plan?.side : nil
            }
            switch side {
            case .request: await hold(body)
            case .answer: return { _, _ in await self.hold(body) }
            case nil: break
            }
            return nil
        }

        func watched(_ path: String, _ headers: HTTPFields) -> PartTap? { nil }

        /// Also when the one who asked is gone.
        private func hold(_ body: [UInt8]) async {
            await withCheckedContinuation { waiting in
                let isOpen = state.withLock { state in
                    state.held = body
                    if !state.isOpen { state.waiting.append(waiting) }
                    return state.isOpen
                }
                if isOpen { waiting.resume() }
            }
        }
    }

    private struct Undecided: Equatable {
        let id: String?
        let isGivenUp: Bool
    }

    private struct Scene: Sendable {
        let pair: ProcessesFixture
        let person: Person
        let gate: Gate
        /// Where the server listens behind the gate.
        let port: Int

        func isLoggedIn(_ nonce: String) async throws -> Bool { try await person.backend.session(nonce).loggedin }

        /// Ids of what is listed.
        func listed() async throws -> [String] {
            let outcome = try await person.phone.run(["sessions"])
            try #require(outcome.code == 0, "\(outcome.events)")
            return outcome.events.filter { $0.event == "session" }.compactMap { $0["session"]?["id"]?.string }
        }

        /// What is told of one login of which it is not known whether it counts, by its id; more than that ends the test.
        func undecided(_ arguments: [String] = ["sessions"]) async throws -> Undecided {
            let outcome = try await person.phone.run(arguments)
            try #require(outcome.code == 0 && outcome.events.compactMap(\.event) == ["undecidedLogin"], "\(outcome.events)")
            let login = outcome.last?["login"]
            return Undecided(id: login?["id"]?.string, isGivenUp: login?["isGivenUp"] == .bool(true))
        }
    }

    /// Both servers, the gate before the one that phones speak to, and an enrolled person who is logged in nowhere.
    private func behindGate(pingTime: Int, _ body: @Sendable (Scene) async throws -> Void) async throws {
        let behind = try ReservedPort()
        let pair = try await ProcessesFixture.running(["OSTIARY_LISTEN": "127.0.0.1:\(behind.number)"])
        let (client, gate) = (Relay.makeClient(), Gate())
        let relay = Relay(to: behind.number, client: client, tap: gate)
        let listener = Listener("gate", at: ListenAddress(host: "127.0.0.1", port: pair.layout.publicPort), router: relay.router)
        let runner = ServerRunner(logger: Logger.service("test", level: .critical), drain: DrainSignal(), drainTime: .seconds(1))
        let running = Task { try await runner.run([listener], stopsOnSignals: false) { _ in } }
        let outcome: Result<Void, any Error>
        do {
            let person = Person(try await pair.backend(), pair.phone())
            let login = try #require(URL(string: pair.layout.publicURL + "/login"))
            try await eventually("the gate answers") { await HTTPProbe.status(of: login) == 200 }
            try await person.backend.updateServer(#"{"pingTime":\#(pingTime)}"#)
            try await person.enrol(in: pair.folder)
            try #require(try await person.phone.run(["sessions", "--end", "all"]).code == 0)
            try await body(Scene(pair: pair, person: person, gate: gate, port: behind.number))
            outcome = .success(())
        } catch { outcome = .failure(error) }
        gate.open()
        running.cancel()
        _ = try? await running.value
        try await client.shutdown()
        try await pair.stop()
        try outcome.get()
    }

    /// A login whose phone is killed while its yes, or the answer to it, is held back.
    private func killedAtYes(_ scene: Scene, holding side: Gate.Side) async throws -> (nonce: String, session: String) {
        let (nonce, session, phone) = try await atYes(scene, holding: side)
        phone.signal(SIGKILL)
        #expect(try await phone.end() == 128 + SIGKILL)
        #expect(try await scene.isLoggedIn(nonce) == (side == .answer))
        return (nonce, session)
    }

    /// A login whose phone waits, because its yes or the answer to it is held back.
    private func atYes(_ scene: Scene, holding side: Gate.Side) async throws -> (nonce: String, session: String, phone: Program) {
        // The yes is the last that a login says. At which message that is shows one that nobody disturbs.
        _ = scene.gate.passed()
        try #require(try await scene.person.logIn(in: scene.pair.folder).outcome.code == 0)
        let last = scene.gate.passed()
        try #require(try await scene.person.phone.run(["sessions", "--end", "all"]).code == 0)
        let nonce = ManagementClient.newNonce()
        let code = try await scene.person.loginCode(nonce, in: scene.pair.folder)
        scene.gate.holdBack(side, number: last)
        let phone = try scene.person.phone.start(["login", code], pins: [scene.person.pin])
        try await eventually("the yes is on its way: \(phone.output) \(phone.complaints)") { scene.gate.held != nil }
        let session = try #require(try await phone.event("confirmLogin")["session"]?["id"]?.string)
        return (nonce, session, phone)
    }

    @Test("The next command lists the login, the history has it, and it is ended by its id", arguments: [0, 300])
    func listed(_ pingTime: Int) async throws {
        try await behindGate(pingTime: pingTime) { scene in
            let (nonce, session) = try await killedAtYes(scene, holding: .answer)
            #expect(try await scene.listed() == [session])
            #expect(try await scene.listed() == [session], "and so does the one after it")
            let last = try #require(try await scene.person.phone.run(["history"]).last?["item"])
            #expect(last["id"]?.string == session && last["status"] == .string(pingTime > 0 ? "LOGGED_IN" : "LOGGED_IN_ONE_SHOT"), "\(last)")
            #expect(try await scene.isLoggedIn(nonce))
            #expect(try await scene.person.phone.run(["sessions", "--end", session]).code == 0)
            #expect(try await !scene.isLoggedIn(nonce))
            #expect(try await scene.listed().isEmpty)
        }
    }

    @Test("--end all ends it, though no list ever had it", arguments: [0, 300])
    func ended(_ pingTime: Int) async throws {
        try await behindGate(pingTime: pingTime) { scene in
            let (nonce, session) = try await killedAtYes(scene, holding: .answer)
            let ended = try await scene.person.phone.run(["sessions", "--end", "all"])
            #expect(ended.code == 0 && ended.events.compactMap(\.event) == ["sessionStop"], "\(ended.events)")
            #expect(ended.last?["session"]?["id"]?.string == session)
            #expect(try await !scene.isLoggedIn(nonce))
            #expect(try await scene.listed().isEmpty)
        }
    }

    @Test("A yes that never arrived logs nobody in, and sessions says what is not known; arriving late, it is listed, or ended if that was asked")
    func late() async throws {
        for endsBefore in [false, true] {
            try await behindGate(pingTime: 0) { scene in
                let (nonce, session) = try await killedAtYes(scene, holding: .request)
                #expect(try await scene.listed().isEmpty)
                let told = try Program(["phone", "--home", scene.person.phone.home, "sessions"])
                #expect(try await told.end() == 0)
                #expect(told.output.contains("is not known yet") && !told.output.contains("nothing is logged in"), "\(told.output)")
                #expect(try await scene.undecided() == Undecided(id: session, isGivenUp: false))
                if endsBefore { #expect(try await scene.undecided(["sessions", "--end", "all"]) == Undecided(id: session, isGivenUp: true)) }
                #expect(try await !scene.isLoggedIn(nonce))

                var copy = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(scene.port)/ap1")), timeoutInterval: 300)
                copy.httpMethod = "POST"
                copy.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
                copy.httpBody = Data(try #require(scene.gate.held))
                _ = try await URLSession.shared.data(for: copy)
                #expect(try await scene.isLoggedIn(nonce))
                #expect(try await scene.listed() == (endsBefore ? [] : [session]))
                #expect(try await scene.isLoggedIn(nonce) == !endsBefore)
            }
        }
    }

    @Test("A login that another command gives up while its yes is on its way is ended by itself, and says so; the history has it")
    func givenUpMeanwhile() async throws {
        try await behindGate(pingTime: 0) { scene in
            let (nonce, session, phone) = try await atYes(scene, holding: .request)
            // Without a detour: the phone says its yes again when it has heard nothing for 15 seconds.
            #expect(try await scene.undecided(["sessions", "--end", "all"]) == Undecided(id: session, isGivenUp: true))
            scene.gate.open()
            #expect(try await phone.event("sessionStop")["reason"]?.string == "user")
            #expect(try await phone.end() == 2)
            #expect(!phone.output.contains("sessionLogin"))
            #expect(try await !scene.isLoggedIn(nonce))
            let last = try #require(try await scene.person.phone.run(["history"]).last?["item"])
            #expect(last["id"]?.string == session && last["status"]?.string == "LOGGED_OUT", "\(last)")
            #expect(try await scene.person.phone.run(["sessions"]).events.isEmpty)
        }
    }

    @Test("A login that another command has ended before the answer was heard says that it is over")
    func endedMeanwhile() async throws {
        try await behindGate(pingTime: 300) { scene in
            let (nonce, session, phone) = try await atYes(scene, holding: .answer)
            #expect(try await scene.person.phone.run(["sessions", "--end", session]).code == 0)
            #expect(try await !scene.isLoggedIn(nonce))
            scene.gate.open()
            #expect(try await phone.event("sessionStop")["reason"]?.string == "user")
            #expect(try await phone.end() == 2)
            #expect(!phone.output.contains("sessionLogin"))
            let last = try #require(try await scene.person.phone.run(["history"]).last?["item"])
            #expect(last["id"]?.string == session && last["status"]?.string == "LOGGED_OUT", "\(last)")
            #expect(try await scene.listed().isEmpty)
        }
    }
}
