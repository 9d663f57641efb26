import AuthServer
import Authentication
import Database
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryMobile
import OstiaryTesting
import Testing

/// What backends and browsers find, and the phones of those who enrol or whose account is over.
extension HeldWorld {
    /// The server and every account are told as they were; accounts that were deleted stay so.
    func accounts() async throws {
        let answer = try await world.backend.call(.get, "").body
        var server = try #require(try JSONLine(String(decoding: answer, as: UTF8.self)).members)
        // Settings that are newer are at their defaults.
        for name in ["color", "colordark"] where held.seen["server"]?[name] == nil {
            #expect(server.removeValue(forKey: name) == .string(""))
        }
        if held.seen["server"]?["frameorigins"] == nil { #expect(server.removeValue(forKey: "frameorigins") == .array([])) }
        #expect(.object(server) == held.seen["server"])
        for (account, facts) in try held.all("accounts") {
            let (status, body) = try await world.backend.call(.get, "accounts/\(try held.account(account))/")
            let wasThere = facts["answer"]?.members != nil
            #expect(status == (wasThere ? 200 : 404), "\(account)")
            guard wasThere else { continue }
            var told = try #require(try JSONLine(String(decoding: body, as: UTF8.self)).members)
            // All of them have a second factor, also those of before there were others.
            if facts["answer"]?["headless"] == nil { #expect(told.removeValue(forKey: "headless") == .bool(false)) }
            #expect(.object(told) == facts["answer"], "\(account)")
        }
    }

    /// getSession says of every session what it said.
    func sessions() async throws {
        for (session, facts) in try held.all("sessions") {
            let nonce = try #require(facts["nonce"]?.string)
            let answer = try await world.answer(nonce)
            #expect(answer == facts["answer"], "\(session)")
        }
    }

    /// A page goes on in its browser, one that nobody opened yet opens, and a browser that comes back with its code is logged in.
    func pages() async throws {
        try await Application(router: world.authentication.publicRouter).test(.router) { client in
            for (kind, facts) in try held.all("pages") {
                let (page, cookie) = (try held.text("pages", kind, "page"), try held.text("pages", kind, "cookie"))
                let answer = try await client.executeRequest(
                    uri: "/pages/state?page=\(page)", method: .get, headers: [.cookie: cookie], body: nil)
                var shown = try #require(try JSONLine(String(buffer: answer.body)).members, "\(kind)")
                let code = shown.removeValue(forKey: "code")
                #expect(code != nil, "\(kind)")
                shown["link"] = nil
                // Programs of before did not tell it.
                if facts["shown"]?["left"] == nil { shown["left"] = nil }
                #expect(JSONLine.object(shown) == facts["shown"], "\(kind)")
            }
            let (ticket, origin) = (try held.text("ticket"), try held.text("origin"))
            let opened = try await client.executeRequest(
                uri: "/pages/ticket", method: .post, headers: [.contentType: "application/json", .origin: origin],
                body: ByteBuffer(string: #"{"ticket":"\#(ticket)"}"#))
            #expect(opened.status == .ok)
        }
        let (nonce, code) = (try held.text("return", "nonce"), try held.text("return", "code"))
        let (status, body) = try await world.backend.call(.post, "sessions/return", nonce: nonce, json: #"{"returncode":"\#(code)"}"#)
        let answer = try JSONLine(String(decoding: body, as: UTF8.self))
        #expect(status == 200 && answer["userid"] == .string("bob") && answer["returned"] == .bool(true), "\(answer)")
        #expect(try await world.backend.isLoggedIn(nonce))
    }

    /// An enrolment that waits for its code takes it, and a code that was drawn enrols.
    func enrolments() async throws {
        let (nonce, code) = (try held.text("confirmation", "nonce"), try held.text("confirmation", "code"))
        #expect(try await world.backend.confirm(nonce, code) == 200)
        #expect(try await world.backend.session(nonce)["userid"] == .string("ivan"))
        let ivan = try world.phone("phones/ivan")
        _ = try await ivan.ostiary.refresh()
        #expect(ivan.ostiary.accounts?.map(\.state) == [.active])
        try await world.expectLogin(of: "ivan", by: .pin(try held.text("pins", "usual")))

        let (other, text) = (try held.text("enrolment", "nonce"), try held.text("enrolment", "code"))
        let drawn = try #require(Data(base64Encoded: text))
        let end = try await world.phone("phones/kim").enrol(Array(drawn)) { shown in
            let status = try await world.backend.confirm(other, shown)
            #expect(status == 200)
        }
        #expect(end.session != nil, "\(end)")
        #expect(try await world.backend.session(other)["userid"] == .string("kim"))
    }

    /// Who is logged in can be logged out, and nobody else is by that.
    func logOuts() async throws {
        var loggedIn: [String] = []
        for (_, facts) in try held.all("sessions") where facts["answer"]?["loggedin"] == .bool(true) {
            loggedIn.append(try #require(facts["nonce"]?.string))
        }
        #expect(loggedIn.count > 8)
        for nonce in loggedIn { #expect(try await world.backend.isLoggedIn(nonce)) }
        while let nonce = loggedIn.popLast() {
            try await world.backend.logOut(nonce)
            #expect(try await world.backend.isLoggedIn(nonce) == false)
            for other in loggedIn { #expect(try await world.backend.isLoggedIn(other)) }
        }
    }

    /// Whose account was blocked or deleted is told so, and a key that was still to be erased is erased.
    func ends() async throws {
        let pin = try held.text("pins", "usual")
        let ends: [(String, OstiaryError)] = [("grace", .accountBlocked), ("frank", .accountDeleted)]
        for (person, error) in ends {
            let phone = try world.phone("phones/\(person)")
            let login = try await phone.logIn(world.backend.loginCode(world.backend.newNonce()), by: [.pin(pin)])
            #expect(login.end == .failed(error), "\(person): \(login)")
            #expect(phone.ostiary.accounts?.isEmpty == (error == .accountDeleted), "\(person)")
        }
        let keys = try await world.evaluationKeys()
        // Longer than it waits for the next try.
        world.clock.advance(120)
        let confirmed = try await world.authentication.services.closes.run(at: world.clock.now)
        #expect(confirmed == held.seen["tables"]?["as.pending_close"]?.int)
        #expect(try await world.evaluationKeys() == keys - confirmed)
    }
}

extension ServersFixture {
    /// What getSession answers, without the code that it draws anew each time.
    fileprivate func answer(_ nonce: String) async throws -> JSONLine {
        var members = try #require(try await backend.session(nonce).members)
        if let code = members["loginqrdata"] {
            #expect(code.string?.isEmpty == false)
            members["loginqrdata"] = .string("")
        }
        return .object(members)
    }

    /// How many keys the second-factor server could evaluate with.
    fileprivate func evaluationKeys() async throws -> Int {
        try await secondFactorDatabase.read { connection in
            try connection.one("SELECT COUNT(*) AS number FROM instance WHERE evaluation_key IS NOT NULL")?.int("number") ?? -1
        }
    }
}
