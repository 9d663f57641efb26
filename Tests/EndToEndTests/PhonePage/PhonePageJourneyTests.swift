import AuthServer
import Authentication
import Foundation
import HTTPTypes
import NIOHTTP1
import OstiaryTesting
import QRCode
import Testing

@testable import OstiaryPhone

/// The page by its calls, with both real servers and the SDK between.
@Suite("The phone page, end to end", .timeLimit(.minutes(10)))
struct PhonePageJourneyTests {
    /// Enrols by a picture of the code, as it is pasted into the page.
    private func enrol(_ page: PageCaller, _ world: ServersFixture, phone: Int = 0, user: String = "alice") async throws {
        let nonce = world.backend.newNonce()
        let picture = try QRSymbol(bytes: try await world.backend.enrolCode(nonce, name: user.capitalized, user: user)).png()
        #expect(try await page.send(.POST, "/phones/\(phone)/picture", body: picture).status == 200)
        let asked = try await page.until(phone: phone, screen: "enrolment")
        #expect(asked["about"]?["name"] == .string(user.capitalized))
        #expect(asked["words"]?.array?.count == 5 && asked["tiles"]?.array?.isEmpty == false)
        #expect(try await page.answer("confirm", phone: phone, to: asked).status == 200)
        let factor = try await page.until(phone: phone, screen: "factor")
        #expect(factor["factor"]?["context"] == .string("FIRST_SET"))
        try await page.type(Person.pin, phone: phone)
        let again = try await page.until(phone: phone, "the PIN once more") { $0["factor"]?["again"] == .bool(true) }
        #expect(again["question"] == factor["question"])
        try await page.type(Person.pin, phone: phone)
        let shown = try await page.until(phone: phone, "the code") { $0["codes"]?.array?.isEmpty == false }
        let code = try #require(shown["codes"]?.array?.first?["code"]?.string)
        #expect(try await world.backend.confirm(nonce, code) == 200)
        let done = try await page.until(phone: phone, "the end of the enrolment") { $0["codes"]?.array?.isEmpty == true }
        #expect(done["screen"] == .string("home") && done["accounts"]?.array?.count == 1)
        world.clock.advance(61)
    }

