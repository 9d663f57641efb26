import Authentication
import Database
import HTTPService
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("getSession before its route, beside getSession of its route", .timeLimit(.minutes(10)))
struct EarlySessionTests {
    private static func newNonce() -> String { Base64URL.encode(SystemRandomSource().bytes(16)) }

    /// The answer of both, which must be the same, and whether it was early. Asked twice: what is kept of a login is kept by the first.
    @discardableResult
    private static func expectSame(_ both: SessionsBothWays, _ question: String, _ name: String) async throws -> (answer: String, isEarly: Bool) {
        let before = both.count
        let answers = try await both.answers(to: Array(question.utf8))
        let count = both.count
        #expect(answers.early == answers.routes, "\(name)")
        let again = try await both.answers(to: Array(question.utf8))
        #expect(again == answers, "\(name)")
        #expect(both.count - count == count - before, "\(name)")
        return (answers.early, count > before)
    }

    @Test(
        "A94 Whatever became of a session, both ways say the same of it to the byte, and of one that somebody decided it is said early",
        arguments: [true, false])
    func states(keepsViews: Bool) async throws {
        try await ServersFixture.run(keepsViews: keepsViews) { servers in
            #expect(servers.service.keepsViews == keepsViews)
            let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: #"a"<b>\é"#)
            try await SessionsBothWays.run(at: servers) { both in
                func told(_ nonce: String, _ name: String) async throws -> (answer: String, isEarly: Bool) {
                    try await Self.expectSame(both, both.question(nonce), name)
                }
                let nonce = Self.newNonce()
                let nobody = try await told(nonce, "nobody")
                #expect(!nobody.isEarly && nobody.answer.hasSuffix(#"{"loggedin":false}"#))
                let update = LoginRequestUpdate(
                    shown: ShownContext(info: [Announcement(key: "amount <€>", text: "1\u{2028}000")], ip: "192.0.2.1", userAgent: "A \"browser\""),
                    notes: SessionNotes(info: [Announcement(key: "case", text: "7")], ip: "192.0.2.2", userAgent: "B"))
                let link = try await servers.services.sessions.loginLink(
                    for: SessionNonce(nonce), at: servers.server, style: .moving, asking: update, by: .backend, now: servers.now
                ).link
                #expect(try await told(nonce, "open").isEarly == false, "a code has to be drawn")
                let shown = try await phone.scan(link)
                _ = try await told(nonce, "scanned")
                try await shown.logInByPIN()
                let loggedIn = try await told(nonce, "logged in")
                #expect(loggedIn.isEarly && loggedIn.answer.contains(#""loggedin":true,"state":"loggedin""#))
                let webNonce = try #require(try await phone.logInApp().webNonce)
                #expect(try await told(webNonce, "by its webNonce").isEarly)
                try await servers.services.sessions.logOut(SessionNonce(nonce), at: servers.server, by: .backend, now: servers.now)
                let over = try await told(nonce, "logged out")
                #expect(over.isEarly && over.answer.hasSuffix(#"{"loggedin":false}"#))
                servers.clock.advance(400)
                #expect(try await told(webNonce, "run out").answer.hasSuffix(#"{"loggedin":false}"#))
            }
        }
    }

