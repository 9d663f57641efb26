import OstiaryProtocol
import OstiaryResource
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("webNonces, by getSession")
struct WebNonceTests {
    private static let nonce = "q1w2e3r4t5z6u7i8o9p0aQ"
    private static let server = Base64URL.encode([UInt8](repeating: 3, count: 16))
    private static let address = "http://127.0.0.1:8081/servers/\(server)/sessions/"

    private func api(_ change: (inout WebNonceSettings) -> Void = { _ in }, provider: Bool = false) throws -> TestAPI {
        var webNonce = WebNonceSettings(restAddress: "http://127.0.0.1:8081", server: Self.server, apiKey: "key-of-the-api")
        change(&webNonce)
        return try TestAPI { settings in
            settings.webNonce = webNonce
            if !provider { settings.provider = nil }
        }
    }

    private func session(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var session = JSONObject([
            "loggedin": .bool(true), "state": .string("loggedin"), "userid": .string("alice"), "accountid": .string("AAAAAAAAAAAAAAAAAAAAAA"),
            "logintime": .moment(Fixture.now - 100), "authtime": .moment(Fixture.now - 90), "expiresat": .moment(Fixture.now + 60),
            "acr": .string("mfa"), "amr": .strings(["mfa", "pin", "pop"]), "binding": .string("app"),
        ])
        change(&session)
        return session
    }

    private func request(_ nonce: String = WebNonceTests.nonce, field: String = "X-webNonce", target: String = "/timesheets") -> ResourceRequest {
        TestAPI.request(target: target, more: [(field, nonce)])
    }

    @Test("S0-07, S0-09, S1-38 an API asks getSession, and needs nothing else: who it is, and that they are logged in now")
    func good() async throws {
        let api = try api { $0.scopes = ["read:timesheets"] }
        await api.provider.answers(Self.address, session())
        let caller = try await api.verifier.caller(of: request())
        #expect(caller.subject == "alice" && caller.account == "AAAAAAAAAAAAAAAAAAAAAA" && caller.clientID == nil)
        #expect(caller.scopes == ["read:timesheets"] && caller.provedBy == .webNonce && caller.acr == "mfa" && caller.amr == ["mfa", "pin", "pop"])
        #expect(caller.authTime == Fixture.now.seconds - 90 && caller.claims["binding"]?.string == "app")
        let call = try #require(await api.provider.calls.first)
        #expect(call.method == .get && call.body == nil)
        #expect(call.fields.contains { $0.name == "X-nonce" && $0.value == Self.nonce })
        #expect(call.fields.contains { $0.name == "X-apikey" && $0.value == "key-of-the-api" })
        #expect(!call.address.contains(Self.nonce) && !"\(call)".contains(Self.nonce) && !"\(call)".contains("key-of"))
        #expect(await api.provider.calls.count == 1)
    }

    @Test("Without a second factor they showed themself when they logged in")
    func deviceOnly() async throws {
        let api = try api()
        await api.provider.answers(Self.address, session { $0["authtime"] = nil })
        #expect(try await api.verifier.caller(of: request()).authTime == Fixture.now.seconds - 100)
    }

    @Test("Nobody, somebody who is about to be logged in, and what only looks like a yes", arguments: ["open", "claimed", "returning"])
    func nobody(state: String) async throws {
        let api = try api()
        for value in [JSONValue.bool(false), .string("true"), .integer(1), .null] {
            await api.provider.answers(
                Self.address,
                session {
                    $0["loggedin"] = value
                    $0["state"] = .string(state)
                })
            #expect(await api.refusal(of: request()) == .token(.nobodyLoggedIn))
        }
        await api.provider.answers(Self.address, JSONObject(["loggedin": .bool(false)]))
        #expect(await api.refusal(of: request()) == .token(.nobodyLoggedIn))
    }

