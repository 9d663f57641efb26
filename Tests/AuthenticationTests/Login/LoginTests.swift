import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Login")
struct LoginTests {
    @Test("A person who scans a code and enters the right PIN is logged in")
    func scanAndPIN() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        #expect(try await world.status() == .nobody)
        try await phone.logIn()
        let status = try await world.status()
        #expect(status.loggedIn)
        #expect(status.userID == "alice")
    }
}
