import Foundation
import Testing

@testable import OstiaryPhone

/// The database file of a running server is cut off.
@Suite("A database file that is damaged under a running server", .serialized)
struct DamagedFileTests {
    @Test("That of second-factor: nobody logs in with a PIN, both servers say so by their readiness and name it, and getSession goes on")
    func secondFactorServer() async throws {
        let pair = try await ProcessesFixture.running()
        let person = Person(try await pair.backend(), pair.phone())
        try await person.enrol(in: pair.folder)
        let nonce = try await person.logIn(in: pair.folder).nonce
        // A new process has read nothing of the file that it could go on with.
        try await pair.secondFactor.stop()
        try pair.secondFactor.start()
        try await pair.waitUntilReady()
        try #require(truncate(pair.layout.secondFactorData.appendingPathComponent("second-factor.sqlite").path, 8192) == 0)

        let code = try await person.backend.loginCode(ManagementClient.newNonce(), asPNG: false)
        #expect(try await FixturePhone.onNetwork(in: person.phone.home).logIn(code).end.session == nil)
        try await eventually("both say it: \(pair.authentication.complaints) \(pair.secondFactor.complaints)") {
            let (status, body) = try await pair.report("/ready?for=logins")
            let own = try await pair.answer(pair.layout.secondFactorURL + "/ready")
            return status == 503 && body.contains("its database does not serve (of a file a full disk or damage") && own.status == 503
                && own.body.contains("second-factor.sqlite is damaged")
        }
        try await pair.waitUntilInOrder()
        #expect(try await person.backend.session(nonce).loggedin)
        #expect(!pair.secondFactor.complaints.contains("request failed"), "\(pair.secondFactor.complaints)")
        try await pair.stop()
    }
}