    @Test("Whoever confirms a headless account is told that no PIN will be asked for, and is asked none; its upgrade says that it is one")
    func headless() async throws {
        try await ServersFixture.run { world in
            try await world.backend.updateServer(#"{"serverFlags":["ENABLE_HEADLESS"]}"#)
            try await RunningPage.with(world) { page in
                let nonce = world.backend.newNonce()
                let code = try await world.backend.call(.get, "sessions/qr/enrol?name=Scale&userid=scale&headless=true", nonce: nonce).body
                try await page.scan(code)
                let asked = try await page.until(screen: "enrolment")
                #expect(asked["about"]?["asksPIN"] == .bool(false) && asked["about"]?["isUpgrade"] == .bool(false))
                #expect(try await page.answer("confirm", to: asked).status == 200)
                // No PIN before it: nobody types one here.
                let shown = try await page.until("the code") { $0["codes"]?.array?.isEmpty == false }
                #expect(try await world.backend.confirm(nonce, try #require(shown["codes"]?.array?.first?["code"]?.string)) == 200)
                let done = try await page.until("the end of the enrolment") { $0["codes"]?.array?.isEmpty == true }
                let account = try #require(done["accounts"]?.array?.first)
                #expect(account["hasSecondFactor"] == .bool(false))
                world.clock.advance(61)

                let id = try #require(account["id"]?.string)
                let upgrade = try await world.backend.call(.get, "sessions/qr/upgrade?accountid=\(id)", nonce: world.backend.newNonce()).body
                try await page.scan(upgrade)
                let again = try await page.until(screen: "enrolment")
                #expect(again["about"]?["asksPIN"] == .bool(true) && again["about"]?["isUpgrade"] == .bool(true))
                #expect(try await page.answer("confirm", to: again).status == 200)
                #expect(try await page.until(screen: "factor")["factor"]?["context"] == .string("FIRST_SET"))
            }
        }
    }

    private func login(_ page: PageCaller, _ world: ServersFixture, phone: Int = 0) async throws -> (nonce: String, asked: JSONLine) {
        let nonce = world.backend.newNonce()
        try await page.scan(try await world.movingCode(nonce), phone: phone)
        let state = try await page.until(phone: phone, screen: "login")
        return (nonce, state)
    }

    /// A page whose phone is enrolled and asks about a login of that nonce.
    private func asked(_ body: @Sendable @escaping (ServersFixture, PageCaller, _ nonce: String, _ asked: JSONLine) async throws -> Void) async throws
    {
        try await ServersFixture.run { world in
            try await RunningPage.with(world) { page in
                try await enrol(page, world)
                let (nonce, asked) = try await login(page, world)
                try await body(world, page, nonce, asked)
            }
        }
    }

    /// The person says yes, and the phone asks for the PIN.
    private func agree(to asked: JSONLine, _ page: PageCaller) async throws -> JSONLine {
        try await page.confirm(asked)
        return try await page.until(screen: "factor")
    }

    @Test("A person enrols by a picture, logs in by a frame, mistypes, and ends the session; getSession says the same at each step")
    func wholeDay() async throws {
        try await asked { world, page, nonce, asked in
            #expect(asked["about"]?["binding"] == .string("qrDynamic"))
            #expect(try await !world.backend.isLoggedIn(nonce))
            let factor = try await agree(to: asked, page)
            #expect(factor["about"]?["title"] == asked["about"]?["title"])
            try await page.type(Person.wrongPINs[0])
            let wrong = try await page.until("the wrong PIN is told") { $0["factor"]?["result"] == .string("FAILED") }
            #expect(wrong["factor"]?["counted"] == .bool(true) && wrong["factor"]?["failedAttempts"] == .number(1))
            #expect(wrong["factor"]?["typed"] == .number(0))
            try await page.type(Person.pin)
            let inside = try await page.until("the session is listed") { shown in
                shown["screen"] == .string("home") && shown["sessions"]?.array?.contains { $0["title"] == asked["about"]?["title"] } == true
            }
            #expect(try await world.backend.isLoggedIn(nonce))
            #expect(inside["notices"]?.array?.first?["kind"] == .string("good"))

            let session = try #require(inside["sessions"]?.array?.last?["id"]?.string)
            #expect(try await page.call("stop", #"{"session":"\#(session)"}"#).status == 200)
            _ = try await page.until("it is over") { shown in
                shown["sessions"]?.array?.contains { $0["id"] == .string(session) } == false
            }
            try await eventually("the site knows") { try await !world.backend.isLoggedIn(nonce) }
        }
    }

    @Test("Without a network the page offers a code of each account, shows it with its countdown, and it logs in; then it is put away")
    func withoutNetwork() async throws {
        try await ServersFixture.run { world in
            try await world.backend.updateServer(#"{"serverFlags":["ENABLE_OTP"]}"#)
            try await RunningPage.with(world) { page in
                try await enrol(page, world)
                let nonce = world.backend.newNonce()
                let scanned = try await world.movingCode(nonce)
                await world.line.cut()
                try await page.scan(scanned)
                let offered = try await page.until("the offer") { $0["offers"]?.array?.isEmpty == false }
                #expect(offered["oneTimeCodes"]?.array?.isEmpty == true, "nothing is made before it is asked for")
                let offer = try #require(offered["offers"]?.array?.first)
                let session = try #require(offer["session"]?.string)
                let account = try #require(offer["accounts"]?.array?.first?["id"]?.string)
                #expect(try await page.call("otp", #"{"session":"\#(session)","account":"other"}"#).status == 404)
                #expect(try await page.call("otp", #"{"session":"\#(session)","account":"\#(account)"}"#).status == 200)
                let shown = try await page.until("the code") { $0["oneTimeCodes"]?.array?.isEmpty == false && $0["screen"] == .string("home") }
                #expect(shown["offers"]?.array?.isEmpty == true)
                let made = try #require(shown["oneTimeCodes"]?.array?.first)
                #expect((0...120).contains(made["left"]?.int ?? -1) && made["username"] == offer["accounts"]?.array?.first?["username"])
                await world.line.mend()
                let text = try #require(made["code"]?.string)
                #expect(try await world.backend.otpLogin(nonce, text).status == 200)
                #expect(try await world.backend.isLoggedIn(nonce))
                #expect(try await page.call("put-away-code").status == 200)
                _ = try await page.until("it is put away") { $0["oneTimeCodes"]?.array?.isEmpty == true }
            }
        }
    }

    @Test("However often and at once a session is told to end, it ends once, and nothing is complained of")
    func endedManyTimes() async throws {
        try await asked { world, page, nonce, asked in
            _ = try await agree(to: asked, page)
            try await page.type(Person.pin)
            let inside = try await page.until("logged in") { $0["sessions"]?.array?.count == 2 }
            let session = try #require(inside["sessions"]?.array?.last?["id"]?.string)
            let answers = try await withThrowingTaskGroup(of: UInt.self) { group in
                for _ in 0..<8 { group.addTask { try await page.call("stop", #"{"session":"\#(session)"}"#).status } }
                return try await group.reduce(into: [UInt]()) { $0.append($1) }
            }
            // Whoever comes when it is over is told that it is not there.
            #expect(answers.contains(200) && answers.allSatisfy { $0 == 200 || $0 == 404 }, "\(answers)")
            let over = try await page.until("it is over, and that is told") { shown in
                shown["sessions"]?.array?.count == 1
                    && shown["notices"]?.array?.contains { $0["text"]?.string?.contains("ended on this phone") == true } == true
            }
            #expect(over["notices"]?.array?.contains { $0["text"]?.string?.contains("does not belong") == true } == false)
            try await eventually("the site knows") { try await !world.backend.isLoggedIn(nonce) }
        }
    }

    @Test("A session that the website ends goes from the page, which says who ended it")
    func endedThere() async throws {
        try await asked { world, page, nonce, asked in
            _ = try await agree(to: asked, page)
            try await page.type(Person.pin)
            _ = try await page.until("logged in") { $0["sessions"]?.array?.count == 2 }
            try await world.backend.logOut(nonce)
            // The SDK's list is right at once; what it tells of the end follows.
            let over = try await page.until("the end, and why") { shown in
                shown["sessions"]?.array?.count == 1
                    && shown["notices"]?.array?.contains { $0["text"]?.string?.contains("ended by the website") == true } == true
            }
            let last = try #require(over["history"]?.array?.first)
            #expect(last["status"] == .string("LOGGED_OUT"))
        }
    }

    @Test("During a penalty no key is taken and nothing is counted; when it is over the right PIN logs in")
    func penalty() async throws {
        try await asked { world, page, nonce, asked in
            _ = try await agree(to: asked, page)
            for (number, pin) in Person.wrongPINs.prefix(3).enumerated() {
                try await page.type(pin)
                _ = try await page.until("try \(number + 1)") { $0["factor"]?["failedAttempts"] == .number(Double(number + 1)) }
            }
            let waits = try await page.shown()
            #expect(waits["factor"]?["penalty"]?.int == 30)
            let early = try await page.answer("key", to: waits, #","key":"2""#)
            #expect(early.status == 409 && early.text.contains("too_early"))
            #expect(try await world.counted().failed == 3)
            world.clock.advance(31)
            #expect(try await page.shown()["factor"]?["penalty"]?.int == 0)
            try await page.type(Person.pin)
            try await eventually("logged in") { try await world.backend.isLoggedIn(nonce) }
        }
    }

    @Test("“No” and “that was not me” are the person’s own words: the server hears them apart", arguments: [false, true])
    func denies(_ notMe: Bool) async throws {
        try await asked { world, page, nonce, asked in
            #expect(try await page.answer("deny", to: asked, #","notMe":\#(notMe)"#).status == 200)
            let over = try await page.until(screen: "home")
            #expect(over["notices"]?.array?.first?["text"]?.string?.contains("you said no") == true)
            #expect(try await !world.backend.isLoggedIn(nonce))
            let session = try await world.authentication.services.sessions.progress(
                of: SessionNonce(nonce), at: world.authentication.defaultServer, now: world.clock.now)
            guard case .denied(let denial) = try #require(session).state else {
                Issue.record("the session is \(String(describing: session?.state))")
                return
            }
            #expect(denial.notMe == notMe)
        }
    }

    @Test("An answer to another question than the one that is asked is refused, and changes nothing")
    func lateAnswers() async throws {
        try await asked { world, page, nonce, asked in
            let account = try #require(asked["choices"]?.array?.first?["id"]?.string)
            let late = (asked["question"]?.int ?? 0) - 1
            for (path, more) in [
                ("confirm", #","account":"\#(account)""#), ("deny", #","notMe":true"#), ("give-up", ""), ("key", #","key":"1""#),
                ("finger", #","answer":"confirm","pin":false"#),
            ] {
                let answer = try await page.call(path, #"{"question":\#(late)\#(more)}"#)
                #expect(answer.status == 409, "\(path): \(answer.text)")
            }
            // A yes says who: no account is taken because it is the only one.
            #expect(try await page.answer("confirm", to: asked).status == 404)
            #expect(try await page.answer("confirm", to: asked, #","account":"other""#).status == 404)
            // Digits belong to a pad.
            #expect(try await page.answer("key", to: asked, #","key":"1""#).status == 409)
            #expect(try await page.shown() == asked)
            let factor = try await agree(to: asked, page)
            #expect(try await page.answer("confirm", to: asked, #","account":"\#(account)""#).status == 409)
            #expect(try await page.answer("finger", to: factor, #","answer":"confirm","pin":false"#).status == 409, "no feature is asked for")
            #expect(try await !world.backend.isLoggedIn(nonce))
            #expect(try await world.counted().failed == 0)
        }
    }

    @Test("Two phones have a home each: what is asked of one is not asked of the other, and the first hears of the second device")
    func twoPhones() async throws {
        try await ServersFixture.run { world in
            try await RunningPage.with(world, phones: ["desk", "pocket"]) { page in
                try await enrol(page, world)
                #expect(try await page.shown(phone: 1)["accounts"]?.array?.isEmpty == true)
                try await enrol(page, world, phone: 1)
                let warned = try await page.until("the news of the second device") { shown in
                    shown["notices"]?.array?.contains { $0["kind"] == .string("warning") } == true
                }
                let notice = try #require(warned["notices"]?.array?.first { $0["kind"] == .string("warning") })
                #expect(notice["text"]?.string?.contains("pocket") == true)
                let asked = try await login(page, world, phone: 1).asked
                #expect(try await page.shown()["screen"] == .string("home"))
                #expect(try await page.answer("confirm", phone: 0, to: asked, #","account":"x""#).status == 409)
                // Still there after a login was begun; gone when the person has put it away.
                #expect(try await page.call("put-away", #"{"notice":\#(notice["id"]?.int ?? 0)}"#).status == 200)
                #expect(try await page.shown()["notices"]?.array?.contains { $0["kind"] == .string("warning") } == false)
                #expect(try await page.send(.POST, "/phones/2/refresh", body: Array("{}".utf8)).status == 404)
            }
        }
    }
}
