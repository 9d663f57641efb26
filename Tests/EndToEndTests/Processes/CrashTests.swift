import Foundation
import OstiaryMobile
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Servers that die, on either engine, and phones that share a home.
@Suite("What survives", .serialized)
struct CrashTests {
    @Test(
        "SFS down: the PIN's result is ERROR, nothing is counted, getSession goes on; afterwards the right PIN works",
        arguments: DatabaseEngine.allCases)
    func secondFactorDown(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        let (_, nonce) = try await person.enrol(in: pair.folder)
        try await pair.secondFactor.kill()
        // A good answer counts for a few seconds.
        try await eventually("readiness tells it") { await pair.readiness() == 503 }
        #expect(try await person.backend.session(nonce).loggedin)
        let code = try await person.backend.loginCode(ManagementClient.newNonce(), asPNG: false)
        let down = try await FixturePhone.onNetwork(in: person.phone.home).logIn(code, pins: [Person.wrongPINs[0]])
        #expect(down.end.session == nil)
        #expect(down.answers.contains { $0.result == .error })
        #expect(down.answers.last?.failedAttempts == 0)

        try pair.secondFactor.start()
        try await pair.waitUntilReady()
        let after = try await person.logIn(pins: [Person.wrongPINs[1], Person.pin], in: pair.folder)
        #expect(after.outcome.code == 0)
        #expect(after.outcome.secondFactors[1].info?["failedAttempts"] == .number(1))
        try await pair.stop()
    }

    @Test(
        "kill -9 of either server while PINs are tried: never more wrong tries than were evaluated, and the right PIN works",
        arguments: [0, 1], DatabaseEngine.allCases)
    func killedServers(_ which: Int, on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(secondFactor: ["OSTIARY_SF_PENALTIES": "0,0,0,0"], on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let code = try await person.loginCode(ManagementClient.newNonce(), in: pair.folder)
        let login = try person.phone.start(["login", code], closingInput: false)
        _ = try await login.event("secondFactor")

        for round in 0..<3 {
            try login.type(Person.wrongPINs[round] + "\n")
            // The try is somewhere between phone and disk.
            try await Task.sleep(for: .milliseconds(60 + 45 * round))
            let victim = which == 0 ? pair.authentication : pair.secondFactor
            try await victim.kill()
            try victim.start(which == 0 ? [:] : ["OSTIARY_SF_PENALTIES": "0,0,0,0"])
            try await eventually("answers to \(round + 1) tries: \(login.output)") {
                login.lines.filter { $0.contains(#""event":"secondFactor""#) }.count >= round + 2
            }
        }
        try login.type(Person.pin + "\n")
        login.closeInput()
        let outcome = try await TerminalPhone.outcome(of: login)
        #expect(outcome.code == 0, "\(outcome.events)")
        for (tries, event) in outcome.secondFactors.enumerated() where event.info?["result"] == .string("FAILED") {
            #expect((event.info?["failedAttempts"]?.int ?? 99) <= tries)
        }
        try await pair.stop()
    }

    @Test("kill -9 of a server that waited for no disk: the code that it showed is good when it is back", arguments: DatabaseEngine.allCases)
    func killedAtCode(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let link = try await person.backend.loginLink(ManagementClient.newNonce())
        try await pair.authentication.kill()
        try pair.authentication.start()
        try await pair.waitUntilReady()
        #expect(try await person.phone.run(["login", link], pins: [Person.pin]).code == 0)
        try await pair.stop()
    }

    @Test("Two phone processes share a home: both enrol at once, and the home holds both accounts")
    func sharedHome() async throws {
        let pair = try await ProcessesFixture.running()
        let backend = try await pair.backend()
        let people = ["alice", "bob"].map { Person(backend, pair.phone("shared"), user: $0) }
        try await people[0].enrol(in: pair.folder)
        async let enrolled = people[1].enrol(in: pair.folder)
        async let loggedIn = people[0].logIn(["--account", "Alice"], in: pair.folder)
        let codes = try await (enrolled.outcome.code, loggedIn.outcome.code)
        #expect(codes == (0, 0))
        let list = try await people[0].phone.run(["accounts"])
        #expect(list.events.map { $0["account"]?["state"] } == [.string("active"), .string("active")])
        try await pair.stop()
    }
}
