import AuthServer
import Authentication
import OstiaryProtocol
import Testing

@Suite("Login (protocol §6)")
struct LoginTests {
    @Test("A person logs a browser in with a QR code and a PIN")
    func loginByPIN() async throws {
        try await TwoServers.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = try servers.nonce()
            let answer = try await phone.logIn(nonce)
            #expect(answer.result == .loggedIn && answer.userName == "Alice at work" && answer.webNonce == nil && answer.cache == nil)
            let status = try await servers.status(of: nonce)
            #expect(status.loggedIn && status.userID == "alice" && status.authentication?.binding == "qrDynamic")
        }
    }
}
