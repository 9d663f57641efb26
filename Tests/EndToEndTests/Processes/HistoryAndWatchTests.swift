import Foundation
import Testing

@testable import ostiary

/// `ostiary phone history` and `ostiary phone watch`.
@Suite("The phone remembers, and watches", .serialized)
struct HistoryAndWatchTests {
    @Test("watch hears of a stop by the server at once, and history tells what became of each session")
    func watchThenHistory() async throws {
        let pair = try await ServerPair.running()
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
}
