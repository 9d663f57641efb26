import Foundation
import Testing

@testable import OstiaryPhone

/// A second phone for the same person, as the first one hears of it.
@Suite("Another phone was enrolled", .serialized)
struct OtherPhoneTests {
    @Test("The phone that was there first tells of the second with its next login, before it says who is logged in, and once")
    func toldWithTheLogin() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        try await person.enrol(in: pair.folder, phone: pair.phone("second"))

        let first = try await person.logIn(in: pair.folder).outcome
        #expect(first.code == 0, "\(first.events)")
        #expect(first.events.compactMap(\.event).suffix(2) == ["newDevice", "sessionLogin"])
        let told = try #require(first.event("newDevice"))
        #expect(told["name"]?.string?.hasPrefix("terminal on ") == true && told["account"]?["username"] == .string("Alice"))
        for _ in 0..<2 { #expect(try await person.logIn(in: pair.folder).outcome.event("newDevice") == nil) }
        try await pair.stop()
    }

    @Test("Whoever only lists or ends what is logged in is told as well, in text, too")
    func toldWithTheList() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        try await person.enrol(in: pair.folder, phone: pair.phone("second"))
        let list = try await person.phone.run(["sessions"])
        #expect(list.events.compactMap(\.event).filter { $0 == "newDevice" }.count == 1, "\(list.events)")

        try await person.enrol(in: pair.folder, phone: pair.phone("third"))
        let text = try Program(["phone", "--home", person.phone.home, "sessions", "--end", "all"])
        text.closeInput()
        #expect(try await text.end() == 0)
        #expect(text.output.components(separatedBy: "a new device was enrolled for Alice").count == 2, "\(text.output)")
        try await pair.stop()
    }

    @Test("A PIN that a feature alone set on the second phone is told by the first: to a script as JSON with its login, to a person as a line")
    func pinByBiometric() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let second = pair.phone("second")
        try await person.enrol(in: pair.folder, phone: second)
        let confirm = ["--simulated-biometrics", "confirm"]
        #expect(try await second.run(["add-biometrics"] + confirm, pins: [Person.pin]).code == 0)
        let changed = try await second.run(["change-pin"] + confirm, pins: ["941738"])
        #expect(changed.code == 0, "\(changed.events) \(changed.complaints)")

        let login = try await person.logIn(in: pair.folder).outcome
        #expect(login.events.compactMap(\.event).suffix(3) == ["newDevice", "pinReplacedByBiometric", "sessionLogin"])
        let told = try #require(login.event("pinReplacedByBiometric"))
        #expect(told["deviceName"]?.string?.hasPrefix("terminal on ") == true && told["account"]?["username"] == .string("Alice"))
        #expect(try await second.run(["change-pin"] + confirm, pins: ["602851"]).code == 0)
        let text = try Program(["phone", "--home", person.phone.home, "sessions"])
        text.closeInput()
        #expect(try await text.end() == 0)
        #expect(text.output.components(separatedBy: "by a biometric alone a new PIN was set for Alice on terminal on ").count == 2, "\(text.output)")
        try await pair.stop()
    }
}

/// What is being approved, where the second factor is asked for.
@Suite("What a login is about", .serialized)
struct ApprovalTextTests {
    private static let said = #"{"announceinfo":{"info":{"what":"Pay 9000 EUR to Mallory"},"useragent":"Firefox"}}"#

    @Test("S4-05, S4-10, S4-83 the question for the PIN says what it approves: to a script as JSON, to a person as lines; a link is warned of")
    func shown() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        let enrolled = try await person.enrol(in: pair.folder).outcome
        let question = try #require(enrolled.secondFactors.first)
        #expect(question["enrolInfo"]?["displayName"] == .string("Alice") && question["info"]?["server"] == .string("Hallway"))

        let first = ManagementClient.newNonce()
        let scripted = try await person.phone.run(["login", try await person.backend.loginLink(first, saying: Self.said)], pins: [Person.pin])
        #expect(scripted.code == 0 && scripted.secondFactors.count == 2, "\(scripted.events)")
        for factor in scripted.secondFactors {
            #expect(factor["info"]?["announceInfo"]?["what"] == .string("Pay 9000 EUR to Mallory"))
            #expect(factor["info"]?["browser"] == .string("Firefox") && factor["info"]?["binding"] == .string("unboundLink"))
        }

        let link = try await person.backend.loginLink(ManagementClient.newNonce(), saying: Self.said)
        let text = try Program(["phone", "--home", person.phone.home, "--yes", "--pin-stdin", "login", link])
        try text.type("\(Person.pin)\n")
        #expect(try await text.end() == 0, "\(text.complaints)")
        let lines = text.output.components(separatedBy: "\n")
        #expect(lines.filter { $0 == "    | what: Pay 9000 EUR to Mallory" }.count == 2, "where it is confirmed, and above the PIN: \(lines)")
        #expect(lines.contains { $0.hasPrefix("careful:") } && lines.contains("To log in to Hallway:"))
        try await pair.stop()
    }
}
