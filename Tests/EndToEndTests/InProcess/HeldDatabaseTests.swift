import AuthServer
import Authentication
import Database
import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryMobile
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// This program on what an earlier one left: both databases, opened and brought to the schema of today, and phones that know nothing of it.
@Suite("What an earlier program left")
struct HeldDatabaseTests {
    /// Tables (`as.table`) and columns (`as.table.column`) whose content a later step put elsewhere. Whoever writes such a step says so here; that
    /// the content arrived is for the other tests of this file to show, or for one that comes with the step.
    private static let moved: Set<String> = ["as.enrolment.request_hash", "as.enrolment.shown"]

    @Test("There is something of an earlier program")
    func isThere() { #expect(!HeldFixture.names.isEmpty) }

    @Test("Both databases open, and every row of every table holds what it held, the audit trail among them", arguments: HeldFixture.names)
    func rows(_ name: String) async throws {
        let held = try HeldFixture(name)
        let site = try await held.site()
        let before = try await Self.tables(of: site)
        #expect(before.mapValues(\.count) == held.seen["tables"]?.members?.compactMapValues(\.int))
        try await site.open { _ in }
        let after = try await Self.tables(of: site)
        for (table, rows) in before where !Self.moved.contains(table) {
            let now = try #require(after[table], "\(table) is gone")
            guard !table.hasSuffix(".schema_version"), !table.hasSuffix(".schema_reader") else {
                #expect(now.count >= rows.count)
                continue
            }
            #expect(now.count == rows.count, "rows of \(table)")
            let columns = rows.columns.filter { !Self.moved.contains("\(table).\($0)") }
            let lost = columns.subtracting(now.columns).sorted()
            #expect(lost.isEmpty, "columns of \(table)")
            let isKept = rows.counted(by: columns) == now.counted(by: columns)
            #expect(isKept, "what \(table) holds")
        }
    }

    /// The tables of both, as `as.table` and `sf.table`.
    private static func tables(of site: ServersSite) async throws -> [String: TableRows] {
        var all: [String: TableRows] = [:]
        for server in ServersSite.Server.allCases {
            for (table, rows) in try await TableRows.all(in: site.file(of: server)) { all["\(server.rawValue).\(table)"] = rows }
        }
        return all
    }

    @Test(
        "getSession says of every session what it said; who is logged in can be logged out, and nobody else is by that", arguments: HeldFixture.names)
    func sessions(_ name: String) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in
            let sessions = try held.all("sessions")
            var loggedIn: [String] = []
            for (session, facts) in sessions {
                let nonce = try #require(facts["nonce"]?.string)
                let answer = try await world.answer(nonce)
                #expect(answer == facts["answer"], "\(session)")
                if answer["loggedin"] == .bool(true) { loggedIn.append(nonce) }
            }
            #expect(loggedIn.count > 8)
            while let nonce = loggedIn.popLast() {
                try await world.backend.logOut(nonce)
                #expect(try await world.backend.isLoggedIn(nonce) == false)
                for other in loggedIn { #expect(try await world.backend.isLoggedIn(other)) }
            }
        }
    }

