import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryMobile
import OstiaryProtocol
import OstiaryTestTraits
import Testing

@testable import OstiaryPhone

/// A phone whose network is gone and a browser that has one: the code of the SDK, and what both servers make of it.
@Suite("A one-time code, by the SDK and the servers", .onBothEngines, .timeLimit(.minutes(10)))
struct OfflineCodeJourneyTests {
    private static let publicURL = "http://localhost:1"

    /// An enrolled phone at a server that takes codes.
    private func enrolled(isLong: Bool = false, _ body: @Sendable @escaping (ServersFixture, FixturePhone) async throws -> Void) async throws {
        try await ServersFixture.run { world in
            try await world.backend.updateServer(#"{"serverFlags":["ENABLE_OTP"\#(isLong ? #","LONG_OTP""# : "")]}"#)
            let phone = try world.phone()
            try await world.enrol(phone)
            try await body(world, phone)
        }
    }

    /// Scans without a network, and has the code made.
    private func code(_ phone: FixturePhone, _ scanned: [UInt8], _ world: ServersFixture) async throws -> (session: Session, text: String) {
        await world.line.cut()
        phone.ostiary.start(with: scanned)
        let (session, accounts) = try await phone.until { event -> (Session, [Account])? in
            if case .otpAvailable(let session, let accounts) = event { (session, accounts) } else { nil }
        }
        let account = try #require(accounts.first)
        let text = try #require(phone.ostiary.generateOTP(for: session, and: account))
        // By the code, or before it for want of a network.
        _ = try await phone.until(FixturePhone.end)
        return (session, text)
    }

    @Test(
        "S2-02…06 S2-43 S2-48 a phone without a network logs a session in by its code, once, and leaves it alone when the network is back",
        arguments: [(false, false), (true, false), (false, true)])
    func logsIn(_ isMoving: Bool, _ isLong: Bool) async throws {
        try await enrolled(isLong: isLong) { world, phone in
            let nonce = world.backend.newNonce()
            let scanned = isMoving ? try await world.movingCode(nonce) : try await world.backend.loginCode(nonce)
            let (session, text) = try await code(phone, scanned, world)
            #expect(text.count == (isLong ? 15 : 13))
            #expect(phone.ostiary.session(session.id)?.isOver == true)
            let posted = await world.line.posted.count
            await world.line.mend()
            let (status, said) = try await world.backend.otpLogin(nonce, text)
            #expect(status == 200 && said["loggedin"] == .bool(true) && said["otplogin"] == .bool(true))
            let asked = try await world.backend.session(nonce)
            #expect(asked["loggedin"] == .bool(true) && asked["otplogin"] == .bool(true))
            #expect(try await world.backend.otpLogin(nonce, text).status != 200, "a code is good once")
            #expect(await world.line.posted.count == posted && phone.ostiary.session(session.id)?.isLoggedIn == false)

            // With a network the same phone logs in as ever.
            let other = world.backend.newNonce()
            let end = try await phone.logIn(try await world.backend.loginCode(other)).end
            #expect(end.session != nil)
            let online = try await world.backend.session(other)
            #expect(online["loggedin"] == .bool(true) && online["otplogin"] == .bool(false))
        }
    }

    @Test("S2-13 S2-46 a page's code is scanned without a network, and what the phone makes is typed there: the browser that began is logged in")
    func pageLogin() async throws {
        try await enrolled { world, phone in
            let nonce = world.backend.newNonce()
            let page = try await Page(world, nonce)
            let scanned = try #require(try await page.state()["code"]?["bytes"]?.string.flatMap { Base64URL.decode($0) })
            let (_, text) = try await code(phone, scanned, world)
            // Of another login, which somebody else began.
            let stranger = world.backend.newNonce()
            _ = try await world.backend.loginCode(stranger)
            #expect(try await world.backend.otpLogin(stranger, text).status == 403)
            // As a person types: small, and in one piece.
            #expect(try await page.type(text.lowercased().replacing(" ", with: ""))["outcome"] == .string("done"))
            let state = try await page.state()
            #expect(state["state"] == .string("returning"))
            #expect(try await !world.backend.isLoggedIn(nonce), "nobody is, before the browser is back")
            let address = try #require(state["returnurl"]?.string)
            let returned = try #require(address.split(separator: "returncode=").last)
            let back = try await world.backend.call(.post, "sessions/return", nonce: nonce, json: #"{"returncode":"\#(returned)"}"#)
            let said = try JSONLine(String(decoding: back.body, as: UTF8.self))
            #expect(back.status == 200 && said["loggedin"] == .bool(true) && said["otplogin"] == .bool(true))
        }
    }

    @Test("S2-07 the operator switches codes off and on, and the phone knows from its next login on")
    func switched() async throws {
        try await enrolled { world, phone in
            for isOn in [false, true] {
                try await world.backend.updateServer(#"{"serverFlags":[\#(isOn ? #""ENABLE_OTP""# : "")]}"#)
                #expect(try await phone.logIn(try await world.backend.loginCode(world.backend.newNonce())).end.session != nil)
                await world.line.cut()
                phone.ostiary.start(with: try await world.backend.loginCode(world.backend.newNonce()))
                let error = try await phone.until { event -> Session? in
                    if case .error(.serverConnection, let session?) = event { session } else { nil }
                }
                #expect(error.otpAvailable == isOn)
                _ = try await phone.until(FixturePhone.end)
                await world.line.mend()
            }
        }
    }

    @Test("A logout takes no codes away: the phone that was told so has them for the next login")
    func afterLogout() async throws {
        try await enrolled { world, phone in
            let end = try await phone.logIn(try await world.backend.loginCode(world.backend.newNonce())).end
            try await phone.ostiary.end(try #require(end.session))
            await world.line.cut()
            phone.ostiary.start(with: try await world.backend.loginCode(world.backend.newNonce()))
            let error = try await phone.until { event -> Session? in
                if case .error(.serverConnection, let session?) = event { session } else { nil }
            }
            #expect(error.otpAvailable)
        }
    }

    /// A login page in a browser.
    private struct Page {
        private let world: ServersFixture
        private let name: String
        private let cookie: String

        init(_ world: ServersFixture, _ nonce: String) async throws {
            self.world = world
            let opened = try await world.backend.call(
                .post, "sessions/page", nonce: nonce, json: #"{"kind":"login","returnurl":"https://shop.example/welcome"}"#)
            let url = try #require(try JSONLine(String(decoding: opened.body, as: UTF8.self))["url"]?.string)
            let ticket = try #require(url.split(separator: "#").last)
            let answer = try await world.line.call(
                .post, "/pages/ticket", headers: [.contentType: "application/json", .origin: publicURL], body: #"{"ticket":"\#(ticket)"}"#)
            name = try #require(try JSONLine(String(buffer: answer.body))["page"]?.string)
            cookie = String(try #require(answer.headers[values: .setCookie].first).prefix { $0 != ";" })
        }

        func state() async throws -> JSONLine {
            try JSONLine(String(buffer: try await world.line.call(.get, "/pages/state?page=\(name)", headers: [.cookie: cookie]).body))
        }

        func type(_ text: String) async throws -> JSONLine {
            let headers: HTTPFields = [.contentType: "application/json", .origin: publicURL, .cookie: cookie]
            let answer = try await world.line.call(.post, "/pages/otp?page=\(name)", headers: headers, body: #"{"code":"\#(text)"}"#)
            return try JSONLine(String(buffer: answer.body))
        }
    }
}
