import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// `ostiary phone history` and `ostiary phone watch`.
@Suite("The phone remembers, and watches", .serialized)
struct HistoryAndWatchTests {
    @Test("sessions lists what is logged in: not an enrolment whose process was killed, of which it says what to do")
    func killedEnrolment() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let png = try await person.backend.enrolCode(ManagementClient.newNonce(), name: "Bob", user: "bob", asPNG: true)
        let enrolling = try person.phone.start(["enrol", try pair.folder.write(png, to: "bob.png")], pins: [person.pin])
        _ = try await enrolling.event("enrolConfirmation")
        enrolling.signal(SIGKILL)
        _ = try await enrolling.end()
        let listed = try await person.phone.run(["sessions"])
        #expect(listed.code == 0 && listed.events.map { $0["session"]?["state"] } == [.string("ACTIVE")], "\(listed.events)")
        let told = try Program(["phone", "--home", person.phone.home, "sessions"])
        #expect(try await told.end() == 0)
        #expect(told.output.contains("an enrolment waits for its code: ostiary phone watch shows it"), "\(told.output)")
        #expect(told.output.contains("Bob"), "\(told.output)")
        try await pair.stop()
    }

    @Test("watch hears of a stop by the server at once, and history tells what became of each session")
    func watchThenHistory() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let (_, nonce) = try await person.logIn(in: pair.folder)
        let watch = try person.phone.start(["watch", "--seconds", "60"], pins: [])
        try await person.backend.logOut(nonce)
        let stopped = try await watch.event("sessionStop")
        #expect(stopped["reason"] == .string("server"))
        watch.signal(SIGTERM)
        #expect(try await watch.end() == 128 + SIGTERM)

        let refused = try await person.logIn(["--not-me"], pins: [], in: pair.folder).outcome
        #expect(refused.code == 2)
        let told = try await person.phone.run(["history"])
        #expect(told.code == 0)
        #expect(told.events.map { $0["item"]?["status"] } == [.string("LOGGED_IN"), .string("LOGGED_OUT"), .string("ABORTED")], "\(told.events)")
        #expect(told.events.map { $0["item"]?["isEnrolment"] } == [.bool(true), .bool(false), .bool(false)])
        #expect(told.events.first?["item"]?["username"] == .string("Alice"))

        #expect(try await person.phone.run(["history", "--clear"]).code == 0)
        #expect(try await person.phone.run(["history"]).events.isEmpty)
        try await pair.stop()
    }

    @Test("watch that a signal ends while it keeps a login alive ends by that signal, and says no word about it")
    func watchEnded() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        _ = try await person.logIn(in: pair.folder)
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            let watch = try Program(["phone", "--home", person.phone.home, "watch"])
            try await eventually("\(watch.output) \(watch.complaints)") { watch.output.contains("watching ") }
            watch.signal(signal)
            #expect(try await watch.end() == 128 + signal)
            #expect(watch.complaints.isEmpty && !watch.output.contains("error"), "\(watch.output) \(watch.complaints)")
            #expect(!watch.output.contains("watching 0"))
        }
        try await pair.stop()
    }
}
