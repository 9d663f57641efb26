import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("An offline code that is typed into a login page")
struct OfflinePageTests {
    private func opened() async throws -> (world: DomainFixture, phone: TestPhone) {
        let (world, phone) = try await DomainFixture.offline()
        try await world.logOut()
        try await world.openPage()
        return (world, phone)
    }

    @Test("It makes the session RETURNING, and nobody is logged in; the page that shows it has the return code, and the hand-in logs in")
    func returns() async throws {
        let (world, phone) = try await opened()
        let typed = try await world.type(try await world.shownCode(phone), page: "page")
        #expect(!typed.loggedIn && typed.state == .returning && typed.userID == nil && typed.authentication == nil)
        #expect(try await world.status() == typed)
        #expect(try await world.code(of: "another page") == nil)
        let status = try await world.handIn(try present(try await world.code()))
        #expect(status.loggedIn && status.otpLogin && status.returned && status.authentication?.amr == ["otp"])
        #expect(status.expiresAt == world.now + ServerParameters.unwatchedLife)
        #expect(try await world.status() == status)
    }

    @Test("Whoever forwards the page gains nothing: the return code with another cookie ends the session")
    func forwarded() async throws {
        let (world, phone) = try await opened()
        try await world.type(try await world.shownCode(phone), page: "page")
        let code = try present(try await world.code())
        #expect(try await world.tryHandIn(code, by: "the attacker's") == nil)
        #expect(try await world.tryHandIn(code) == nil)
        #expect(try await world.status() == .nobody)
    }

    @Test("A page that does not show the session takes no code for it, and costs it no try; one that begins anew has another session")
    func bound() async throws {
        let (world, phone) = try await opened()
        let code = try await world.shownCode(phone)
        #expect(try await world.refusal(ofTyping: code, page: "another page") == .noSession)
        #expect(try await world.session()?.codesTried == 0)
        try await world.openPage("newer")
        #expect(try await world.refusal(ofTyping: code, page: "page") == .noSession)
        #expect(try await world.refusal(ofTyping: code, page: "newer") == .wrong(left: 2))
    }

    @Test("A browser that does not come back in two minutes leaves nobody logged in")
    func late() async throws {
        let (world, phone) = try await opened()
        try await world.type(try await world.shownCode(phone), page: "page")
        let code = try present(try await world.code())
        world.pass(121)
        #expect(try await world.tryHandIn(code) == nil)
        #expect(try await world.status() == .nobody)
    }
}