    @Test("A logout is seen at the next request; what the developer lets it remember is forgotten after as long")
    func stop() async throws {
        let over = JSONObject(["loggedin": .bool(false)])
        let asking = try api()
        await asking.provider.answers(Self.address, session())
        #expect(await asking.refusal(of: request()) == nil)
        await asking.provider.answers(Self.address, over)
        #expect(await asking.refusal(of: request()) == .token(.nobodyLoggedIn))
        let remembering = try api { $0.rememberedFor = 5 }
        await remembering.provider.answers(Self.address, session())
        #expect(await remembering.refusal(of: request()) == nil)
        await remembering.provider.answers(Self.address, over)
        remembering.clock.advance(4)
        #expect(await remembering.refusal(of: request()) == nil)
        #expect(await remembering.provider.calls.count == 1)
        remembering.clock.advance(1)
        #expect(await remembering.refusal(of: request()) == .token(.nobodyLoggedIn))
    }

    @Test("What is remembered is asked about again where the login may have ended by itself")
    func rememberedToTheEnd() async throws {
        let api = try api { $0.rememberedFor = 600 }
        await api.provider.answers(Self.address, session())
        #expect(await api.refusal(of: request()) == nil)
        api.clock.advance(60)
        // The phone answered meanwhile.
        await api.provider.answers(Self.address, session { $0["expiresat"] = .moment(Fixture.now + 120) })
        #expect(await api.refusal(of: request()) == nil)
        #expect(await api.provider.calls.count == 2)
        api.clock.advance(60)
        await api.provider.answers(Self.address, JSONObject(["loggedin": .bool(false)]))
        #expect(await api.refusal(of: request()) == .token(.nobodyLoggedIn))
    }

