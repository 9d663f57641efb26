import Foundation
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// The fallback, played in a terminal: a phone that loses its network on request, and two server processes.
@Suite("A phone that loses its network, two servers", .serialized)
struct OfflineCodeCommandTests {
    @Test(
        "S2-26 S2-36 S2-44 S2-47 login --otp and otp, at a server that takes codes: the offer, error 70, the code, the end, and the code is good",
        arguments: DatabaseEngine.allCases)
    func commands(on engine: DatabaseEngine) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let person = Person(try await pair.backend(), pair.phone())
        try await person.backend.updateServer(#"{"serverFlags":["ENABLE_OTP"]}"#)
        try await person.enrol(in: pair.folder)
        for arguments in [["login", "--otp", "--offline-after", "0"], ["otp"]] {
            let nonce = ManagementClient.newNonce()
            let file = try await person.loginCode(nonce, in: pair.folder)
            let outcome = try await person.phone.run(arguments + [file])
            #expect(outcome.code == 0, "\(outcome.events) \(outcome.complaints)")
            let told = outcome.events.compactMap(\.event)
            // `otp` asks no server, so it says of none that it cannot be reached.
            let isLogin = arguments.count > 1
            #expect(told.filter { !isLogin || $0 != "error" } == ["otpAvailable", "otp", "sessionStop"], "\(told)")
            if isLogin { #expect(told.firstIndex(of: "error") == 1 && outcome.event("error")?["code"] == .number(70), "\(told)") }
            #expect(outcome.last?["reason"] == .string("otp"))
            let text = try #require(outcome.event("otp")?["code"]?.string)
            let answer = try await person.backend.otpLogin(nonce, text)
            #expect(answer["loggedin"] == .bool(true) && answer["otplogin"] == .bool(true))
        }
        // Without --otp it is an error like any other, and so it is where the network dies after the question came.
        #expect(try await person.logIn(["--offline-after", "0"], in: pair.folder).outcome.code == 6)
        let asked = try await person.logIn(["--offline-after", "1", "--otp"], in: pair.folder).outcome
        #expect(asked.code != 0 && asked.event("confirmLogin") != nil && asked.event("otp") == nil, "\(asked.events)")
        try await pair.stop()
    }

    @Test("S2-07 at a server that takes none, otp says so and makes nothing")
    func notOffered() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let code = try await person.loginCode(ManagementClient.newNonce(), in: pair.folder)
        let outcome = try await person.phone.run(["otp", code])
        #expect(outcome.code == 1 && outcome.events.compactMap(\.event) == ["error"], "\(outcome.events)")
        #expect(outcome.last?["name"] == .string("notOffered"))
        try await pair.stop()
    }
}
