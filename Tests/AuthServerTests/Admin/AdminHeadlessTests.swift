import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import QRReading
import Testing

@testable import AuthServer

@Suite("REST: accounts without a second factor")
struct AdminHeadlessTests {
    private static func premises() async throws -> PagesFixture {
        let premises = try await PagesFixture()
        try await premises.update { $0.flags = ["ENABLE_HEADLESS"] }
        return premises
    }

    private func purpose(_ premises: PagesFixture) async throws -> EnrolmentPurpose? {
        let (hash, server) = (Transcript.nonce(PagesFixture.nonce), premises.serverID)
        return try await premises.store.read { rows in try rows.enrolment(nonceHash: hash, of: server)?.purpose }
    }

    @Test(
        "An enrolment is headless where it says so and the virtual server allows it; anything but true and false is 400", arguments: ["qr", "link"])
    func begins(call: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let path = backend.path("/sessions/\(call)/enrol?name=Alice&userid=alice")
            let refused = try await backend.json(.get, path + "&headless=true")
            #expect(refused.status == 404 && refused.object.text("error") == "headless_not_offered")
            try await premises.update { $0.flags = ["ENABLE_HEADLESS"] }
            #expect(try await backend.send(.get, path + "&headless=true").status == .ok)
            #expect(try await purpose(premises) == .headless)
            #expect(try await backend.send(.get, path + "&headless=false").status == .ok)
            #expect(try await purpose(premises) == .full)
            for wrong in ["", "yes", "TRUE", "true&headless=true"] {
                #expect(try await backend.json(.get, path + "&headless=\(wrong)").status == 400)
            }
        }
    }

    @Test("An upgrade is a code and a link of a kind of its own, for one account, whose name it does not have in clear")
    func upgrades() async throws {
        let premises = try await Self.premises()
        let account = try await premises.addAccount(instance: nil)
        try await premises.asBackend { (backend) async throws in
            let raw = try await backend.send(.get, backend.path("/sessions/qr/upgrade?accountid=\(account.id.text)"))
            let link = try UpgradeLink(decoding: Array(buffer: raw.body))
            #expect(link.selects(account.id) && link.enrol.url == "https://login.example")
            #expect(link.enrol.rootHash == premises.keyring.keys.root.hash)
            #expect(!Array(buffer: raw.body).text.contains(account.id.bytes.text))
            #expect(try await purpose(premises) == .upgrade(account.id))
            let picture = try await backend.send(.get, backend.path("/sessions/qr/upgrade?accountid=\(account.id.text)&img=png"))
            #expect(try UpgradeLink(decoding: try #require(try QRReader.read(Array(buffer: picture.body)).first)).selects(account.id))
            let text = String(buffer: try await backend.send(.get, backend.path("/sessions/link/upgrade?accountid=\(account.id.text)")).body)
            guard case .upgrade(let opened) = try Link(text: text) else { throw WireError.badType }
            #expect(opened.selects(account.id))
        }
    }

    @Test("A page begins an upgrade, shows the account's own name and the code of that kind; it takes no other name and no other user")
    func page() async throws {
        let premises = try await Self.premises()
        let account = try await premises.addAccount(instance: nil)
        try await premises.asBackend { (backend) async throws in
            for other in [#""name":"Alice""#, #""userid":"alice""#] {
                let body = #"{"kind":"enrol","accountid":"\#(account.id.text)",\#(other)}"#
                #expect(try await backend.json(.post, backend.path("/sessions/page"), body: body).status == 400)
            }
        }
        try await premises.asBrowser { (browser) async throws in
            let url = try await premises.asBackend { (backend) async throws in
                let body = #"{"kind":"enrol","accountid":"\#(account.id.text)","returnurl":"/done"}"#
                return try await backend.json(.post, backend.path("/sessions/page"), body: body).object.text("url")
            }
            let response = try await browser.redeem(String(try #require(url?.split(separator: "#").last)))
            try #require(response.status == .ok)
            let shown = try await browser.state(try #require(PageClient.cookie(response)))
            #expect(shown.text("state") == "waiting" && shown.text("name") == "Alice")
            guard case .upgrade(let link) = try Link(text: try #require(shown.text("link"))) else { throw WireError.badType }
            #expect(link.selects(account.id))
        }
        #expect(try await purpose(premises) == .upgrade(account.id))
    }

    @Test("No page begins a headless enrolment: whoever asks for one is told that there is none, and no full one begins in its place")
    func noPage() async throws {
        let premises = try await Self.premises()
        try await premises.asBackend { (backend) async throws in
            let body = #"{"kind":"enrol","name":"Scale","userid":"scale","headless":true}"#
            let refused = try await backend.json(.post, backend.path("/sessions/page"), body: body)
            #expect(refused.status == 400 && refused.object.text("error") == "unknown_field" && refused.object.text("field") == "headless")
        }
        #expect(try await purpose(premises) == nil)
    }

    @Test("Which account cannot be upgraded is told apart")
    func refusals() async throws {
        let premises = try await Self.premises()
        let accounts = [
            (try await premises.addAccount(), 409, "account_full"),
            (try await premises.addAccount(state: .pending, instance: nil), 409, "account_pending"),
            (try await premises.addAccount(isBlocked: true, instance: nil), 409, "account_blocked"),
        ]
        try await premises.asBackend { (backend) async throws in
            for (account, status, error) in accounts {
                let answer = try await backend.json(.get, backend.path("/sessions/link/upgrade?accountid=\(account.id.text)"))
                #expect(answer.status == status && answer.object.text("error") == error)
                let body = #"{"kind":"enrol","accountid":"\#(account.id.text)"}"#
                let page = try await backend.json(.post, backend.path("/sessions/page"), body: body)
                #expect(page.status == status && page.object.text("error") == error, "the backend hears it, and not whoever is sent to the page")
            }
            let nobody = try await backend.json(
                .get, backend.path("/sessions/link/upgrade?accountid=\(Base64URL.encode([UInt8](repeating: 9, count: 16)))"))
            #expect(nobody.status == 404 && nobody.object.text("error") == "account_unknown")
            #expect(try await backend.json(.get, backend.path("/sessions/link/upgrade")).status == 400)
        }
    }

    @Test("An account says whether it is headless, and then has no deviceid: also while its second factor does not count")
    func tells() async throws {
        let premises = try await Self.premises()
        let full = try await premises.addAccount(userID: "alice")
        let headless = try await premises.addAccount(userID: "alice", instance: nil)
        let upgrading = try await premises.addAccount(userID: "alice", state: .upgrading)
        try await premises.asBackend { (backend) async throws in
            let (_, answer) = try await backend.json(.get, backend.path("/users/alice/accounts"))
            let told = Dictionary(uniqueKeysWithValues: answer.objects("accounts").map { ($0.text("id"), $0) })
            #expect(told[full.id.text]?.bool("headless") == false && told[full.id.text]?.text("deviceid") == full.instance?.text)
            for account in [headless, upgrading] {
                #expect(told[account.id.text]?.bool("headless") == true && told[account.id.text]?.names.contains("deviceid") == false)
                #expect(told[account.id.text]?.text("state") == "active")
            }
        }
    }

    @Test("No login is for a headless account, and there is no second factor to reset")
    func refusesLogins() async throws {
        let premises = try await Self.premises()
        let account = try await premises.addAccount(instance: nil)
        try await premises.asBackend { (backend) async throws in
            let link = try await backend.json(.get, backend.path("/sessions/qr/login?accountid=\(account.id.text)"))
            #expect(link.status == 409 && link.object.text("error") == "account_headless")
            let body = #"{"kind":"login","accountid":"\#(account.id.text)","returnurl":"/back"}"#
            let page = try await backend.json(.post, backend.path("/sessions/page"), body: body)
            #expect(page.status == 409 && page.object.text("error") == "account_headless")
            let reset = try await backend.json(.post, backend.path("/accounts/\(account.id.text)/secondfactor/reset"))
            #expect(reset.status == 409 && reset.object.text("error") == "account_headless")
        }
    }
}

extension [UInt8] {
    /// In one piece, to be looked for in another.
    fileprivate var text: String { Hexadecimal.text(self) }
}
