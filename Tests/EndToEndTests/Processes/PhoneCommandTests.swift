import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// What the phone's commands say and take, as a person reads it.
@Suite("Commands of the phone", .serialized)
struct PhoneCommandTests {
    /// A command for a person, with PINs from a script.
    private func text(_ phone: TerminalPhone, _ arguments: [String], pins: [String] = []) async throws -> (code: Int32, output: String, all: String) {
        let program = try Program(["phone", "--home", phone.home, "--yes", "--pin-stdin"] + arguments)
        if !pins.isEmpty { try program.type(pins.map { $0 + "\n" }.joined()) }
        program.closeInput()
        let code = try await program.end()
        return (code, program.output, program.output + program.complaints)
    }

    @Test("64: enrol takes no login code and login no enrol code: each is told which command it is for, and nothing is asked or sent")
    func otherCode() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let nonce = ManagementClient.newNonce()
        let link = try await person.backend.loginLink(nonce)
        let enrolled = try await person.phone.run(["enrol", link], pins: [Person.pin])
        #expect(enrolled.code == 64 && enrolled.events.compactMap(\.event) == ["error"], "\(enrolled.events)")
        #expect(enrolled.last?["message"] == .string("this is a login code: give it to ostiary phone login"))
        #expect(try await person.backend.session(nonce).loggedin == false)
        #expect(try await person.phone.run(["login", link], pins: [Person.pin]).code == 0, "the code is as good as before")

        let newcomer = Person(person.backend, pair.phone("new"), user: "bob")
        let code = try pair.folder.write(
            try await person.backend.enrolCode(ManagementClient.newNonce(), name: "Bob", user: "bob", asPNG: true), to: "bob.png")
        let loggedIn = try await newcomer.phone.run(["login", code], pins: [Person.pin])
        #expect(loggedIn.code == 64 && loggedIn.events.compactMap(\.event) == ["error"], "\(loggedIn.events)")
        #expect(loggedIn.last?["message"] == .string("this is an enrol code: give it to ostiary phone enrol"))
        #expect(try await newcomer.phone.run(["accounts"]).events.isEmpty)
        let enrolling = try newcomer.phone.start(["enrol", code], pins: [Person.pin])
        _ = try await enrolling.event("enrolConfirmation")
        enrolling.signal(SIGKILL)
        try await enrolling.end()
        try await pair.stop()
    }

    @Test("64: a text of 4 097 bytes ends the login, which nobody could go on with; one of 4 096 goes through")
    func userInput() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let (refused, nonce) = try await person.logIn(["--user-input", String(repeating: "x", count: 4_097)], in: pair.folder)
        #expect(refused.code == 64 && refused.last?["name"] == .string("userInputRefused"), "\(refused.events)")
        #expect(try await person.backend.session(nonce).loggedin == false)
        #expect(try await person.logIn(["--user-input", String(repeating: "x", count: 4_096)], in: pair.folder).outcome.code == 0)
        try await pair.stop()
    }

    @Test("A login while the only account waits for its code says that; when the code was typed, sessions finds out, and the next login goes through")
    func pending() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        let nonce = ManagementClient.newNonce()
        let png = try pair.folder.write(try await person.backend.enrolCode(nonce, name: "Alice", user: "alice", asPNG: true), to: "enrol.png")
        let enrolling = try person.phone.start(["enrol", png], pins: [person.pin])
        let code = try #require(try await enrolling.event("enrolConfirmation")["code"]?.string)
        enrolling.signal(SIGKILL)
        try await enrolling.end()

        let early = try await person.logIn(in: pair.folder).outcome
        #expect(early.code == 1 && early.last?["name"] == .string("accountPending"), "\(early.events)")
        #expect(early.last?["message"]?.string?.contains("ostiary phone sessions finds out") == true)
        try await person.backend.confirm(nonce, code: code)
        let listed = try await person.phone.run(["sessions"])
        #expect(listed.code == 0 && listed.events.map { $0["session"]?["state"] } == [.string("ACTIVE")], "\(listed.events)")
        #expect(try await person.logIn(in: pair.folder).outcome.code == 0)
        try await pair.stop()
    }

    @Test("login --yes names the account that it takes, where there are several, before anybody is logged in")
    func namesTheAccount() async throws {
        let pair = try await ProcessesFixture.running()
        let backend = try await pair.backend()
        let person = Person(backend, pair.phone())
        try await person.enrol(in: pair.folder)
        try await Person(backend, pair.phone(), user: "bob").enrol(in: pair.folder)
        let code = try await person.loginCode(ManagementClient.newNonce(), in: pair.folder)
        let cancelled = try await text(person.phone, ["login", code])
        #expect(cancelled.code == 2 && cancelled.output.split(separator: "\n").contains("as Alice"), "\(cancelled.all)")
        let chosen = try await text(person.phone, ["login", code, "--account", "Bob"])
        #expect(chosen.output.split(separator: "\n").contains("as Bob"), "\(chosen.all)")
        try await pair.stop()
    }

    @Test("64: change-pin without --account, with accounts at several servers, asks for one to be named; with it, it goes through")
    func severalServers() async throws {
        let pairs = [try await ProcessesFixture.running(), try await ProcessesFixture.running()]
        let phone = pairs[0].phone()
        for (pair, user) in zip(pairs, ["alice", "bob"]) { try await Person(try await pair.backend(), phone, user: user).enrol(in: pair.folder) }
        let unnamed = try await text(phone, ["change-pin"], pins: [Person.pin, "941738"])
        #expect(unnamed.code == 64, "\(unnamed)")
        #expect(unnamed.all.contains("accounts at several servers: name one at the server that is meant (--account)"), "\(unnamed)")
        #expect(try await text(phone, ["change-pin", "--account", "Bob"], pins: [Person.pin, "941738"]).code == 0)
        for pair in pairs { try await pair.stop() }
    }

    @Test("A blocked account is one reason, told once: not that the PIN cannot be checked")
    func oneReason() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        let (_, nonce) = try await person.enrol(in: pair.folder)
        try await person.backend.block(try #require(try await person.backend.session(nonce).accountid))
        let code = try await person.loginCode(ManagementClient.newNonce(), in: pair.folder)
        let told = try await text(person.phone, ["login", code], pins: [Person.pin])
        #expect(told.code == 1 && told.all.contains("\u{2717} the account is blocked: ask the operator of the server"), "\(told.all)")
        #expect(!told.all.contains("cannot be checked"), "\(told.all)")
        try await pair.stop()
    }
}