    @Test("The server and every account are told as they were; accounts that were deleted stay so", arguments: HeldFixture.names)
    func accounts(_ name: String) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in
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
    }

    @Test("A phone still holds its logins, and hears of the other phone of its person what nobody told it yet", arguments: HeldFixture.names)
    func phone(_ name: String) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in
            let device = try held.text("accounts", "alice on alice", "answer", "deviceid")
            let expected = try held.all("sessions").filter { session in
                session.facts["answer"]?["deviceid"] == .string(device) && session.facts["answer"]?["loggedin"] == .bool(true)
            }
            let alice = try world.phone("phones/alice")
            let news = EventLog(alice.ostiary)
            let sessions = try await alice.ostiary.refresh().filter(\.isLoggedIn)
            #expect(sessions.count == expected.count)
            let newDevice = await news.next(within: .aHang) { event -> String? in
                if case .newDevice(let device, _) = event { device.name } else { nil }
            }
            #expect(newDevice == "terminal on pocket")
            let newPIN = await news.next(within: .aHang) { event -> String? in
                if case .pinReplacedByBiometric(let pin, _) = event { pin.deviceName } else { nil }
            }
            #expect(newPIN == "terminal on pocket")
            for session in sessions { try await alice.ostiary.end(session) }
            for (session, facts) in expected {
                let nonce = try #require(facts["nonce"]?.string)
                #expect(try await world.backend.isLoggedIn(nonce) == false, "\(session)")
            }
        }
    }

    @Test("The PIN logs in, one that was changed too, and so does a biometric; none of them costs a try", arguments: HeldFixture.names)
    func factors(_ name: String) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in
            let (pin, changed) = (try held.text("pins", "usual"), try held.text("pins", "changed"))
            let failed = try await world.counted().failed
            try await world.expectLogin(of: "alice", by: .pin(pin))
            try await world.expectLogin(of: "bob", by: .pin(changed))
            try await world.expectLogin(of: "bob", by: .biometric(.confirm))
            #expect(try await world.counted().failed == failed)
        }
    }

    @Test(
        "Receipts of before are kept shorter, and a second-factor server that has forgotten what it counted believes them still",
        arguments: HeldFixture.names)
    func receipts(_ name: String) async throws {
        let held = try HeldFixture(name)
        let site = try await held.site()
        try await Self.keepByPIN(in: site)
        let before = try await Self.receiptLengths(in: site)
        #expect(before.count > 4 && before.allSatisfy { $0 == 254 })
        try await site.open { world in
            for case let work as PeriodicTask in world.authentication.background where work.name == "receipts" { await work.round() }
            // With their numbers, and without a receipt that tells of them, neither would have a try left.
            try await world.secondFactorDatabase.transaction { try $0.execute("UPDATE instance SET highest = 0, proven = 0, proven_by_pin = 0") }
            try await world.expectLogin(of: "alice", by: .pin(try held.text("pins", "usual")))
            try await world.expectLogin(of: "bob", by: .pin(try held.text("pins", "changed")))
        }
        let after = try await Self.receiptLengths(in: site)
        // Whoever logged in by PIN has none beside it any more.
        #expect(after.count > before.count / 2 && after.allSatisfy { $0 < 200 })
    }

    /// As those who log in by a biometric have it: no fixture was left right after that.
    private static func keepByPIN(in site: ServersSite) async throws {
        let database = try SQLiteDatabase.open(path: site.file(of: .authentication), ownership: .shared)
        try await database.transaction { try $0.execute("UPDATE instance SET pin_receipt = receipt") }
        try await database.close()
    }

    /// Of the newest, and of the newest by PIN.
    private static func receiptLengths(in site: ServersSite) async throws -> [Int] {
        let database = try SQLiteDatabase.open(path: site.file(of: .authentication), ownership: .shared)
        let lengths = try await database.read { connection in
            try connection.query(
                """
                SELECT length(receipt) AS length FROM instance WHERE receipt IS NOT NULL
                UNION ALL SELECT length(pin_receipt) FROM instance WHERE pin_receipt IS NOT NULL
                """
            ).map { try $0.int("length") }
        }
        try await database.close()
        return lengths
    }

    @Test("Who typed one wrong PIN has one try fewer: the right one is told with it, and four more wrong ones block", arguments: HeldFixture.names)
    func oneWrong(_ name: String) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in
            let nonce = try await world.expectLogin(of: "second", by: .pin(try held.text("pins", "changed")))
            #expect(try await world.backend.session(nonce)["pinattemptsfailed"] == .number(1))

            let carol = try world.phone("phones/carol")
            let wrong: [FixturePhone.Input] = try held.wrongPINs().dropFirst().map { .pin($0) }
            let login = try await carol.logIn(world.backend.loginCode(world.backend.newNonce()), by: wrong)
            #expect(login.asked.map(\.failedAttempts) == [1, 2, 3, 4, 5])
            #expect(login.end == .failed(.secondFactorBlocked), "\(login)")
        }
    }

    @Test("Who is blocked stays blocked, and no PIN of theirs is evaluated, until the block is lifted", arguments: HeldFixture.names)
    func blocked(_ name: String) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in
            let pin = try held.text("pins", "usual")
            let evaluations = try await world.counted().evaluations
            let dave = try world.phone("phones/dave")
            let login = try await dave.logIn(world.backend.loginCode(world.backend.newNonce()), by: [.pin(pin)])
            #expect(login.end == .failed(.secondFactorBlocked), "\(login)")
            #expect(login.asked.last?.failedAttempts == 5 && login.asked.last?.blocked == true)
            #expect(try await world.counted().evaluations == evaluations)
            let reset = try await world.backend.call(.post, "accounts/\(try held.account("dave on dave"))/secondfactor/reset").status
            #expect(reset == 200)
            try await world.expectLogin(of: "dave", by: .pin(pin))
        }
    }

    @Test("Whose account was blocked or deleted is told so, and a key that was still to be erased is erased", arguments: HeldFixture.names)
    func ended(_ name: String) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in
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

    @Test("An enrolment that waits for its code takes it, and a code that was drawn enrols", arguments: HeldFixture.names)
    func enrolments(_ name: String) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in
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
    }

    @Test(
        "A page goes on in its browser, one that nobody opened yet opens, and a browser that comes back with its code is logged in",
        arguments: HeldFixture.names)
    func pages(_ name: String) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in
            try await Application(router: world.authentication.publicRouter).test(.router) { client in
                for (kind, facts) in try held.all("pages") {
                    let (page, cookie) = (try held.text("pages", kind, "page"), try held.text("pages", kind, "cookie"))
                    let answer = try await client.executeRequest(
                        uri: "/pages/state?page=\(page)", method: .get, headers: [.cookie: cookie], body: nil)
                    var shown = try #require(try JSONLine(String(buffer: answer.body)).members, "\(kind)")
                    let code = shown.removeValue(forKey: "code")
                    #expect(code != nil, "\(kind)")
                    shown["link"] = nil
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
    }

    @Test(
        "A device waits on with the code that it shows: a phone brings it, and the device has tokens",
        arguments: HeldFixture.names(with: { $0["device"] != nil }))
    func device(_ name: String) async throws {
        let held = try HeldFixture(name)
        try await held.site().open { world in
            #expect(try await world.poll(held) == "400 authorization_pending")
            // As long as a device leaves between two questions, and more.
            world.clock.advance(10)
            let uri = Array(try held.text("device", "uri").utf8)
            let login = try await world.phone("phones/bob").logIn(uri, by: [.pin(try held.text("pins", "changed"))])
            #expect(login.end.session != nil, "\(login)")
            #expect(try await world.poll(held) == "200 tokens")
        }
    }
}

