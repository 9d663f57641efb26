import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// A person with a terminal phone and two server processes, as a script sees them. Where what a person does goes deepest into the rows, they are of either
/// engine; what a phone says and keeps it says and keeps whatever they are.
@Suite("Two servers, a phone, a person", .serialized)
struct PhoneJourneyTests {
    @Test(
        "S4-40, S4-21, S4-22, S4-23, S0-01, S0-07, S1-38 enrolling by the picture sets a PIN, shows the code, and logs the session in",
        arguments: DatabaseEngine.allCases)
    func enrolsByPicture(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        let (outcome, nonce) = try await person.enrol(in: pair.folder)

        #expect(outcome.code == 0, "\(outcome.complaints)")
        #expect(
            outcome.events.compactMap(\.event).filter { $0 != "accountUpdate" }
                == ["confirmEnrol", "secondFactor", "secondFactor", "enrolConfirmation", "sessionLogin"])
        #expect(outcome.event("confirmEnrol")?["enrolInfo"]?["displayName"] == .string("Alice"))
        #expect(outcome.event("confirmEnrol")?["visualHash"]?["words"]?.array?.count == 5)
        #expect(outcome.secondFactors[0].info?["context"] == .string("FIRST_SET"))
        #expect(outcome.secondFactors[0].info?["result"] == .null)
        #expect(outcome.secondFactors[1].info?["result"] == .string("SUCCESS"))
        #expect(outcome.secondFactors[1]["stopped"] == .bool(true))
        #expect(outcome.last?.event == "sessionLogin")
        let status = try await person.backend.session(nonce)
        #expect(status.loggedin && status.userid == "alice")
        try await pair.stop()
    }

    @Test(
        "S4-01, S4-29, S4-34, S4-39, S4-50, 51, 53…55, 57…59 confirmation, a wrong PIN, the right one: tries and results are told",
        arguments: DatabaseEngine.allCases)
    func wrongThenRight(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let (outcome, nonce) = try await person.logIn(pins: [Person.wrongPINs[0], Person.pin], in: pair.folder)

        #expect(outcome.code == 0, "\(outcome.events)")
        #expect(outcome.events.compactMap(\.event) == ["confirmLogin", "secondFactor", "secondFactor", "secondFactor", "sessionLogin"])
        #expect(outcome.secondFactors.map { $0.info?["result"] } == [.null, .string("FAILED"), .string("SUCCESS")])
        #expect(outcome.secondFactors[1].info?["retry"] == .bool(true))
        #expect(outcome.secondFactors[1].info?["failedAttempts"] == .number(1))
        #expect(outcome.secondFactors[1].info?["maxAttempts"] == .number(5))
        #expect(outcome.secondFactors[2]["stopped"] == .bool(true))
        #expect(try await person.backend.session(nonce).userid == "alice")
        try await pair.stop()
    }

    @Test("Login by link, by picture and by bytes; enrol and login leave the session running when they end", arguments: DatabaseEngine.allCases)
    func waysIn(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        let enrolled = try await person.enrol(in: pair.folder)
        #expect(try await person.backend.session(enrolled.nonce).loggedin)

        let byPicture = ManagementClient.newNonce()
        let png = try pair.folder.write(try await person.backend.loginCode(byPicture, asPNG: true), to: "screen.png")
        #expect(try await person.phone.run(["login", png], pins: [Person.pin]).code == 0)

        let byLink = ManagementClient.newNonce()
        let link = try await person.backend.loginLink(byLink)
        #expect(try await person.phone.run(["login", link], pins: [Person.pin]).code == 0)

        for nonce in [byPicture, byLink] { #expect(try await person.backend.session(nonce).loggedin) }
        try await pair.stop()
    }

    @Test(
        "S1-02, S1-03, S1-05, S1-33…35, S1-37, S0-04 AppLogin asks the PIN and nothing else; its webNonce tells a backend who it is",
        arguments: DatabaseEngine.allCases)
    func appLogin(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        // The activation's cache was in the memory of the process that enrolled: this one asks.
        let outcome = try await person.phone.run(["app-login"], pins: [Person.pin])

        #expect(outcome.code == 0, "\(outcome.events)")
        #expect(outcome.events.compactMap(\.event) == ["secondFactor", "secondFactor", "sessionLogin"])
        #expect(outcome.secondFactors.map { $0.info?["context"] } == [.string("VERIFY"), .string("VERIFY")])
        #expect(outcome.secondFactors[1].info?["result"] == .string("SUCCESS"))
        let login = try #require(outcome.last)
        #expect(login["isAppLogin"] == .bool(true))
        let webNonce = try #require(login["webNonce"]?.string)
        #expect(webNonce.count == 43)
        #expect(try await person.backend.session(webNonce).userid == "alice")
        try await pair.stop()
    }

    @Test(
        "S1-42, S1-43, S1-44, S1-26 a stop by the server ends a held AppLogin at once; getSession is false, and the next login asks the PIN",
        arguments: DatabaseEngine.allCases)
    func serverStop(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let held = try person.phone.start(["app-login", "--hold", "60"], pins: [Person.pin])
        let webNonce = try #require(try await held.event("sessionLogin")["webNonce"]?.string)
        #expect(try await person.backend.session(webNonce).loggedin)

        try await person.backend.logOut(webNonce)
        #expect(try await person.backend.session(webNonce).loggedin == false)
        let outcome = try await TerminalPhone.outcome(of: held)
        #expect(outcome.code == 0)
        #expect(outcome.last?.event == "sessionStop")
        #expect(outcome.last?["reason"] == .string("server"))

        let next = try await person.logIn(in: pair.folder).outcome
        #expect(next.secondFactors.first?.info?["context"] == .string("VERIFY"))
        try await pair.stop()
    }

    @Test(
        "sessions lists an AppLogin whose command is over and a login that is not watched, and ends them; with the server gone, later",
        arguments: DatabaseEngine.allCases)
    func endsEverything(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        let enrolled = try await person.enrol(in: pair.folder).nonce
        let app = try #require(try await person.phone.run(["app-login"], pins: [Person.pin]).last?["webNonce"]?.string)
        try await person.backend.updateServer(#"{"pingTime":0}"#)
        let oneShot = try await person.logIn(in: pair.folder).nonce
        let listed = try await person.phone.run(["sessions"]).events
        #expect(listed.count == 3 && listed.filter { $0["session"]?["isAppLogin"] == .bool(true) }.count == 1, "\(listed)")
        let id = try #require(listed.first { $0["session"]?["isAppLogin"] == .bool(true) }?["session"]?["id"]?.string)

        try await pair.authentication.kill()
        #expect(try await person.phone.run(["sessions", "--end", id]).code == 6)
        #expect(try await person.phone.run(["sessions"]).events.filter { $0.event == "session" }.count == 3)
        try pair.authentication.start()
        try await pair.waitUntilReady()
        #expect(try await person.backend.session(app).loggedin)
        #expect(try await person.phone.run(["sessions", "--end", id]).code == 0)
        #expect(try await person.backend.session(app).loggedin == false)
        #expect(try await person.phone.run(["sessions", "--end", "all"]).code == 0)
        for nonce in [enrolled, oneShot] { #expect(try await person.backend.session(nonce).loggedin == false) }
        #expect(try await person.phone.run(["sessions"]).events.isEmpty)
        try await pair.stop()
    }

    @Test("A held session is pinged, and each ping moves its end; the hold ends by itself")
    func pings() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        try await person.backend.updateServer(#"{"pingTime":1}"#)
        let held = try person.phone.start(["app-login", "--hold", "60"], pins: [Person.pin])
        let webNonce = try #require(try await held.event("sessionLogin")["webNonce"]?.string)
        let first = try await person.backend.end(of: webNonce)
        try await eventually("a later end than \(first)") { try await person.backend.end(of: webNonce) > first }
        #expect(try await person.backend.session(webNonce).loggedin)
        try await person.backend.logOut(webNonce)
        #expect(try await TerminalPhone.outcome(of: held).code == 0)
        #expect(try await person.phone.run(["app-login", "--hold", "1"], pins: [Person.pin]).code == 0)
        try await pair.stop()
    }

    @Test("S4-19, S4-06 a second account on the same server is vouched for by the PIN, and both can log in", arguments: DatabaseEngine.allCases)
    func secondAccount(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let backend = try await pair.backend()
        let alice = Person(backend, pair.phone())
        try await alice.enrol(in: pair.folder)
        let bob = Person(backend, pair.phone(), user: "bob")
        let (outcome, _) = try await bob.enrol(in: pair.folder)
        #expect(outcome.code == 0, "\(outcome.events)")
        // The PIN that is there vouches: it is verified, not set.
        #expect(outcome.secondFactors.first?.info?["context"] == .string("VERIFY"))
        #expect(outcome.event("confirmEnrol")?["accounts"]?.array?.map { $0["username"] } == [.string("Alice")])

        for name in ["Alice", "Bob"] {
            let login = try await alice.logIn(["--account", name], in: pair.folder)
            #expect(login.outcome.code == 0)
            #expect(login.outcome.event("confirmLogin")?["accounts"]?.array?.count == 2)
            #expect(try await backend.session(login.nonce).userid == name.lowercased())
        }
        let list = try await alice.phone.run(["accounts"])
        #expect(list.events.map { $0["account"]?["username"] } == [.string("Alice"), .string("Bob")])
        try await pair.stop()
    }

    @Test("sessions lists what is logged in, also in a new process, and ends it on both sides")
    func sessions() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let (_, nonce) = try await person.logIn(in: pair.folder)
        let list = try await person.phone.run(["sessions"])
        #expect(list.events.map { $0["session"]?["state"] } == [.string("ACTIVE"), .string("ACTIVE")], "\(list.events)")
        let ended = try await person.phone.run(["sessions", "--end", "all"])
        #expect(ended.code == 0)
        #expect(ended.events.map(\.event) == ["sessionStop", "sessionStop"])
        #expect(ended.events.allSatisfy { $0["reason"] == .string("user") })
        #expect(try await person.backend.session(nonce).loggedin == false)
        #expect(try await person.phone.run(["sessions"]).events.isEmpty)
        try await pair.stop()
    }

    @Test("delete-account removes the account on both sides", arguments: DatabaseEngine.allCases)
    func deletes(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        let (_, nonce) = try await person.enrol(in: pair.folder)
        let outcome = try await person.phone.run(["delete-account"])
        #expect(outcome.code == 0, "\(outcome.events)")
        #expect(outcome.last?.event == "accountDeleted")
        #expect(try await person.phone.run(["accounts"]).events.isEmpty)
        #expect(try await person.backend.session(nonce).loggedin == false)
        #expect(try await person.logIn(in: pair.folder).outcome.code == 1)
        try await pair.stop()
    }
}
