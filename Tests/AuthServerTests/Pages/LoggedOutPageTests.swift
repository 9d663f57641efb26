import Authentication
import HTTPTypes
import HummingbirdTesting
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Enrol page whose site logs out", .timeLimit(.minutes(10)))
struct LoggedOutPageTests {
    private func logOut(_ premises: PagesFixture) async throws {
        try await premises.asBackend { (backend) async throws in
            #expect(try await backend.send(.post, backend.path("/sessions/logout")).status == .ok)
        }
    }

    @Test("The page says that it is over, begins nothing anew, and takes no code; nobody is logged in", arguments: ["waiting", "scanned", "code"])
    func isOver(state: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol, returnURL: "/done")
            let screen = try await PageScreen(premises, cookie: cookie)
            try await screen.until("waiting")
            var code = "K7Q3"
            if state != "waiting" {
                let claimed = try await premises.claimEnrolment()
                code = claimed.code
                if state == "code" { try await premises.finishEnrolment(claimed.claim) }
                try await screen.until(state)
            }
            try await logOut(premises)
            let told = try await screen.until("over")
            #expect(told.text("returnurl") == "/done" && told.names.isDisjoint(with: ["code", "link", "device", "renews"]))
            let renewed = try await browser.post("/pages/renew", "{}", cookie: cookie)
            #expect(renewed.status == .unauthorized && JSONObject(renewed.body).text("error") == "no_page")
            #expect(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: cookie).status == .notFound)
            #expect(try await browser.state(cookie).text("state") == "over")
            let nonce = try SessionNonce(PagesFixture.nonce)
            let status = try await premises.adminRoutes.domain.sessions.status(of: nonce, at: premises.serverID, now: premises.clock.now)
            #expect(status == .nobody)
        }
    }

    @Test("An enrol page that nobody had opened yet cannot be opened any more; another nonce's can, and so can a login page")
    func unopened() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let enrol = try await browser.ticket(.enrol)
            let login = try await browser.ticket(.login)
            let other = try await browser.ticket(.enrol, nonce: "n0nce-of-another-browser-there")
            try await logOut(premises)
            #expect(try await browser.redeem(enrol).status == .unauthorized)
            #expect(try await browser.redeem(login).status == .ok)
            #expect(try await browser.redeem(other).status == .ok)
        }
    }
}
