import AuthServer
import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// OpenID Connect CIBA from the client's question to what its tokens are worth, with a phone that has real keys and a real second factor.
@Suite("A client asks a person on their phone", .againWithLostCommits, .timeLimit(.minutes(10)))
struct AskedOnPhoneTests {
    /// A server with Alice's phone, and a client.
    private static func run(
        ping: String? = nil, _ body: @Sendable @escaping (ServersFixture, EnrolledPhone, AskingClient) async throws -> Void
    ) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await body(servers, phone, try await AskingClient(at: servers, ping: ping))
        }
    }

    @Test("A yes with the number that the client shows is tokens, once; the phone is shown who asks, for what, and what the client's screen says")
    func approved() async throws {
        try await Self.run { servers, phone, client in
            let begun = try await client.ask()
            #expect(try await client.poll(begun).error == "authorization_pending")
            let shown = try await phone.showWaiting()
            #expect(shown.screen.relyingParty.clientID == AskingClient.name && shown.screen.relyingParty.name == "Reports")
            #expect(shown.screen.announceInfo.contains { $0.text == "W4-12" } && shown.screen.announceInfo.count == 2)
            try await shown.logIn(number: begun.number)
            servers.clock.advance(5)
            let given = try await client.poll(begun)
            #expect(given.status == 200 && given.json["refresh_token"] == nil && given.json["id_token"]?.string != nil)
            let token = try #require(given.json["access_token"]?.string)
            #expect(try await client.isActive(token))
            // Whoever brings it once more, the first tokens are over: one of the two had no right to it.
            servers.clock.advance(5)
            #expect(try await client.poll(begun).error == "invalid_grant")
            #expect(try await !client.isActive(token))
        }
    }

    /// How a person says no.
    enum Denial: CaseIterable, Sendable {
        case declined, disowned, threeWrongNumbers, blockedBefore, deletedBefore, stoppedSince, blockedSince, deletedSince
    }

    @Test(
        "A no, a third wrong number, a login that was ended since and an account that is no more are access_denied, at every poll",
        arguments: Denial.allCases)
    func denied(_ denial: Denial) async throws {
        try await Self.run { servers, phone, client in
            let begun = try await client.ask("openid offline_access")
            let shown = try await phone.showWaiting()
            switch denial {
            case .declined: #expect(try await shown.send(try shown.decision(.decline)).result == .denied)
            case .disowned: #expect(try await shown.send(try shown.decision(.notMe)).result == .denied)
            case .threeWrongNumbers:
                let attempt = try await shown.proved()
                for step in 1...2 {
                    let wrong = try shown.accepting(attempt, number: try begun.other(by: step))
                    #expect(await servers.refusal { try await shown.send(wrong) } == .numberWrong)
                    #expect(try await client.poll(begun).error == "authorization_pending", "the client does not learn of it")
                    servers.clock.advance(5)
                }
                #expect(try await shown.send(try shown.accepting(attempt, number: try begun.other(by: 3))).result == .denied)
            case .blockedBefore, .deletedBefore: try await Self.lose(phone, deleting: denial == .deletedBefore, at: servers)
            case .stoppedSince, .blockedSince, .deletedSince:
                let session = try #require(try await shown.logIn(number: begun.number).sessionID)
                if denial == .stoppedSince {
                    try await phone.stop(session)
                } else {
                    try await Self.lose(phone, deleting: denial == .deletedSince, at: servers)
                }
            }
            for _ in 0..<2 {
                #expect(try await client.poll(begun).error == "access_denied")
                servers.clock.advance(5)
            }
        }
    }

    /// An operator blocks or deletes the account.
    private static func lose(_ phone: EnrolledPhone, deleting: Bool, at servers: ServersFixture) async throws {
        let accounts = servers.services.accounts
        if deleting {
            try await accounts.delete(phone.account, at: servers.server, by: .backend, now: servers.now)
        } else {
            _ = try await accounts.setBlocked(true, phone.account, at: servers.server, by: .backend, now: servers.now)
        }
    }

    @Test("Where nobody answers, and where nobody is there, the same words: authorization_pending until the end, then expired_token")
    func expired() async throws {
        try await Self.run { servers, phone, client in
            let asked = try await client.ask()
            _ = try await servers.services.accounts.setBlocked(true, phone.account, at: servers.server, by: .backend, now: servers.now)
            let unasked = try await client.ask()
            #expect(asked.number.utf8.count == 3 && unasked.number.utf8.count == 3)
            _ = try await servers.services.accounts.setBlocked(false, phone.account, at: servers.server, by: .backend, now: servers.now)
            #expect(try await phone.fetch().count == 1, "nobody rang for the second")
            servers.clock.advance(300)
            for begun in [asked, unasked] { #expect(try await client.poll(begun).error == "authorization_pending") }
            servers.clock.advance(5)
            for begun in [asked, unasked] { #expect(try await client.poll(begun).error == "expired_token") }
            #expect(try await phone.fetch().isEmpty)
        }
    }

    @Test("Who began to answer in time has three minutes more, in which the client waits; a yes of then is tokens")
    func late() async throws {
        try await Self.run { servers, phone, client in
            let begun = try await client.ask(for: 60)
            let shown = try await phone.showWaiting()
            servers.clock.advance(59)
            _ = try await shown.proved()
            servers.clock.advance(90)
            #expect(try await client.poll(begun).error == "authorization_pending")
            #expect(try await shown.logIn(number: begun.number).result == .loggedIn)
            servers.clock.advance(30)
            #expect(try await client.poll(begun).status == 200)
        }
    }

    @Test("A stop on the phone ends what hangs on the session at once")
    func stopped() async throws {
        try await Self.run { servers, phone, client in
            let begun = try await client.ask()
            let session = try #require(try await phone.showWaiting().logIn(number: begun.number).sessionID)
            let token = try #require(try await client.poll(begun).json["access_token"]?.string)
            #expect(try await client.isActive(token))
            try await phone.stop(session)
            #expect(try await !client.isActive(token))
        }
    }

    @Test("offline_access outlives the session, a stop of it and the phone's silence, and ends with the device")
    func offline() async throws {
        try await Self.run { servers, phone, client in
            let begun = try await client.ask("openid offline_access")
            let session = try #require(try await phone.showWaiting().logIn(number: begun.number).sessionID)
            let refresh = try #require(try await client.poll(begun).json["refresh_token"]?.string)
            try await phone.stop(session)
            servers.clock.advance(3_600)
            let renewed = try await client.refresh(refresh)
            let (token, next) = (renewed.json["access_token"]?.string, renewed.json["refresh_token"]?.string)
            #expect(try await client.isActive(try #require(token)))
            try await servers.services.accounts.delete(phone.account, at: servers.server, by: .backend, now: servers.now)
            #expect(try await client.refresh(try #require(next)).error == "invalid_grant")
            #expect(try await !client.isActive(try #require(token)))
        }
    }

    @Test("A client that is told by ping hears of a yes and of a no after they came, by its own token, and asks then", arguments: [true, false])
    func told(isYes: Bool) async throws {
        let backend = try ListeningBackend()
        try await Self.run(ping: backend.address("/ping")) { servers, phone, client in
            let begun = try await client.ask(told: "token-1")
            await servers.runBackground()
            #expect(backend.calls.isEmpty, "nobody has decided")
            let shown = try await phone.showWaiting()
            if isYes { try await shown.logIn(number: begun.number) } else { _ = try await shown.send(try shown.decision(.decline)) }
            // Once would do, on a machine that is not busy.
            for _ in 0..<5 where backend.calls.isEmpty {
                await servers.runBackground()
                servers.clock.advance(5)
            }
            let call = try #require(backend.calls.first)
            #expect(call.line == "POST /ping HTTP/1.1" && call.fields["authorization"] == "Bearer token-1")
            #expect(try JSONReader.object(Array(call.body.utf8))["auth_req_id"] == .string(begun.requestID))
            #expect(!call.body.contains("number"))
            let answer = try await client.poll(begun)
            #expect(isYes ? answer.status == 200 : answer.error == "access_denied")
        }
    }
}

/// The same over the rows of a file, as an operator has them.
@Suite("What a person said yes to on their phone is not lost, and is given once", .timeLimit(.minutes(10)))
struct AskedOnPhoneOnceTests {
    private static func onFile(_ body: @Sendable @escaping (ServersFixture, EnrolledPhone, AskingClient) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let database = try await SchemaTemplate.authentication.file(folder.file("as.sqlite"))
        try await ServersFixture.run(database: database) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await body(servers, phone, try await AskingClient(at: servers))
        }
        try await database.close()
    }

    @Test("The server ends after the question, and after the yes: another one on its rows gives the tokens")
    func restarted() async throws {
        try await Self.onFile { servers, phone, client in
            let begun = try await client.ask("openid offline_access")
            try await servers.restarted { servers in
                try await phone.at(servers).showWaiting().logIn(number: begun.number)
            }
            try await servers.restarted { servers in
                let given = try await AskingClient(through: servers.phones).poll(begun)
                #expect(given.status == 200 && given.json["refresh_token"]?.string != nil)
            }
        }
    }

    @Test("Of 64 polls at once after a yes one has tokens, and the others end them")
    func parallel() async throws {
        try await Self.onFile { servers, phone, client in
            let begun = try await client.ask()
            try await phone.showWaiting().logIn(number: begun.number)
            let answers = try await withThrowingTaskGroup(of: AskingClient.Answer.self) { group in
                for _ in 0..<64 { group.addTask { try await client.poll(begun) } }
                return try await group.reduce(into: [AskingClient.Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 } == 1 && answers.count { $0.error == "invalid_grant" } == 63)
            let token = try #require(answers.first { $0.status == 200 }?.json["access_token"]?.string)
            #expect(try await !client.isActive(token))
        }
    }

    @Test("The name of a client's question and its secret stand in no line of the log, and the number, right or wrong, in no row")
    func silent() async throws {
        let log = LogRecorder()
        try await ServersFixture.run(log: log) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let client = try await AskingClient(at: servers)
            let begun = try await client.ask()
            let shown = try await phone.showWaiting()
            let attempt = try await shown.proved()
            let wrong = try shown.accepting(attempt, number: try begun.other())
            #expect(await servers.refusal { try await shown.send(wrong) } == .numberWrong)
            #expect(try await shown.send(try shown.accepting(attempt, number: begun.number)).result == .loggedIn)
            #expect(try await client.poll(begun).status == 200)
            #expect(!log.lines.isEmpty)
            for secret in [begun.requestID, AskingClient.secret] { #expect(!log.text.contains(secret)) }
            let texts = try await servers.snapshot().flatMap { $0.split(separator: "\"").map(String.init) }
            let wrongNumber = try begun.other()
            #expect(!texts.contains(begun.number) && !texts.contains(wrongNumber))
        }
    }
}
