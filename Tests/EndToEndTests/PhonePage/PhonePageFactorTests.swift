import Foundation
import NIOHTTP1
import OstiaryTesting
import QRCode
import Testing

@testable import OstiaryPhone

@Suite("Scans and second factors on the phone page, end to end", .timeLimit(.minutes(10)))
struct PhonePageFactorTests {
    private static let newPIN = "602851"

    /// A phone that is enrolled already, on a page.
    private func enrolled(
        _ source: ScanSource? = nil, _ body: @Sendable @escaping (ServersFixture, PageCaller) async throws -> Void
    ) async throws {
        try await ServersFixture.run(penalties: [0, 0, 0, 0]) { world in
            try await world.enrol(try world.phone())
            world.clock.advance(61)
            try await RunningPage.with(world, source: source) { page in
                _ = try await page.until("the account") { $0["accounts"]?.array?.count == 1 }
                try await body(world, page)
            }
        }
    }

    private func change(_ path: String, _ page: PageCaller) async throws {
        let account = try #require(try await page.shown()["accounts"]?.array?.first?["id"]?.string)
        #expect(try await page.call(path, #"{"account":"\#(account)"}"#).status == 200)
    }

    private func show(_ finger: String, withPIN: Bool = false, _ page: PageCaller) async throws {
        let asked = try await page.until("a feature is asked for") { $0["factor"]?["biometrics"] == .bool(true) }
        #expect(try await page.answer("finger", to: asked, #","answer":"\#(finger)","pin":\#(withPIN)"#).status == 200)
    }

    /// Scans a moving code of this nonce, and says yes; the phone has to be done with what was before.
    private func begin(_ nonce: String, _ world: ServersFixture, _ page: PageCaller) async throws {
        try await page.scan(try await world.movingCode(nonce))
        try await page.confirm(try await page.until(screen: "login"))
    }

    private func notice(_ text: String, on page: PageCaller) async throws {
        _ = try await page.until(text) { shown in shown["notices"]?.array?.contains { $0["text"]?.string?.contains(text) == true } == true }
    }

    @Test("The PIN is changed by the one so far, and a new one that is typed twice; then the new one logs in and the old one does not")
    func changesPIN() async throws {
        try await enrolled { world, page in
            try await change("change-pin", page)
            _ = try await page.until("the PIN so far") { $0["factor"]?["context"] == .string("PIN_CHANGE_VERIFY") }
            try await page.type(Person.pin)
            _ = try await page.until("the new PIN") { $0["factor"]?["context"] == .string("PIN_CHANGE_SET") }
            try await page.type(Self.newPIN)
            try await page.type("274917")
            let differ = try await page.shown()
            #expect(differ["factor"]?["complaint"]?.string?.contains("differ") == true)
            try await page.type("123456")
            #expect(try await page.shown()["factor"]?["complaint"]?.string?.contains("easy") == true)
            try await page.type(Self.newPIN)
            try await page.type(Self.newPIN)
            try await notice("PIN is changed", on: page)
            let nonce = world.backend.newNonce()
            try await begin(nonce, world, page)
            _ = try await page.until(screen: "factor")
            try await page.type(Person.pin)
            _ = try await page.until("the old PIN is wrong") { $0["factor"]?["counted"] == .bool(true) }
            try await page.type(Self.newPIN)
            try await eventually("logged in") { try await world.backend.isLoggedIn(nonce) }
        }
    }

