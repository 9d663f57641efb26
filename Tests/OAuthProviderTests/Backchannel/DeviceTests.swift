import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("The device flow, RFC 8628")
struct DeviceTests {
    private typealias Fixture = ProviderFixture

    private func begin(_ fixture: ProviderFixture) async throws -> DeviceService.Begun {
        try await fixture.services.devices.begin(
            try fixture.call(["client_id": "mobile", "audience": fixture.timesheets.text, "scope": "openid read:timesheets"]), at: fixture.now)
    }

    private func poll(_ fixture: ProviderFixture, _ code: String, client: String = "mobile") throws -> TokenCall {
        try fixture.call(["grant_type": GrantType.deviceCode.rawValue, "device_code": code, "client_id": client])
    }

    private func approve(_ fixture: ProviderFixture, _ begun: DeviceService.Begun) async throws -> PolledAuthorization? {
        try await fixture.approval.approve(
            SHA(begun.deviceCode.utf8), at: Fixture.server, scopes: Fixture.scope("openid read:timesheets"), session: Fixture.session,
            now: fixture.now)
    }

    @Test("A code on a screen, a person with a phone, and the screen has its tokens", arguments: [false, true])
    func good(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let begun = try await begin(fixture)
        #expect(
            try await fixture.services.devices.waiting(for: begun.userCode, at: Fixture.server, now: fixture.now)?.scopes.text
                == "openid read:timesheets")
        #expect(try await approve(fixture, begun)?.state != .pending)
        let response = try await fixture.answer(poll(fixture, begun.deviceCode))
        #expect(try fixture.claims(response.accessToken).subject == "alice")
        #expect(response.idToken != nil)
        let json = begun.json(verification: "https://login.example/device")
        #expect(json["verification_uri_complete"] == .string("https://login.example/device?user_code=\(begun.userCode.shown)"))
        #expect(json["interval"] == .integer(5))
    }

    @Test("dev_pending, dev_slow_down: a hasty client waits five seconds longer each time")
    func pace() async throws {
        let fixture = try await ProviderFixture()
        let call = try poll(fixture, try await begin(fixture).deviceCode)
        #expect(try await fixture.refusal(of: call) == .pending)
        fixture.clock.advance(3)
        #expect(try await fixture.refusal(of: call) == .slowDown)
        fixture.clock.advance(5)
        #expect(try await fixture.refusal(of: call) == .slowDown)
        fixture.clock.advance(15)
        #expect(try await fixture.refusal(of: call) == .pending)
        #expect(TokenRefusal.pending.code == .authorizationPending && TokenRefusal.slowDown.code == .slowDown)
    }

    @Test("A71: a client that asks too often has a yes for no longer than a minute more by it", arguments: [UInt64(0), 1])
    func hasty(late: UInt64) async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        let call = try poll(fixture, begun.deviceCode)
        #expect(try await fixture.refusal(of: call) == .pending)
        for _ in 0..<40 { #expect(try await fixture.refusal(of: call) == .slowDown) }
        _ = try await approve(fixture, begun)
        fixture.clock.advance(PolledAuthorization.deviceLife + 120 + late)
        #expect(try await fixture.refusal(of: call) == (late == 0 ? nil : .polledExpired))
    }

    @Test("dev_expired, dev_denied")
    func ends() async throws {
        let fixture = try await ProviderFixture()
        let (denied, late) = (try await begin(fixture), try await begin(fixture))
        #expect(
            try await fixture.approval.deny(SHA(denied.deviceCode.utf8), at: Fixture.server, account: Fixture.alice, now: fixture.now)?.state
                == .denied)
        #expect(try await fixture.refusal(of: poll(fixture, denied.deviceCode)) == .denied)
        #expect(try await approve(fixture, denied) == nil)
        fixture.clock.advance(601)
        #expect(try await fixture.refusal(of: poll(fixture, late.deviceCode)) == .polledExpired)
        #expect(try await approve(fixture, late) == nil)
        #expect(try await fixture.services.devices.waiting(for: late.userCode, at: Fixture.server, now: fixture.now) == nil)
        #expect(TokenRefusal.polledExpired.code == .expiredToken && TokenRefusal.denied.code == .accessDenied)
    }

    @Test("dev_other_client: another client's question spends nothing")
    func otherClient() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        _ = try await approve(fixture, begun)
        let other = try fixture.call(["grant_type": GrantType.deviceCode.rawValue, "device_code": begun.deviceCode], authorization: [Fixture.basic])
        #expect(try await fixture.refusal(of: other) == .polledOfAnother)
        #expect(try await fixture.refusal(of: poll(fixture, begun.deviceCode)) == nil)
        #expect(try await fixture.refusal(of: poll(fixture, "unknown")) == .polledUnknown)
    }

    @Test("A screen that names another API when it asks for its tokens gets none, and spends nothing")
    func otherTarget() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        _ = try await approve(fixture, begun)
        let call = try fixture.call([
            "grant_type": GrantType.deviceCode.rawValue, "device_code": begun.deviceCode, "client_id": "mobile", "resource": "https://other.example",
        ])
        #expect(try await fixture.refusal(of: call) == .targetUnknown)
        #expect(try await fixture.refusal(of: poll(fixture, begun.deviceCode)) == nil)
    }

    @Test("dev_code_used_twice: what the first one gave is over", arguments: [false, true])
    func twice(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let begun = try await begin(fixture)
        _ = try await approve(fixture, begun)
        let response = try await fixture.answer(poll(fixture, begun.deviceCode))
        #expect(fixture.memory.audit.isEmpty)
        for _ in 0..<3 { #expect(try await fixture.refusal(of: poll(fixture, begun.deviceCode)) == .polledSpent) }
        #expect(fixture.memory.audit == [fixture.endedByReuse])
        #expect(try await fixture.facts(of: response.accessToken) == .inactive)
    }

    @Test("The poll that won and did not hear of it has its tokens, also when another one came in between")
    func secondPollInBetween() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        _ = try await approve(fixture, begun)
        let call = try poll(fixture, begun.deviceCode)
        let services = fixture.services(interruptedBy: { () async throws in #expect(try await fixture.refusal(of: call) == .polledSpent) })
        let response = try await services.token.answer(call, at: fixture.now)
        #expect(try fixture.claims(response.accessToken).subject == "alice")
        #expect(try await fixture.facts(of: response.accessToken) == .inactive)
    }

    @Test("A person who said yes and whose phone did not hear of it has said yes, also when the client was quicker")
    func fetchedInBetween() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        let call = try poll(fixture, begun.deviceCode)
        let services = fixture.services(interruptedBy: { _ = try await fixture.answer(call) })
        let approved = try await services.approval.approve(
            SHA(begun.deviceCode.utf8), at: Fixture.server, scopes: Fixture.scope("openid read:timesheets"), session: Fixture.session,
            now: fixture.now)
        #expect(approved?.grant != nil)
    }

    @Test("qr_two_phones_one_winner: the second to decide finds it decided")
    func twoPhones() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        #expect(try await approve(fixture, begun) != nil)
        #expect(try await approve(fixture, begun) == nil)
        #expect(try await fixture.approval.deny(SHA(begun.deviceCode.utf8), at: Fixture.server, account: Fixture.alice, now: fixture.now) == nil)
    }

    @Test("Nobody who is not logged in decides, and neither does somebody who may not log in any more")
    func nobody() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        fixture.memory.block(Fixture.alice, at: fixture.now)
        await #expect(throws: AuthorizeRefusal.loginRequired) { try await approve(fixture, begun) }
        fixture.logIn(nil)
        await #expect(throws: AuthorizeRefusal.loginRequired) { try await approve(fixture, begun) }
    }

    @Test("A person may give less than was asked for, and never more")
    func less() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        _ = try await fixture.approval.approve(
            SHA(begun.deviceCode.utf8), at: Fixture.server, scopes: Fixture.scope("openid create:timesheets offline_access"),
            session: Fixture.session, now: fixture.now)
        #expect(try await fixture.answer(poll(fixture, begun.deviceCode)).scopes.text == "openid")
    }

    @Test("Nothing of what was asked for is no approval: the code would be spent for nothing")
    func nothing() async throws {
        let fixture = try await ProviderFixture()
        let begun = try await begin(fixture)
        for scopes in [Fixture.scope("create:timesheets"), []] {
            await #expect(throws: AuthorizeRefusal.nothingToGrant) {
                try await fixture.approval.approve(
                    SHA(begun.deviceCode.utf8), at: Fixture.server, scopes: scopes, session: Fixture.session, now: fixture.now)
            }
        }
        #expect(try await fixture.refusal(of: poll(fixture, begun.deviceCode)) == .pending)
        #expect(try await approve(fixture, begun) != nil)
    }

    @Test("A user code is typed in any case, with spaces and hyphens, and is nothing else")
    func typing() async throws {
        let fixture = try await ProviderFixture()
        let code = try await begin(fixture).userCode
        let shown = code.shown
        #expect(shown.count == 9 && shown.dropFirst(4).first == "-")
        for text in [shown, shown.lowercased(), shown.replacing("-", with: " "), " \(shown.replacing("-", with: ""))"] {
            #expect(UserCode(typed: text)?.hash == code.hash)
        }
        for text in ["", "ABCD-EFGH", "BCDF-GHJ", "BCDF-GHJKL", "<script>", String(repeating: "B", count: 100), "ＢCDF-GHJK"] {
            #expect(UserCode(typed: text) == nil)
        }
        #expect("\(code)" == "‹secret›")
    }

    @Test("No letter of a user code is likelier than another by more than chance")
    func letters() {
        let random = SeededRandom("user codes")
        var counts: [Character: Int] = [:]
        for _ in 0..<2_000 {
            for letter in UserCode(using: random).shown where letter != "-" { counts[letter, default: 0] += 1 }
        }
        // 800 of each are expected, with a deviation of 28.
        #expect(counts.count == 20)
        #expect(counts.values.allSatisfy { (660...940).contains($0) })
    }

    @Test("Agreed is to what was shown: what an operator writes of client or API in between has the person asked again", arguments: [false, true])
    func shown(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let begun = try await begin(fixture)
        let hash = SHA(begun.deviceCode.utf8)
        func question() async throws -> PolledQuestion {
            try #require(try await fixture.approval.question(hash, at: Fixture.server, now: fixture.now))
        }
        func approve(_ shown: PolledQuestion) async throws -> Bool {
            try await fixture.approval.approve(
                hash, at: Fixture.server, scopes: Fixture.scope("openid read:timesheets"), session: Fixture.session, shown: shown, now: fixture.now)
                != nil
        }
        let (first, timesheets) = (try await question(), fixture.timesheets)
        try await fixture.store.write { rows in
            var api = try #require(try rows.api(timesheets, of: Fixture.server))
            api.scopes = api.scopes.map { APIScope($0.scope, words: "read everything") }
            try rows.save(api)
        }
        await #expect(throws: AuthorizationRequestChanged()) { try await approve(first) }
        let second = try await question()
        try await fixture.change("mobile") { $0.name = "Bank" }
        await #expect(throws: AuthorizationRequestChanged()) { try await approve(second) }
        #expect(try await approve(try await question()))
    }

    @Test("dev_user_code_bruteforce_locked: five wrong codes in five minutes, then none of that place; others and right ones go on")
    func tries() async throws {
        let fixture = try await ProviderFixture()
        let (services, begun) = (fixture.services, try await begin(fixture))
        let (here, elsewhere) = (CallPlace("192.0.2.1"), CallPlace("192.0.2.2"))
        let wrong = begun.userCode.shown == "BBBB-BBBB" ? "CCCC-CCCC" : "BBBB-BBBB"
        func type(_ text: String, _ place: CallPlace) async throws -> Bool {
            try await services.devices.waiting(forTyped: text, from: place, at: Fixture.server, now: fixture.now) != nil
        }
        for _ in 0..<5 {
            for _ in 0..<6 {
                #expect(try await type(begun.userCode.shown, here))
                #expect(try await !type("no code", here))
            }
            #expect(try await !type(wrong, here))
            fixture.clock.advance(10)
        }
        // The first of them was fifty seconds ago.
        for text in [begun.userCode.shown, "no code"] {
            await #expect(throws: UserCodesLocked(seconds: 250)) { try await type(text, here) }
        }
        #expect(try await type(begun.userCode.shown, elsewhere))
        fixture.clock.advance(250)
        #expect(try await !type(wrong, here))
        await #expect(throws: UserCodesLocked(seconds: 10)) { try await type(begun.userCode.shown, here) }
    }

    @Test("A code that ran out undecided leads nowhere, however often it is typed, and counts for no guess, by whatever clock")
    func overIsNoGuess() async throws {
        let fixture = try await ProviderFixture()
        let (services, place) = (fixture.services, CallPlace("192.0.2.1"))
        func type(_ code: UserCode, at now: Instant) async throws -> Bool {
            try await services.devices.waiting(forTyped: code.shown, from: place, at: Fixture.server, now: now) != nil
        }
        let first = try await begin(fixture)
        for _ in 0..<6 { #expect(try await !type(first.userCode, at: fixture.now + 864_000)) }
        #expect(try await type(first.userCode, at: fixture.now))
        fixture.clock.advance(PolledAuthorization.deviceLife + 1)
        for _ in 0..<6 { #expect(try await !type(first.userCode, at: fixture.now)) }
        let second = try await begin(fixture)
        #expect(try await type(second.userCode, at: fixture.now))
    }

    @Test("dev_user_code_bruteforce_parallel: of 64 wrong codes at once from one place five are looked for")
    func parallelTries() async throws {
        let fixture = try await ProviderFixture()
        let (services, begun) = (fixture.services, try await begin(fixture))
        let wrong = begun.userCode.shown == "BBBB-BBBB" ? "CCCC-CCCC" : "BBBB-BBBB"
        let looked = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    do {
                        let place = CallPlace("192.0.2.1")
                        return try await services.devices.waiting(forTyped: wrong, from: place, at: Fixture.server, now: fixture.now) == nil
                    } catch { return false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(looked == 5)
    }

    @Test("The client asks what it may, with a grant type that it has")
    func refused() async throws {
        let fixture = try await ProviderFixture()
        await #expect(throws: TokenRefusal.nothingGranted) {
            try await fixture.services.devices.begin(try fixture.call(["client_id": "mobile", "scope": "batch:upload"]), at: fixture.now)
        }
        await #expect(throws: TokenRefusal.targetUnknown) {
            try await fixture.services.devices.begin(try fixture.call(["client_id": "mobile", "audience": "https://other.example"]), at: fixture.now)
        }
        await #expect(throws: TokenRefusal.grantTypeNotAllowed) {
            try await fixture.services.devices.begin(try fixture.call([:], authorization: [Fixture.batchBasic]), at: fixture.now)
        }
    }
}
