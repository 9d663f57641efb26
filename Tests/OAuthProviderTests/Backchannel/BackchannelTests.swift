import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@Suite("CIBA")
struct BackchannelTests {
    private typealias Fixture = ProviderFixture

    private func call(_ fixture: ProviderFixture, _ changes: KeyValuePairs<String, String?> = [:]) throws -> TokenCall {
        let parameters = [
            Parameter("login_hint", "alice"), Parameter("scope", "openid read:timesheets"), Parameter("audience", fixture.timesheets.text),
            Parameter("binding_message", "W4-SCQ"),
        ]
        return try Fixture.post(
            parameters.changed(changes), authorization: [Fixture.basic], address: "https://login.example/oauth/bc-authorize")
    }

    private func begin(_ fixture: ProviderFixture, _ changes: KeyValuePairs<String, String?> = [:]) async throws -> BackchannelService.Begun {
        try await fixture.services.backchannel.begin(try call(fixture, changes), at: fixture.now)
    }

    private func refusal(_ changes: KeyValuePairs<String, String?>) async throws -> BackchannelRefusal? {
        let fixture = try await ProviderFixture()
        do { _ = try await begin(fixture, changes) } catch let refusal as BackchannelRefusal { return refusal }
        return nil
    }

    private func poll(_ fixture: ProviderFixture, _ id: String) throws -> TokenCall {
        try fixture.call(["grant_type": GrantType.backchannel.rawValue, "auth_req_id": id], authorization: [Fixture.basic])
    }

    private func approve(
        _ fixture: ProviderFixture, _ begun: BackchannelService.Begun, by login: Login? = nil
    ) async throws -> PolledAuthorization? {
        fixture.logIn(login ?? Fixture.login(at: fixture.now))
        return try await fixture.approval.approve(
            begun.authorization.hash, at: Fixture.server, scopes: begun.authorization.scopes, session: Fixture.session, now: fixture.now)
    }

    @Test("A client asks a person on their phone, and has tokens when they say yes", arguments: [false, true])
    func good(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let begun = try await begin(fixture)
        #expect(begun.rings)
        // Kept, for whichever node the phone asks what waits for it.
        let waiting = try await fixture.store.read { rows in try rows.polled(hash: begun.authorization.hash, of: Fixture.server) }
        #expect(waiting?.bindingMessage == "W4-SCQ")
        #expect(begun.answer["interval"] == .integer(5) && begun.answer["expires_in"] == .integer(300))
        #expect(try await fixture.refusal(of: poll(fixture, begun.requestID)) == .pending)
        fixture.clock.advance(5)
        #expect(try await approve(fixture, begun) != nil)
        fixture.clock.advance(5)
        let response = try await fixture.answer(poll(fixture, begun.requestID))
        #expect(try fixture.claims(response.accessToken).subject == "alice" && response.idToken != nil)
    }

    @Test("ciba_user_rejects, ciba_auth_req_id_expired, ciba_poll_too_fast")
    func ends() async throws {
        let fixture = try await ProviderFixture()
        let (denied, late) = (try await begin(fixture), try await begin(fixture))
        _ = try await fixture.approval.deny(denied.authorization.hash, at: Fixture.server, account: Fixture.alice, now: fixture.now)
        #expect(try await fixture.refusal(of: poll(fixture, denied.requestID)) == .denied)
        #expect(try await fixture.refusal(of: poll(fixture, late.requestID)) == .pending)
        #expect(try await fixture.refusal(of: poll(fixture, late.requestID)) == .slowDown)
        fixture.clock.advance(301)
        #expect(try await fixture.refusal(of: poll(fixture, late.requestID)) == .polledExpired)
    }