    @Test(
        "A simulated finger is added, logs in alone and with the PIN, costs nothing when it is the wrong one, and is dead when the device knows others"
    )
    func biometrics() async throws {
        try await enrolled { world, page in
            try await change("add-biometrics", page)
            let first = try await page.until("a feature only") { $0["factor"]?["pin"] == .bool(false) }
            #expect(try await page.answer("key", to: first, #","key":"2""#).status == 409, "no PIN is taken in this step")
            try await show("confirm", page)
            _ = try await page.until("the PIN") { $0["factor"]?["biometrics"] == .bool(false) }
            try await page.type(Person.pin)
            try await notice("Biometrics are added", on: page)

            let nonce = world.backend.newNonce()
            try await begin(nonce, world, page)
            for finger in ["fail", "cancel"] {
                try await show(finger, page)
                let told = try await page.until("\(finger) is told") { $0["factor"]?["result"] == .string("FAILED") }
                #expect(told["factor"]?["counted"] == .bool(false))
            }
            try await show("confirm", page)
            try await eventually("logged in") { try await world.backend.isLoggedIn(nonce) }
            #expect(try await world.counted().failed == 0)

            let both = world.backend.newNonce()
            try await begin(both, world, page)
            let asked = try await page.until(screen: "factor")
            // Without digits there is no PIN that could answer with it: the question stays.
            try await show("confirm", withPIN: true, page)
            #expect(try await page.shown()["question"] == asked["question"])
            for key in Person.pin { try await page.answer("key", to: asked, #","key":"\#(key)""#) }
            try await show("confirm", withPIN: true, page)
            try await eventually("logged in by both") { try await world.backend.isLoggedIn(both) }

            #expect(try await page.call("new-finger").status == 200)
            try await begin(world.backend.newNonce(), world, page)
            try await show("confirm", page)
            let dead = try await page.until("the key is dead") { $0["factor"]?["biometrics"] == .bool(false) }
            #expect(dead["factor"]?["pin"] == .bool(true))
        }
    }

    @Test("A frame without a code is nothing to complain of; while something is asked no frame begins anything")
    func frames() async throws {
        try await enrolled { world, page in
            let blank = try await page.send(.POST, "/phones/0/frame?width=80&height=60", body: [UInt8](repeating: 200, count: 4_800))
            #expect(try blank.status == 200 && JSONLine(blank.text)["found"] == .bool(false))
            let foreign = try await page.hold(Array("https://example.org/".utf8))
            #expect(try JSONLine(foreign.text)["found"] == .bool(false))
            #expect(try await page.send(.POST, "/phones/0/frame?width=80&height=61", body: [UInt8](repeating: 200, count: 4_800)).status == 400)
            _ = try await page.hold(try await world.movingCode(world.backend.newNonce()))
            let asked = try await page.until(screen: "login")
            let second = try await page.hold(try await world.movingCode(world.backend.newNonce()))
            #expect(try JSONLine(second.text)["found"] == .bool(false))
            #expect(try await page.shown() == asked)
        }
    }

    @Test("A picture, a link and a place to look at that hold no code say so; nothing is begun")
    func withoutCode() async throws {
        try await enrolled(ScanSource(title: "Look at the website", look: { nil })) { _, page in
            let home = try await page.shown()
            #expect(home["source"] == .string("Look at the website"))
            let blank = try PNGImage.encode(width: 60, height: 60, grey: [UInt8](repeating: 255, count: 3_600))
            for body in [blank, Array("nothing".utf8), []] {
                let answer = try await page.send(.POST, "/phones/0/picture", body: body)
                #expect(answer.status == 422, "\(answer.text)")
            }
            #expect(try await page.call("look").status == 422)
            #expect(try await page.shown() == home)
            // A path of this machine is no link: nothing is read from it.
            #expect(try await page.call("link", #"{"link":"/etc/hostname"}"#).status == 200)
            try await notice("not an enrol or login code", on: page)
        }
    }

    @Test("The program's own place to look at is one more way to scan")
    func source() async throws {
        try await ServersFixture.run { world in
            try await world.enrol(try world.phone())
            world.clock.advance(61)
            let nonce = world.backend.newNonce()
            let source = ScanSource(title: "Look at the website") { try? await world.movingCode(nonce) }
            try await RunningPage.with(world, source: source) { page in
                #expect(try await page.call("look").status == 200)
                try await page.confirm(try await page.until(screen: "login"))
                _ = try await page.until(screen: "factor")
                try await page.type(Person.pin)
                try await eventually("logged in") { try await world.backend.isLoggedIn(nonce) }
            }
        }
    }

    @Test("No digit of a PIN is told back: whichever was typed, what the page is shown is the same; and none is logged, nor the secret of the page")
    func digits() async throws {
        try await ServersFixture.run { world in
            try await world.enrol(try world.phone())
            world.clock.advance(61)
            let log = LogRecorder()
            try await RunningPage.with(world, logger: log.logger()) { page in
                try await begin(world.backend.newNonce(), world, page)
                let factor = try await page.until(screen: "factor")
                for (count, (one, other)) in zip(Person.pin, "583027").enumerated() {
                    var seen: [JSONLine] = []
                    for digit in [one, other, one] {
                        if !seen.isEmpty { try await page.answer("key", to: factor, #","key":"back""#) }
                        let answer = try await page.answer("key", to: factor, #","key":"\#(digit)""#)
                        #expect(answer.status == 200 && answer.text == "{}")
                        seen.append(try await page.shown())
                    }
                    #expect(seen[0] == seen[1] && seen[1] == seen[2])
                    #expect(seen[0]["factor"]?["typed"]?.int == count + 1)
                }
                #expect(try await page.answer("key", to: factor, #","key":"enter""#).status == 200)
                _ = try await page.until("logged in") { $0["sessions"]?.array?.isEmpty == false && $0["screen"] == .string("home") }
                let wrong = try await page.call("key", #"{"question":1,"key":"7"}"#)
                #expect(wrong.status == 409)
                #expect(!log.text.contains(page.secret))
                #expect(!log.text.contains(#""key""#) && !log.text.contains(Person.pin))
            }
        }
    }
}
