import AuthServer
import Authentication
import OstiaryProtocol
import Testing

@Suite("Enrolment (protocol §5)")
struct EnrolmentTests {
    @Test("A phone enrols, its code is typed into the browser, the browser is logged in (S0-07)")
    func wholeEnrolment() async throws {
        try await TwoServers.run { servers in
            let nonce = try servers.nonce()
            let phone = try await TestPhone(servers)
            let enrolling = try await phone.scan(try await servers.invite(nonce))
            #expect(enrolling.screen.displayName == "Alice at work")
            #expect(enrolling.screen.secondFactor == .needed)
            let progress = try await servers.services.enrolments.progress(of: nonce, at: servers.server, now: servers.now)
            #expect(progress == .phoneScanned(device: "Pixel 9"))

            let finished = try await enrolling.finish()
            #expect(finished.status == .ok)
            #expect(try E4(decoding: finished.body).state == .pending)
            #expect(try await enrolling.wait().status == .accountPending)
            #expect(try await servers.status(of: nonce) == .nobody)

            let outcome = try await servers.services.enrolments.confirm(
                nonce, code: enrolling.code.lowercased(), at: servers.server, now: servers.now)
            #expect(outcome == .activated(enrolling.screen.accountID))
            let answer = try await enrolling.wait()
            let welcome = try L6(decoding: answer.body)
            #expect(welcome.result == .loggedIn && welcome.cache?.count == 32 && welcome.webNonce == nil)
            let status = try await servers.status(of: nonce)
            #expect(status.loggedIn && status.userID == "alice" && status.accountID == enrolling.screen.accountID)
            #expect(status.authentication?.binding == "enrolment" && status.authentication?.amr == ["mfa", "pin", "pop"])
            #expect(welcome.sessionID != nil)
            let ping = try await EnrolledPhone(phone: phone, account: enrolling.screen.accountID, enrolling: enrolling)
                .ping(try #require(welcome.sessionID))
            #expect(ping.state == .loggedIn)
        }
    }
}