    @Test(
        "A94 Nobody is told early who is not to be told at all: both ways refuse in the same words and write the same down", arguments: [true, false])
    func refusals(keepsViews: Bool) async throws {
        try await ServersFixture.run(keepsViews: keepsViews) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = Self.newNonce()
            try await phone.logIn(try SessionNonce(nonce))
            try await SessionsBothWays.run(at: servers) { both in
                // It is in memory, where anything is, before anybody is refused.
                try await Self.expectSame(both, both.question(nonce), "right")
                for (name, question) in Self.refused(both, nonce) {
                    let told = try await Self.expectSame(both, question, name)
                    #expect(!told.isEarly && !told.answer.contains(#""loggedin":true"#), "\(name)")
                }
                for (name, question) in Self.indirect(both, nonce) {
                    #expect(try await Self.expectSame(both, question, name).isEarly == false, "\(name)")
                }
                #expect(try await Self.expectSame(both, both.question(nonce), "right").isEarly)
                func told(_ log: LogRecorder) -> [[String: String]] {
                    log.lines("request refused").map { $0.facts.filter { $0.key != "requestId" && $0.key != "listener" } }
                }
                #expect(told(both.earlyLog) == told(both.routesLog) && !told(both.earlyLog).isEmpty)
            }
        }
    }

    /// What nobody may learn anything by.
    private static func refused(_ both: SessionsBothWays, _ nonce: String) -> [(String, String)] {
        let (key, server) = (ServersFixture.apiKey, both.servers.server.text)
        let other = ServerID(using: SystemRandomSource()).text
        return [
            ("no key", both.question(nonce).replacing("X-apikey", with: "X-apikez")), ("an empty key", both.question(nonce, key: "")),
            ("a forged key", both.question(nonce, key: "a key that nobody knows")),
            ("half the key", both.question(nonce, key: String(key.dropLast()))),
            ("the key and more", both.question(nonce, key: key + "s")), ("the key in capitals", both.question(nonce, key: key.uppercased())),
            ("two keys", both.question(nonce, fields: ["X-apikey: \(key)"])),
            ("a key by another name", both.question(nonce, key: "x", fields: ["Authorization: \(key)"])),
            ("a server that is not there", both.question(nonce, address: "/servers/\(other)/sessions/")),
            ("a server that cannot be", both.question(nonce, address: "/servers/\(server.dropLast())/sessions/")),
            ("its name in other letters", both.question(nonce, address: "/servers/\(server.dropLast())_/sessions/")),
            ("an escape in its name", both.question(nonce, address: "/servers/%\(server.dropFirst(1))/sessions/")),
            ("no nonce", both.question(nonce).replacing("X-nonce", with: "X-nonze")), ("a short nonce", both.question(String(nonce.dropLast()))),
            ("two nonces", both.question(nonce, fields: ["x-nonce: \(nonce)"])), ("another nonce", both.question(newNonce())),
            ("no letters", both.question(nonce + "!")), ("a query", both.question(nonce, address: "/servers/\(server)/sessions/?a=b")),
            ("a body", both.question(nonce, fields: ["Content-Length: 7"]) + #"{"a":1}"#),
            ("a body in chunks", both.question(nonce, fields: ["Transfer-Encoding: chunked"]) + "7\r\n{\"a\":1}\r\n0\r\n\r\n"),
            ("half a head", String(both.question(nonce).dropLast(9))), ("an expectation", both.question(nonce, fields: ["Expect: tea"])),
            ("HEAD", both.question(nonce, first: "HEAD")), ("PUT", both.question(nonce, first: "PUT")), ("BREW", both.question(nonce, first: "BREW")),
            ("two hosts", both.question(nonce, fields: ["Host: x"])),
        ]
    }

    /// What the route answers, and nobody before it.
    private static func indirect(_ both: SessionsBothWays, _ nonce: String) -> [(String, String)] {
        let server = both.servers.server.text
        return [
            ("HTTP/1.0", both.question(nonce).replacing("HTTP/1.1", with: "HTTP/1.0")),
            ("the last", both.question(nonce, fields: ["Connection: close"])), ("no bytes", both.question(nonce, fields: ["Content-Length: 0"])),
            ("an empty query", both.question(nonce, address: "/servers/\(server)/sessions/?")),
            ("without the slash", both.question(nonce, address: "/servers/\(server)/sessions")),
            ("with more of them", both.question(nonce, address: "//servers/\(server)//sessions/")),
            ("an escape", both.question(nonce, address: "/servers/\(server)/session%73/")),
            ("in absolute form", both.question(nonce, address: "http://ostiary.example/servers/\(server)/sessions/")),
        ]
    }

    @Test(
        "A94 The nonce of one virtual server is nobody's at another, both ways, read or in memory, and each goes on with its own",
        .onBothEngines, arguments: [true, false])
    func otherServer(keepsViews: Bool) async throws {
        try await ServersFixture.run(keepsViews: keepsViews) { servers in
            #expect(servers.service.keepsViews == (keepsViews && !servers.database.isShared))
            let (here, there) = (servers.server, try await servers.makeServer().serverID)
            let (first, second, shared) = (Self.newNonce(), Self.newNonce(), Self.newNonce())
            try await TestPhone(servers).enrol(try servers.nonce(), userID: "alice").logIn(try SessionNonce(first))
            try await TestPhone(servers).enrol(try servers.nonce(), userID: "carol").logIn(try SessionNonce(shared))
            try await servers.logIn("bob", by: second, at: there, reference: 1)
            try await servers.logIn("dora", by: shared, at: there, reference: 2)
            try await SessionsBothWays.run(at: servers) { both in
                let nobody = try await Self.told(both, Self.newNonce(), at: here, "nobody").answer
                #expect(nobody.hasPrefix("HTTP/1.1 200 ") && nobody.hasSuffix(#"{"loggedin":false}"#))
                // The first time nothing is in memory, then all is that may be; of the nonce that both have, one login at a time.
                for _ in 0..<3 {
                    let strangers = [(second, here, "the second's"), (first, there, "the first's"), (Self.newNonce(), there, "unknown")]
                    for (nonce, server, name) in strangers {
                        let stranger = try await Self.told(both, nonce, at: server, name)
                        #expect(stranger.answer == nobody && !stranger.isEarly, "\(name)")
                    }
                    let own = [(first, here, "alice"), (second, there, "bob"), (shared, here, "carol"), (shared, there, "dora")]
                    for (nonce, server, user) in own { try await Self.expectLogin(both, of: user, by: nonce, at: server) }
                }
                try await servers.services.sessions.logOut(try SessionNonce(shared), at: here, by: .backend, now: servers.now)
                #expect(try await Self.told(both, shared, at: here, "over").answer == nobody)
                try await Self.expectLogin(both, of: "dora", by: shared, at: there)
                for log in [both.earlyLog, both.routesLog] {
                    #expect(log.lines("request refused").isEmpty)
                    #expect(![first, second, shared].contains { log.text.contains($0) })
                }
            }
        }
    }

    /// What both ways say of a nonce at a virtual server.
    private static func told(
        _ both: SessionsBothWays, _ nonce: String, at server: ServerID, _ name: String
    ) async throws -> (answer: String, isEarly: Bool) {
        try await expectSame(both, both.question(nonce, address: "/servers/\(server.text)/sessions/"), name)
    }

    private static func expectLogin(_ both: SessionsBothWays, of userID: String, by nonce: String, at server: ServerID) async throws {
        let own = try await told(both, nonce, at: server, userID)
        #expect(own.answer.contains(#""loggedin":true"#) && own.answer.contains("\"userid\":\"\(userID)\""), "\(userID)")
        #expect(own.isEarly == both.servers.database.readsAtOnce, "\(userID)")
    }

    @Test("Between other calls in one piece the answers come in order, and each is that of its own nonce", arguments: [true, false])
    func inOnePiece(keepsViews: Bool) async throws {
        try await ServersFixture.run(keepsViews: keepsViews) { servers in
            let (first, second, third) = (Self.newNonce(), Self.newNonce(), Self.newNonce())
            try await TestPhone(servers).enrol(try servers.nonce(), userID: "alice").logIn(try SessionNonce(first))
            try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob").logIn(try SessionNonce(second))
            try await SessionsBothWays.run(at: servers) { both in
                let row = [first, second, third, first, second].map { both.question($0) }.joined()
                // The third is nobody, which the route looks up.
                let told = try await Self.expectSame(both, row, "five")
                #expect(both.count == 4, "two early answers each time that it was asked")
                let people = told.answer.matches(of: /"userid":"(\w+)"|"loggedin":false/).map { $0.1.map { String($0) } }
                #expect(people == ["alice", "bob", nil, "alice", "bob"])
            }
        }
    }

    @Test("A database that looks nothing up at once leaves every question to the route")
    func otherDatabases() async throws {
        let database: any Database = CountingDatabase(try await SchemaTemplate.authentication.database())
        let pinned = try SomeIdentity(at: TestClock().now)
        struct Answering: SecondFactorTransport {
            let bytes: [UInt8]
            func identity() async throws -> [UInt8] { bytes }
            func call(_ bytes: [UInt8]) async throws -> [UInt8] { throw SecondFactorUnreachable() }
        }
        let node = try await AuthNode(
            .ofTests(pinning: pinned.hash), over: database, secondFactor: Answering(bytes: pinned.bytes), by: TestClock(),
            logger: LogRecorder().logger())
        #expect(node.earlyAnswer == nil)
        #expect(!node.keepsViews)
    }

    @Test(
        "A96 Where other processes write to the database nothing is kept of logins: a node on PostgreSQL reads each, and so does one beside another on a file",
        .onBothEngines)
    func otherWriters() async throws {
        try await ServersFixture.run { servers in
            #expect(servers.service.keepsViews == !servers.database.isShared)
            #expect(servers.database.isShared == (DatabaseEngine.current == .postgresql))
        }
        let folder = try TemporaryFolder()
        let shared = try SQLiteDatabase.open(path: folder.file("as.sqlite"), ownership: .shared)
        try await ServersFixture.run(database: shared) { servers in #expect(!servers.service.keepsViews) }
        try await shared.close()
    }
}
