import Authentication
import HTTPTypes
import HummingbirdTesting
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Enrol page whose account is blocked while it waits for its code", .timeLimit(.minutes(10)))
struct BlockedEnrolPageTests {
    private func setBlocked(_ isBlocked: Bool, _ account: AccountID, _ premises: PagesFixture) async throws {
        try await premises.asBackend { (backend) async throws in
            let body = #"{"blocked":\#(isBlocked)}"#
            #expect(try await backend.send(.put, backend.path("/accounts/\(account.text)/"), body: body).status == .ok)
        }
    }

    @Test("The page begins nothing anew and says why, takes no code, and is over when the code is too old", arguments: [false, true])
    func letsNobodyIn(isRemoved: Bool) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol, returnURL: "/done")
            let screen = try await PageScreen(premises, cookie: cookie)
            try await screen.until("waiting")
            let (claim, code) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            try await screen.until("code")
            try await setBlocked(true, claim.account, premises)
            let renewed = try await browser.post("/pages/renew", "{}", cookie: cookie)
            #expect(renewed.status == .conflict && JSONObject(renewed.body).text("error") == "account_blocked")
            let typed = try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: cookie)
            #expect(typed.status == .conflict && JSONObject(typed.body).text("error") == "account_blocked")
            #expect(try await browser.state(cookie).text("state") == "code")
            premises.clock.advance(601)
            if isRemoved { try await premises.adminRoutes.domain.housekeeping.run(at: premises.clock.now) }
            let told = try await browser.state(cookie)
            #expect(told.text("state") == "over" && told.text("returnurl") == "/done")
            #expect(told.names.isDisjoint(with: ["code", "link", "device", "renews"]))
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == (isRemoved ? .unauthorized : .conflict))
            #expect(try await browser.state(cookie).text("state") == "over")
        }
    }

    @Test("Unblocked in time the page goes on: it takes the code")
    func unblocked() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (cookie, claim, code) = try await browser.openUntilCode()
            try await setBlocked(true, claim.account, premises)
            try await setBlocked(false, claim.account, premises)
            let answer = JSONObject(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: cookie).body)
            #expect(answer.text("outcome") == "done")
        }
    }
}
