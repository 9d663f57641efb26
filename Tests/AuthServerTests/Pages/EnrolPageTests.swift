import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Enrol page", .timeLimit(.minutes(10)))
struct EnrolPageTests {
    @Test("S4-23, S4-24: from the scan to the code, with the picture and words that the phone shows")
    func tellsStory() async throws {
        let premises = try await PagesFixture()
        let hash = try VisualHash(rootHash: premises.keyring.keys.root.hash)
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol, returnURL: "/done")
            let waiting = try await browser.state(cookie)
            #expect(waiting.text("state") == "waiting")
            #expect(waiting.text("name") == "Alice")
            let (claim, code) = try await premises.claimEnrolment(device: "Alice's <phone>")
            let scanned = try await browser.state(cookie)
            #expect(scanned.text("state") == "scanned")
            #expect(scanned.text("device") == "Alice's <phone>")
            #expect(scanned.texts("words") == hash.words)
            #expect(scanned.object("picture")?.text("bits") == Base64URL.encode(TilePicture(hash.picture).bits))
            #expect(scanned.object("picture")?.text("ink") == hash.picture.ink.hex)
            try await premises.finishEnrolment(claim)
            let asking = try await browser.get("/pages/state", cookie: cookie)
            #expect(JSONObject(asking.body).text("state") == "code")
            #expect(!String(buffer: asking.body).contains(code))
            let answer = JSONObject(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: cookie).body)
            #expect(answer.text("outcome") == "done")
            let done = try await browser.state(cookie)
            #expect(done.text("state") == "done")
            #expect(done.text("returnurl") == "/done")
        }
    }

    @Test("Wrong codes are counted down; after the third it is over")
    func countsCodes() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (cookie, _, code) = try await browser.openUntilCode()
            #expect(try await browser.post("/pages/code", #"{"code":"no"}"#, cookie: cookie).status == .badRequest)
            let wrong = ["0000", "1111", "2222", "3333"].filter { $0 != code }
            for (typed, left) in [(wrong[0], 2), (wrong[1], 1)] {
                let answer = JSONObject(try await browser.post("/pages/code", #"{"code":"\#(typed)"}"#, cookie: cookie).body)
                #expect(answer.text("outcome") == "wrong")
                #expect(answer.number("left") == left)
            }
            let answer = JSONObject(try await browser.post("/pages/code", #"{"code":"\#(wrong[2])"}"#, cookie: cookie).body)
            #expect(answer.text("outcome") == "over")
            #expect(try await browser.state(cookie).text("state") == "failed")
        }
    }

    @Test("How many tries are left is told with the page: when it is loaded again, to each tab of it, and to a newer page that asks for the code")
    func tellsTriesLeft() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            let tab = try await PageScreen(premises, cookie: cookie)
            #expect(try await tab.until("waiting").number("left") == nil)
            let (claim, code) = try await premises.claimEnrolment()
            #expect(try await tab.until("scanned").number("left") == nil)
            try await premises.finishEnrolment(claim)
            #expect(try await tab.until("code").number("left") == 3)
            #expect(try await browser.post("/pages/code", #"{"code":"no"}"#, cookie: cookie).status == .badRequest)
            #expect(try await browser.state(cookie).number("left") == 3)
            let wrong = ["0000", "1111", "2222", "3333"].filter { $0 != code }
            for (typed, left) in [(wrong[0], 2), (wrong[1], 1)] {
                #expect(try await browser.post("/pages/code", #"{"code":"\#(typed)"}"#, cookie: cookie).status == .ok)
                #expect(try await tab.until("code").number("left") == left)
                #expect(try await browser.state(cookie).number("left") == left)
            }
            let newer = try await browser.open(.enrol)
            #expect(try await browser.state(newer).number("left") == 1)
            #expect(try await tab.until("otherpage").number("left") == nil)
            #expect(try await browser.post("/pages/code", #"{"code":"\#(wrong[2])"}"#, cookie: newer).status == .ok)
            let failed = try await browser.state(newer)
            #expect(failed.text("state") == "failed" && failed.number("left") == nil)
        }
    }

    @Test("The code of the next phone has all its tries, whatever was typed for the one that was given up")
    func countsAnew() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (cookie, _, code) = try await browser.openUntilCode()
            let wrong = code == "0000" ? "1111" : "0000"
            #expect(try await browser.post("/pages/code", #"{"code":"\#(wrong)"}"#, cookie: cookie).status == .ok)
            #expect(try await browser.state(cookie).number("left") == 2)
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            #expect(try await browser.state(cookie).number("left") == nil)
            try await premises.finishEnrolment(try await premises.claimEnrolment().claim)
            let asking = try await browser.state(cookie)
            #expect(asking.text("state") == "code" && asking.number("left") == 3)
        }
    }

    @Test("The right code typed on the page logs in no account that was blocked meanwhile, and the page still asks for it")
    func refusesBlocked() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (cookie, claim, code) = try await browser.openUntilCode()
            let (domain, server, now) = (premises.adminRoutes.domain, premises.serverID, premises.clock.now)
            _ = try await domain.accounts.setBlocked(true, claim.account, at: server, by: .api(key: "test"), now: now)
            let refused = try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: cookie)
            #expect(refused.status == .conflict && JSONObject(refused.body).text("error") == "account_blocked")
            #expect(try await browser.state(cookie).text("state") == "code")
            let nonce = try SessionNonce(PagesFixture.nonce)
            #expect(try await domain.sessions.status(of: nonce, at: server, now: now) == .nobody)
        }
    }

    @Test("The same code is shown when the page is loaded again, and a new one after renewal")
    func keepsLink() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            let first = try await browser.state(cookie)
            #expect(try await browser.state(cookie).object("code")?.text("bytes") == first.object("code")?.text("bytes"))
            guard case .enrol(let link) = try Link(text: try #require(first.text("link"))) else { throw WireError.badType }
            #expect(link.rootHash == premises.keyring.keys.root.hash)
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            #expect(try await browser.state(cookie).object("code")?.text("bytes") != first.object("code")?.text("bytes"))
        }
    }

    @Test(
        "Why a phone gave the enrolment back is told, also to a page that was loaded again, until a phone has it again; each has one way on",
        arguments: [(Decision.decline, "declined"), (.notMe, "notme"), (.gaveUp, "gaveup")])
    func tellsWhy(decision: Decision, word: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            for _ in 0..<2 {
                _ = try await premises.claimEnrolment()
                try await premises.declineEnrolment(PagesFixture.nonce, decision)
                let told = try await browser.state(cookie)
                #expect(told.text("state") == word && told.object("code") == nil && told.text("device") == nil)
            }
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            #expect(try await browser.state(cookie).text("state") == "waiting")
        }
    }

    @Test("A phone that took the enrolment and died leaves a way on: the page begins anew, and the old code is worth nothing")
    func beginsAnewAfterScan() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            let old = try #require(try await browser.state(cookie).text("link"))
            _ = try await premises.claimEnrolment()
            #expect(try await browser.state(cookie).text("state") == "scanned")
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            let new = try await browser.state(cookie)
            #expect(new.text("state") == "waiting" && new.text("link") != nil && new.text("link") != old)
        }
    }

    @Test("A phone that gives the enrolment back is told as a refusal")
    func tellsRefusal() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let screen = try await PageScreen(premises, cookie: try await browser.open(.enrol))
            try await screen.until("waiting")
            _ = try await premises.claimEnrolment()
            try await screen.until("scanned")
            try await premises.declineEnrolment()
            try await screen.until("declined")
        }
    }

    @Test("“That is not my phone”: a page that asks for a code begins anew, and the account that waited for it is gone; the code is worth nothing")
    func notMyPhone() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            let screen = try await PageScreen(premises, cookie: cookie)
            let (claim, code) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            try await screen.until("code")
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            try await screen.until("waiting")
            #expect(try await premises.store.read { rows in try rows.account(claim.account) } == nil)
            #expect(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: cookie).status == .notFound)
            #expect(try await browser.state(cookie).text("state") == "waiting")
        }
    }

    @Test("A page cannot begin anew after it went well")
    func enrolsOnePhone() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (cookie, _, code) = try await browser.openUntilCode()
            #expect(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: cookie).status == .ok)
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .conflict)
            #expect(try await browser.state(cookie).text("state") == "done")
        }
    }

    @Test("A login page takes no code")
    func refusesCode() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.login)
            let refused = try await browser.post("/pages/code", #"{"code":"K7Q3"}"#, cookie: cookie)
            #expect(refused.status == .conflict && JSONObject(refused.body).text("error") == "wrong_kind")
        }
    }

    @Test(
        "A page is opened for what a backend may ask only",
        arguments: [
            ("{}", "kind"), (#"{"kind":"admin"}"#, "kind"), (#"{"kind":"enrol"}"#, "name"), (#"{"kind":"enrol","name":""}"#, "name"),
            (#"{"kind":"enrol","name":" "}"#, "name"), (#"{"kind":"enrol","name":"A","userid":"\u200b"}"#, "userid"),
            (#"{"kind":"enrol","name":"A","userid":"\u0007"}"#, "userid"), (#"{"kind":"login","returnurl":"javascript:alert(1)"}"#, "returnurl"),
            (#"{"kind":"login","returnurl":7}"#, "returnurl"),
        ])
    func refusesPages(body: String, field: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBackend { (backend) async throws in
            let (status, answer) = try await backend.json(.post, backend.path("/sessions/page"), body: body)
            #expect(status == 400)
            #expect(answer.text("message")?.hasPrefix("\(field) ") == true, "\(answer.text("message") ?? "")")
        }
    }
}
