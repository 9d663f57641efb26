import OstiaryMobile
import OstiaryProtocol
import Testing

@Suite("Enrolment", .timeLimit(.minutes(2)))
struct EnrolmentTests {
    @Test("S4-04 S4-17 S4-21 S4-22 an enrolment asks for confirmation with what the server says of the new account")
    func asksForConfirmation() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        let session = try await phone.confirmEnrol()
        #expect(session.state == .waitingForUserInput)
        #expect(session.isEnrolment && !session.isAppLogin)
        #expect(session.enrolInfo.displayName == "ada@example")
        #expect(session.enrolInfo.nsAccounts.map(\.description) == ["ada on a tablet"])
        #expect(session.info.serverName == "Example")
        #expect(session.account == nil)
    }

    @Test("S4-26 S4-40 setAccount(nil) leads to FIRST_SET, the code, and a session that is logged in")
    func leadsToALogin() async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
        let factor = try await phone.secondFactor()
        #expect(factor.secondFactorInfo.context == .firstSet)
        phone.ostiary.sfInput(PIN("271828"))
        let success = try await phone.secondFactor()
        #expect(success.secondFactorInfo.result == .success && success.stopped)
        let added = try await phone.until { if case .accountAdded(let account) = $0 { account } else { nil } }
        #expect(added.state == .pending && added.displayName == "ada@example")
        let code = try await phone.until { if case .enrolConfirmation(_, let code) = $0 { code } else { nil } }
        #expect(code.count == 4)
        await phone.server.confirmAccounts()
        let session = try await phone.login()
        #expect(session.isLoggedIn && session.username == "ada" && session.webNonce == nil)
        #expect(phone.ostiary.accounts?.map(\.state) == [.active])
    }
}
