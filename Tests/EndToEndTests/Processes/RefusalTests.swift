import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// How the phone's commands end when something is refused.
@Suite("Exit codes of the phone", .serialized)
struct RefusalTests {
    @Test("2: a denied login is told to the page's session, and nobody is logged in", arguments: ["--deny", "--not-me"])
    func denies(_ option: String) async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let (outcome, nonce) = try await person.logIn([option], pins: [], in: pair.folder)
        #expect(outcome.code == 2)
        #expect(outcome.last?.event == "sessionStop")
        #expect(outcome.last?["reason"] == .string("denied"))
        #expect(try await person.backend.session(nonce).loggedin == false)
        try await pair.stop()
    }

    @Test("2: the end of the input cancels; 3: a wrong PIN and no other; 4: the right one during a penalty, which is not counted")
    func pins() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        #expect(try await person.logIn(pins: [], in: pair.folder).outcome.code == 2)
        #expect(try await person.logIn(pins: [Person.wrongPINs[0]], in: pair.folder).outcome.code == 3)

        let penalised = try await person.logIn(pins: [Person.wrongPINs[1], Person.wrongPINs[2], Person.pin], in: pair.folder)
        #expect(penalised.outcome.code == 4)
        let last = try #require(penalised.outcome.secondFactors.last?.info)
        #expect(last["failedAttempts"] == .number(3))
        #expect((1...30).contains(last["penalisedFor"]?.int ?? 0))
        #expect(try await person.backend.session(penalised.nonce).loggedin == false)
        try await pair.stop()
    }

    @Test("1: a second-factor server that is gone until the end of the input is told as an error")
    func unchecked() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        try await pair.secondFactor.stop()
        let outcome = try await person.logIn(in: pair.folder).outcome
        #expect(outcome.code == 1, "\(outcome.events)")
        #expect(outcome.event("error")?["name"] == .string("secondFactorUnavailable"))
        #expect(outcome.last?["reason"] == .string("cancelled"))
        let change = try await person.phone.run(["change-pin"], pins: [Person.pin])
        #expect(change.code == 1 && change.event("error")?["name"] == .string("secondFactorUnavailable"), "\(change.events)")
        try await pair.authentication.stop()
    }

    @Test("4: five wrong PINs block; an operator's reset lets the right one in")
    func blocks() async throws {
        let pair = try await ProcessesFixture.running(secondFactor: ["OSTIARY_SF_PENALTIES": "0,0,0,0"])
        let person = Person(try await pair.backend(), pair.phone())
        let (_, enrolled) = try await person.enrol(in: pair.folder)
        let account = try #require(try await person.backend.session(enrolled).accountid)

        let blocked = try await person.logIn(pins: Person.wrongPINs + ["618203", Person.pin], in: pair.folder)
        #expect(blocked.outcome.code == 4)
        #expect(blocked.outcome.secondFactors.last?.info?["blocked"] == .bool(true))
        #expect(try await person.logIn(in: pair.folder).outcome.code == 4)

        try await person.backend.resetSecondFactor(account)
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)
        try await pair.stop()
    }

    @Test("5: a login code of another phone, a used enrol code, a code that is over; one phone wins, the other is told")
    func takenCodes() async throws {
        let pair = try await ProcessesFixture.running()
        let backend = try await pair.backend()
        let alice = Person(backend, pair.phone("first"))
        let bob = Person(backend, pair.phone("second"), user: "bob")
        try await alice.enrol(in: pair.folder)
        try await bob.enrol(in: pair.folder)

        let nonce = ManagementClient.newNonce()
        let code = try await alice.loginCode(nonce, in: pair.folder)
        let programs = try [alice, bob].map { try $0.phone.start(["login", code], pins: [Person.pin]) }
        var outcomes: [TerminalPhone.Outcome] = []
        for program in programs { outcomes.append(try await TerminalPhone.outcome(of: program)) }
        #expect(outcomes.map(\.code).sorted() == [0, 5], "\(outcomes.map(\.events))")
        #expect(outcomes.first { $0.code == 5 }?.last?.event == "error")

        #expect(try await alice.phone.run(["login", code], pins: [Person.pin]).code == 5)

        let enrolment = ManagementClient.newNonce()
        let enrolCode = try pair.folder.write(try await backend.enrolCode(enrolment, name: "Eve", user: "eve", asPNG: false), to: "eve.bin")
        let first = try pair.phone("third").start(["enrol", enrolCode], pins: [Person.pin])
        _ = try await first.event("enrolConfirmation")
        #expect(try await pair.phone("fourth").run(["enrol", enrolCode], pins: [Person.pin]).code == 5)
        try await pair.stop()
    }

    @Test("6: the authentication server is not there, and the code is 70; after it came back everything goes on")
    func unreachable() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        let (_, nonce) = try await person.enrol(in: pair.folder)
        let code = try await person.loginCode(ManagementClient.newNonce(), in: pair.folder)
        try await pair.authentication.kill()
        let outcome = try await person.phone.run(["login", code], pins: [Person.pin])
        #expect(outcome.code == 6)
        #expect(outcome.last?.event == "error")
        #expect(outcome.last?["code"] == .number(70))

        try pair.authentication.start()
        try await pair.waitUntilReady()
        #expect(try await person.backend.session(nonce).loggedin)
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)
        try await pair.stop()
    }

    @Test("7: another server at the known address is not the one that was enrolled with, and is asked for nothing")
    func impostor() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        try await pair.authentication.stop()
        let identity = try await ProcessesFixture.identity(["second-factor", "--data", pair.layout.secondFactorData.path])
        let impostor = try Program(
            ["serve", "--data", pair.folder.file("impostor")], environment: pair.layout.authenticationEnvironment(secondFactorIdentity: identity))
        try await eventually("the impostor answers: \(impostor.complaints)") { await pair.status("/live") == 200 }
        let outcome = try await person.phone.run(["app-login"], pins: [Person.pin])
        #expect(outcome.code == 7, "\(outcome.events)")
        #expect(outcome.last?["code"] == .number(48))
        #expect(outcome.secondFactors.isEmpty)
        impostor.signal(SIGTERM)
        try await impostor.end()
        try await pair.secondFactor.stop()
    }

    @Test("64: no code, no file, contradictory options, a confirmation that nobody can give")
    func usage() async throws {
        let folder = try TemporaryFolder()
        let phone = TerminalPhone(home: folder.file("home"))
        let text = try folder.write(Array("hello".utf8), to: "hello.txt")
        for arguments in [["login", "nosuch"], ["login", text], ["enrol"], ["login", text, "--deny", "--not-me"], ["nosuch"]] {
            #expect(try await phone.run(arguments).code == 64, "\(arguments)")
        }
        let deletion = try Program(["phone", "--home", folder.file("home"), "delete-account"])
        #expect(try await deletion.end() == 64)
        #expect(deletion.complaints.contains("no accounts: enrol"), "\(deletion.complaints)")
        let mute = try Program(["phone", "--home", folder.file("home"), "--pin-stdin", "login", text])
        mute.closeInput()
        #expect(try await mute.end() == 64)
    }
}