    @Test("A webNonce comes in its field, never in the address, and never beside a token")
    func places() async throws {
        let token = try Fixture.token()
        let api = try api(provider: true)
        await api.provider.answers(Self.address, session())
        for target in [
            "/timesheets?webnonce=\(Self.nonce)", "/timesheets?a=b&X-webNonce=\(Self.nonce)", "/timesheets?web%4eonce=x", "/t?access_token=x",
        ] {
            #expect(await api.refusal(of: TestAPI.request(target: target)) == .badRequest(.credentialInAddress))
            #expect(await api.refusal(of: request(target: target)) == .badRequest(.credentialInAddress))
        }
        #expect(
            await api.refusal(of: TestAPI.request("Bearer \(token)", more: [("X-webNonce", Self.nonce)]))
                == .badRequest(.severalCredentials))
        #expect(
            await api.refusal(of: TestAPI.request(more: [("X-webNonce", Self.nonce), ("x-webnonce", Self.nonce)])) == .badRequest(.severalCredentials)
        )
        #expect(await api.refusal(of: request(target: "/timesheets?nonce=1&q=access_token")) == nil)
        // Another's field is not looked at.
        #expect(try await TestAPI().refusal(of: request()) == .noCredential)
        let named = try self.api { $0.field = "X-Session" }
        await named.provider.answers(Self.address, session())
        #expect(await named.refusal(of: request(field: "x-session")) == nil)
    }

    @Test("What can be no nonce is sent to nobody", arguments: ["short", "q1w2e3r4t5z6u7i8o9p0a\r\nX: y", "q1w2e3r4t5z6u7i8o9p0aä", ""])
    func badNonce(text: String) async throws {
        let api = try api()
        #expect(await api.refusal(of: request(text)) == .token(.badCharacter))
        #expect(await api.refusal(of: request(String(repeating: "a", count: 129))) == .token(.badCharacter))
        #expect(await api.provider.calls.isEmpty)
    }

    @Test("A server that is away, or does not know this API, is an outage")
    func outages() async throws {
        let api = try api()
        for status in [401, 404, 503] {
            await api.provider.answers(Self.address, CallAnswer(status: status, body: []))
            #expect(await api.refusal(of: request()) == .outage(.status(status)))
        }
        await api.provider.goes()
        #expect(await api.refusal(of: request()) == .outage(.unreachable))
    }

    @Test("Of whom no scope is told, a route may ask that it is a webNonce")
    func policy() async throws {
        let api = try api()
        await api.provider.answers(Self.address, session())
        let caller = try await api.verifier.caller(of: request())
        try api.verifier.check(.any([.scope("read:timesheets"), .provedBy(.webNonce)]), of: caller)
        #expect(throws: ResourceRefusal.forbidden(.init(scopes: ["read:timesheets"]))) {
            try api.verifier.check(.scope("read:timesheets"), of: caller)
        }
    }

    @Test("64 questions may be under way: the next is an outage at once", .timeLimit(.minutes(10)))
    func tooMany() async throws {
        let api = try api()
        await api.provider.answers(Self.address, session())
        await api.provider.holds()
        let callers = (0..<64).map { number in Task { await api.refusal(of: request(Self.nonce + "\(number)")) } }
        while await api.provider.count(Self.address) < 64 { await Task.yield() }
        #expect(await api.refusal(of: request()) == .outage(.tooManyQuestions))
        await api.provider.releases()
        for caller in callers { #expect(await caller.value == nil) }
        #expect(await api.refusal(of: request()) == nil)
    }

    @Test("100 callers with one webNonce before anything is remembered are one question, and all are let in", .timeLimit(.minutes(5)))
    func herd() async throws {
        let api = try api { $0.rememberedFor = 5 }
        await api.provider.answers(Self.address, session())
        await api.provider.holds()
        let callers = (0..<100).map { _ in Task { await api.refusal(of: request()) } }
        while api.looks.count < 100 { await Task.yield() }
        await api.provider.releases()
        for caller in callers { #expect(await caller.value == nil) }
        #expect(await api.provider.calls.count == 1)
    }

    @Test("Where nothing is remembered as many are one question at a time, and leave room for others'", .timeLimit(.minutes(5)))
    func oneAtATime() async throws {
        let api = try api()
        await api.provider.answers(Self.address, session())
        await api.provider.holds()
        let callers = (0..<100).map { _ in Task { await api.refusal(of: request()) } }
        while api.looks.count < 100 { await Task.yield() }
        let other = Task { await api.refusal(of: request(Self.nonce + "2")) }
        while await api.provider.calls.count < 2 { await Task.yield() }
        #expect(await api.provider.calls.count == 2)
        await api.provider.releases()
        for caller in callers + [other] { #expect(await caller.value == nil) }
    }

    @Test("An outage is told to all who asked, and nobody who comes afterwards", .timeLimit(.minutes(5)))
    func sharedOutage() async throws {
        let api = try api { $0.rememberedFor = 5 }
        await api.provider.answers(Self.address, CallAnswer(status: 502, body: []))
        await api.provider.holds()
        let callers = (0..<20).map { _ in Task { await api.refusal(of: request()) } }
        while await api.provider.calls.isEmpty { await Task.yield() }
        let first = try #require(callers.first)
        await api.provider.releases()
        #expect(await first.value == .outage(.status(502)))
        for caller in callers { #expect(await caller.value == .outage(.status(502))) }
        await api.provider.answers(Self.address, session())
        #expect(await api.refusal(of: request()) == nil)
    }

    @Test("An answer that was shared is asked for anew where the login may have ended by itself meanwhile", .timeLimit(.minutes(5)))
    func sharedToTheEnd() async throws {
        let api = try api { $0.rememberedFor = 600 }
        await api.provider.answers(Self.address, session())
        await api.provider.holds()
        let first = Task { await api.refusal(of: request()) }
        while await api.provider.calls.isEmpty { await Task.yield() }
        api.clock.advance(60)
        let second = Task { await api.refusal(of: request()) }
        while api.looks.count < 2 { await Task.yield() }
        await api.provider.releases()
        #expect(await first.value == nil)
        #expect(await second.value == nil)
        #expect(await api.provider.calls.count == 2)
    }
}