extension ServersFixture {
    /// How a device of before is answered that asks for its tokens.
    fileprivate func poll(_ held: HeldFixture) async throws -> String {
        let (code, grant) = (try held.text("device", "code"), try held.text("device", "grant").replacing(":", with: "%3A"))
        let answer = try await line.call(
            .post, "/oauth/token", headers: [.contentType: "application/x-www-form-urlencoded"],
            body: "client_id=tv&grant_type=\(grant)&device_code=\(code)")
        return "\(answer.status.code) \(try JSONLine(String(buffer: answer.body))["error"]?.string ?? "tokens")"
    }

    /// What getSession answers, without the code that it draws anew each time.
    fileprivate func answer(_ nonce: String) async throws -> JSONLine {
        var members = try #require(try await backend.session(nonce).members)
        if let code = members["loginqrdata"] {
            #expect(code.string?.isEmpty == false)
            members["loginqrdata"] = .string("")
        }
        return .object(members)
    }

    /// A login with a phone of before.
    /// - Returns: its nonce.
    @discardableResult
    fileprivate func expectLogin(of person: String, by input: FixturePhone.Input) async throws -> String {
        let phone = try self.phone("phones/\(person)", biometrics: SimulatedBiometrics())
        let nonce = backend.newNonce()
        let login = try await phone.logIn(backend.loginCode(nonce), by: [input])
        #expect(login.end.session != nil, "\(person): \(login)")
        #expect(try await backend.isLoggedIn(nonce), "\(person)")
        return nonce
    }

    /// How many keys the second-factor server could evaluate with.
    fileprivate func evaluationKeys() async throws -> Int {
        try await secondFactorDatabase.read { connection in
            try connection.one("SELECT COUNT(*) AS number FROM instance WHERE evaluation_key IS NOT NULL")?.int("number") ?? -1
        }
    }
}