    @Test("Nobody but the person who was asked decides")
    func otherPerson() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        #expect(try await approve(fixture, begun, by: Fixture.login(Fixture.manager, at: fixture.now)) == nil)
        #expect(try await fixture.approval.deny(begun.authorization.hash, at: Fixture.server, account: Fixture.manager, now: fixture.now) == nil)
        #expect(try await approve(fixture, begun) != nil)
    }

    @Test("A login of before, and one that is weaker than the client asks, decide nothing")
    func weakLogin() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture, ["acr_values": "mfa"])
        await #expect(throws: AuthorizeRefusal.loginRequired) {
            try await approve(fixture, begun, by: Fixture.login(at: fixture.now - 1))
        }
        await #expect(throws: AuthorizeRefusal.requirementsUnmet) {
            try await approve(fixture, begun, by: Fixture.login(at: fixture.now, methods: []))
        }
        #expect(try await approve(fixture, begun) != nil)
    }

    @Test("ciba_auth_req_id_other_client, and a device code is no auth_req_id")
    func otherClient() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        _ = try await approve(fixture, begun)
        try await fixture.change("mobile") { $0.grantTypes.insert(.backchannel) }
        let other = try fixture.call(["grant_type": GrantType.backchannel.rawValue, "auth_req_id": begun.requestID, "client_id": "mobile"])
        #expect(try await fixture.refusal(of: other) == .polledOfAnother)
        let asDevice = try fixture.call(
            ["grant_type": GrantType.deviceCode.rawValue, "device_code": begun.requestID], authorization: [Fixture.basic])
        #expect(try await fixture.refusal(of: asDevice) == .polledUnknown)
        #expect(try await fixture.refusal(of: poll(fixture, begun.requestID)) == nil)
    }

    @Test("ciba_consumed_twice_revokes")
    func twice() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        _ = try await approve(fixture, begun)
        let response = try await fixture.answer(poll(fixture, begun.requestID))
        #expect(try await fixture.refusal(of: poll(fixture, begun.requestID)) == .polledSpent)
        #expect(try await fixture.facts(of: response.accessToken) == .inactive)
    }

    @Test("ciba_two_hints, ciba_no_hint, and the hints that there are not")
    func hints() async throws {
        #expect(try await refusal(["login_hint": nil]) == .hintMissing)
        #expect(try await refusal(["id_token_hint": "x"]) == .hintsSeveral)
        #expect(try await refusal(["login_hint": nil, "login_hint_token": "x"]) == .hintNotSupported)
        #expect(try await refusal(["login_hint": nil, "id_token_hint": "x"]) == .hintWrong)
        let fixture = try await ProviderFixture()
        let own = try await fixture.webIDToken()
        #expect(try await begin(fixture, ["login_hint": nil, "id_token_hint": own]).authorization.way == .backchannel(Fixture.alice))
        // §7.1: previously issued to this client.
        let others = try await fixture.tokens().idToken
        await #expect(throws: BackchannelRefusal.hintWrong) { try await begin(fixture, ["login_hint": nil, "id_token_hint": others]) }
    }

    @Test("ciba_unknown_user_no_enumeration: a client is answered the same for somebody whom nobody knows, and no phone rings")
    func unknownUser() async throws {
        let fixture = try await ProviderFixture()
        let (known, unknown) = (try await begin(fixture), try await begin(fixture, ["login_hint": "nobody"]))
        #expect(known.answer.names == unknown.answer.names)
        #expect(known.answer["expires_in"] == unknown.answer["expires_in"])
        #expect(known.requestID.utf8.count == unknown.requestID.utf8.count)
        #expect(!unknown.rings)
        #expect(try await fixture.refusal(of: poll(fixture, unknown.requestID)) == .pending)
        #expect(try await approve(fixture, unknown) == nil)
    }

    @Test("ciba_binding_message_long_or_emoji: 64 characters on one line, and what stands there is shown as it is")
    func bindingMessages() async throws {
        // A message of blanks is none, and the person would compare it with nothing.
        let blanks = ["   ", "\u{00A0}\u{2003}", "\u{200B}", "\u{2800}", "\u{0301}\u{20DD}"]
        for text in [String(repeating: "a", count: 65), "two\nlines", "turned \u{202E}around", String(repeating: "é", count: 65)] + blanks {
            #expect(try await refusal(["binding_message": text]) == .bindingMessageWrong)
        }
        for text in [String(repeating: "a", count: 64), "Zahlung 12,50 €", "👍 W4", String(repeating: "é", count: 64)] {
            #expect(try await refusal(["binding_message": text]) == nil)
        }
        #expect(BackchannelRefusal.bindingMessageWrong.code == .invalidBindingMessage)
    }

    @Test("ciba_requested_expiry_as_string_ok: a positive number, at most the five minutes of a login")
    func expiry() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await begin(fixture, ["requested_expiry": "120"]).request.life == 120)
        #expect(try await begin(fixture, ["requested_expiry": "259200"]).request.life == 300)
        for text in ["0", "-1", "1.5", "soon"] { #expect(try await refusal(["requested_expiry": text]) == .expiryWrong) }
    }

    @Test("Without openid, with a user code, or by a public client nobody is asked")
    func refused() async throws {
        #expect(try await refusal(["scope": "read:timesheets"]) == .scopeWithoutOpenID)
        #expect(try await refusal(["scope": nil]) == .scopeWithoutOpenID)
        #expect(try await refusal(["user_code": "1234"]) == .userCodeNotSupported)
        // Request objects are refused as such, whoever signed them, missing_aud, exp_70min and alg_none alike.
        #expect(try await refusal(["request": "e30.e30."]) == .requestObject)
        let fixture = try await ProviderFixture()
        try await fixture.change("mobile") {
            $0.grantTypes.insert(.backchannel)
            $0.backchannel = .poll
        }
        await #expect(throws: TokenRefusal.publicClient) {
            try await fixture.services.backchannel.begin(
                try fixture.call(["client_id": "mobile", "login_hint": "alice", "scope": "openid"]), at: fixture.now)
        }
    }

    @Test("A client that is told by ping says by what token it knows the call")
    func notificationToken() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("web") { $0.backchannel = .ping("https://reports.example/ping") }
        await #expect(throws: BackchannelRefusal.notificationTokenMissing) { try await begin(fixture) }
        await #expect(throws: BackchannelRefusal.notificationTokenWrong) { try await begin(fixture, ["client_notification_token": "a b"]) }
        let begun = try await begin(fixture, ["client_notification_token": "8d67dc78-7faa-4d41-aabd-67707b374255"])
        #expect(begun.request.notification.map { "\($0.token)" } == "‹secret›")
        #expect(begun.authorization.notification.map { "\($0.token) \($0.requestID)" } == "‹secret› ‹secret›")
    }

    /// A client that answers as it is told, and keeps what it heard.
    private final class Listener: PingGateway {
        private let state: Mutex<(statuses: [Int?], heard: [String])>

        init(_ statuses: [Int?]) { state = Mutex((statuses, [])) }

        var heard: [String] { state.withLock { $0.heard } }

        func ping(_ body: JSONObject, token: PresentedSecret, at address: String) async -> Int? {
            state.withLock { state in
                state.heard.append("\(address) \(token.text) \(String(decoding: body.encoded, as: UTF8.self))")
                return state.statuses.isEmpty ? 204 : state.statuses.removeFirst()
            }
        }
    }

    @Test("A client is told when its person decided, with its own token, until it hears or refuses; and nothing before")
    func pinged() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("web") { $0.backchannel = .ping("https://reports.example/ping") }
        let begun = try await begin(fixture, ["client_notification_token": "token-1"])
        let listener = Listener([503, nil])
        let service = fixture.services.pings(through: listener)
        #expect(try await service.run(at: fixture.now) == 0)
        #expect(listener.heard.isEmpty)
        _ = try await approve(fixture, begun)
        for expected in [0, 0, 1, 0] {
            #expect(try await service.run(at: fixture.now) == expected)
            fixture.clock.advance(10)
        }
        #expect(listener.heard == Array(repeating: #"https://reports.example/ping token-1 {"auth_req_id":"\#(begun.requestID)"}"#, count: 3))
        let refusing = Listener([401])
        let denied = try await begin(fixture, ["client_notification_token": "token-1"])
        _ = try await fixture.approval.deny(denied.authorization.hash, at: Fixture.server, account: Fixture.alice, now: fixture.now)
        for _ in 0..<3 { _ = try await fixture.services.pings(through: refusing).run(at: fixture.now) }
        #expect(refusing.heard.count == 1)
    }

    @Test(
        "A client that is told by ping and asks at once has its tokens, though it asked a moment before; one that polls is told to slow down",
        arguments: [true, false])
    func askedAtOnce(isPinged: Bool) async throws {
        let fixture = try await ProviderFixture()
        if isPinged { try await fixture.change("web") { $0.backchannel = .ping("https://reports.example/ping") } }
        let begun = try await begin(fixture, isPinged ? ["client_notification_token": "token-1"] : [:])
        #expect(try await fixture.refusal(of: poll(fixture, begun.requestID)) == .pending)
        // Before there is anything to tell, the pace is that of everybody.
        #expect(try await fixture.refusal(of: poll(fixture, begun.requestID)) == .slowDown)
        _ = try await approve(fixture, begun)
        let listener = Listener([])
        #expect(try await fixture.services.pings(through: listener).run(at: fixture.now) == (isPinged ? 1 : 0))
        guard isPinged else {
            #expect(try await fixture.refusal(of: poll(fixture, begun.requestID)) == .slowDown)
            return
        }
        #expect(listener.heard.count == 1)
        #expect(try await fixture.answer(poll(fixture, begun.requestID)).idToken != nil)
        #expect(try await fixture.refusal(of: poll(fixture, begun.requestID)) == .polledSpent)
    }

    @Test("ciba_bulk_push_rate_limited: three unanswered in a quarter of an hour, five unwanted in a day, then no phone rings")
    func limits() async throws {
        let fixture = try await ProviderFixture()
        for _ in 0..<3 { #expect(try await begin(fixture).rings) }
        #expect(try await !begin(fixture).rings)
        fixture.clock.advance(901)
        #expect(try await begin(fixture).rings)
        // Five of today, whether or not they rang.
        #expect(try await !begin(fixture).rings)
        fixture.clock.advance(86_400)
        let wanted = try await begin(fixture)
        #expect(wanted.rings)
        // What was approved was wanted, and counts for nothing.
        _ = try await approve(fixture, wanted)
        for _ in 0..<3 { #expect(try await begin(fixture).rings) }
        #expect(try await begin(fixture, ["login_hint": "mary"]).rings)
    }

    @Test("ciba_bulk_push_rate_limited: a client that asks somebody without end silences no other client")
    func limitsOfOneClient() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("batch") {
            var bank = Application(id: $0.id, server: $0.server, kind: .web, name: "Bank", authentication: .basic)
            bank.secrets = $0.secrets
            bank.apis = $0.apis
            bank.grantTypes = [.backchannel]
            bank.backchannel = .poll
            $0 = bank
        }
        for _ in 0..<9 { _ = try await begin(fixture) }
        #expect(try await !begin(fixture).rings)
        let other = try Fixture.post(
            [Parameter("login_hint", "alice"), Parameter("scope", "openid")], authorization: [Fixture.batchBasic],
            address: "https://login.example/oauth/bc-authorize")
        #expect(try await fixture.services.backchannel.begin(other, at: fixture.now).rings)
    }

    @Test("A yes of the last moment waits a minute for its client, and its ping is sent; a no and no answer are over, and nobody says yes later")
    func lateYes() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("web") { $0.backchannel = .ping("https://reports.example/ping") }
        let changes: KeyValuePairs<String, String?> = ["client_notification_token": "token-1"]
        let (early, late, silent) = (try await begin(fixture, changes), try await begin(fixture, changes), try await begin(fixture, changes))
        fixture.clock.advance(300)
        for begun in [early, late] { #expect(try await approve(fixture, begun) != nil) }
        fixture.clock.advance(65)
        #expect(try await approve(fixture, silent) == nil)
        #expect(try await fixture.refusal(of: poll(fixture, silent.requestID)) == .polledExpired)
        let listener = Listener([])
        #expect(try await fixture.services.pings(through: listener).run(at: fixture.now) == 2)
        #expect(try await fixture.refusal(of: poll(fixture, early.requestID)) == nil)
        fixture.clock.advance(1)
        #expect(try await fixture.refusal(of: poll(fixture, late.requestID)) == .polledExpired)
    }

    @Test("ciba_ping_401, 403, redirect_not_followed, no_retry_on_401: only a client that was not there is told again")
    func pings() {
        for status in [200, 204] { #expect(DeliveryVerdict(status: status) == .delivered) }
        for status in [301, 302, 307, 400, 401, 403, 404] { #expect(DeliveryVerdict(status: status) == .givenUp) }
        for status in [500, 503, nil] { #expect(DeliveryVerdict(status: status) == .retry) }
    }
}

extension BackchannelService.Begun {
    /// What the client is answered, with a number of any key.
    fileprivate var answer: JSONObject { json(SessionDerivation(sidKey: []).number(of: session)) }
}
