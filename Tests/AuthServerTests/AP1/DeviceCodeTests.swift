import AuthServer
import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// The device flow (RFC 8628) from the code on a screen to the tokens, with a phone that has real keys and a real second factor.
@Suite("A phone scans what a device shows (protocol §6)", .againWithLostCommits, .timeLimit(.minutes(10)))
struct DeviceCodeTests {
    private static func approval(_ servers: ServersFixture) -> PolledApproval { servers.service.provider.approval }

    @Test("The phone shows who asks, for what, and the code; a yes is tokens, once, and says no more of the login than what happened")
    func approved() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            #expect(try await device.poll(begun).error == "authorization_pending")
            let brought = try await phone.bring(begun.uri)
            #expect(brought.expiresAt == servers.now + 600)
            let shown = try await phone.scan(brought.link, via: .link)
            let screen = shown.screen
            #expect(screen.browser.binding == .unboundLink && !screen.needsNumber && screen.accountMark == nil && screen.returnURL.isEmpty)
            #expect(screen.relyingParty.clientID == ShowingDevice.name && screen.relyingParty.name == "Television")
            #expect(screen.announceInfo.map(\.text) == [begun.userCode, "know who you are; see your name and picture"])
            let answer = try await shown.logInByPIN()
            #expect(answer.result == .loggedIn && answer.webNonce == nil && answer.returnCode == nil)
            servers.clock.advance(10)
            let given = try await device.poll(begun)
            #expect(given.status == 200 && given.json["refresh_token"] == nil)
            #expect(given.login["sub"]?.string == "alice" && given.login["acr"]?.string == "mfa")
            #expect(try await phone.ping(try #require(answer.sessionID)).state == .loggedIn)
            // Whoever brings the code once more finds nobody who waits, on the phone and on the page, and a second poll takes all back.
            #expect(await servers.refusal { try await phone.bring(begun.uri) } == .sessionUnknown)
            #expect(try await device.poll(begun).error == "invalid_grant")
        }
    }

    @Test("Where no second factor is asked the device is told so: its login is as strong as the device key, and no stronger")
    func weak() async throws {
        try await ShowingDevice.run { servers, phone, device in
            try await servers.update { $0.pinTimeout = -1 }
            let begun = try await device.begin()
            let shown = try await phone.show(begun)
            #expect(try await shown.send(try shown.decision()).result == .loggedIn)
            #expect(try await device.poll(begun).login["acr"]?.string == "sf")
        }
    }

    /// How a person says no.
    enum Denial: CaseIterable, Sendable {
        case declined, disowned, stoppedSince, blockedSince
    }

    @Test("A no, and a login that was ended before the device asked, is access_denied at every poll", arguments: Denial.allCases)
    func denied(_ denial: Denial) async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            let shown = try await phone.show(begun)
            switch denial {
            case .declined: #expect(try await shown.send(try shown.decision(.decline)).result == .denied)
            case .disowned: #expect(try await shown.send(try shown.decision(.notMe)).result == .denied)
            case .stoppedSince: try await phone.stop(try #require(try await shown.logInByPIN().sessionID))
            case .blockedSince:
                try await shown.logInByPIN()
                _ = try await servers.services.accounts.setBlocked(true, phone.account, at: servers.server, by: .backend, now: servers.now)
            }
            for _ in 0..<2 {
                #expect(try await device.poll(begun).error == "access_denied")
                servers.clock.advance(5)
            }
        }
    }

    @Test("A code that ran out is brought by nobody; who began in its last second may end it, and meanwhile the device waits")
    func expired() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let (left, claimed) = (try await device.begin(), try await device.begin())
            servers.clock.advance(590)
            let (open, taken) = (try await phone.show(left), try await phone.show(claimed))
            #expect(taken.screen.expiresAt == servers.now + 10, "the code ends before a session would")
            servers.clock.advance(10)
            let attempt = try await taken.proved()
            servers.clock.advance(1)
            #expect(await servers.refusal { try await phone.bring(left.uri) } == .sessionUnknown)
            #expect(await servers.refusal { try await open.proved() } == .sessionOver)
            #expect(try await device.poll(left).error == "expired_token")
            #expect(try await device.poll(claimed).error == "authorization_pending")
            servers.clock.advance(60)
            let yes = try taken.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            #expect(try await taken.send(yes).result == .loggedIn)
            #expect(try await device.poll(claimed).status == 200)
        }
    }

    @Test("qr_two_phones_one_winner: two phones are shown one login; who claims it decides, and the other hears that it is taken")
    func twoPhones() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let bob = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let begun = try await device.begin()
            let (first, second) = (try await phone.show(begun), try await bob.show(begun))
            #expect(first.screen.sessionID == second.screen.sessionID)
            let attempt = try await second.proved()
            #expect(await servers.refusal { try await first.proved() } == .sessionTaken)
            #expect(await servers.refusal { try await first.send(try first.decision(.decline)) } == .sessionTaken)
            #expect(await servers.refusal { try await phone.bring(begun.uri) } == .sessionTaken)
            let yes = try second.decision(attempt: attempt.id, method: .pin, proof: try bob.phone.prove(attempt))
            #expect(try await second.send(yes).result == .loggedIn)
            #expect(try await device.poll(begun).login["sub"]?.string == "bob")
        }
    }

    @Test("Of eight phones that bring one code and say yes in the same moment one is logged in")
    func atOnce() async throws {
        try await ShowingDevice.run { servers, _, device in
            var phones: [EnrolledPhone] = []
            for number in 0..<8 { phones.append(try await TestPhone(servers).enrol(try servers.nonce(), userID: "person-\(number)")) }
            try await servers.update { $0.pinTimeout = -1 }
            let begun = try await device.begin()
            var shown: [ShownLogin] = []
            for phone in phones { shown.append(try await phone.show(begun)) }
            let outcomes = await withTaskGroup(of: Bool?.self) { group in
                for login in shown {
                    group.addTask {
                        do { return try await login.send(try login.decision()).result == .loggedIn } catch {
                            return error as? Status == .sessionTaken ? false : nil
                        }
                    }
                }
                return await group.reduce(into: [Bool?]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == true } == 1 && outcomes.count { $0 == false } == 7, "\(outcomes)")
            #expect(try await device.poll(begun).status == 200)
        }
    }

    @Test("A phone that died or gave up has the code anew, and so has another after it said so; the login of before is over")
    func anew() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let bob = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let begun = try await device.begin()
            let died = try await phone.show(begun)
            _ = try await died.proved()
            let second = try await phone.show(begun)
            #expect(second.screen.sessionID != died.screen.sessionID)
            #expect(await servers.refusal { try await died.send(try died.decision(.decline)) } == .sessionOver)
            _ = try await second.proved()
            #expect(await servers.refusal { try await bob.bring(begun.uri) } == .sessionTaken)
            try await second.giveUp()
            let third = try await bob.show(begun)
            #expect(await servers.refusal { try await second.proved() } == .sessionOver)
            try await third.logInByPIN()
            #expect(try await device.poll(begun).login["sub"]?.string == "bob")
        }
    }

    @Test("Who waits for the end of a penalty goes on: meanwhile no other phone takes the code; one that is blocked or asks in vain leaves it")
    func penalised() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let bob = try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob")
            let begun = try await device.begin()
            let waits = try await phone.show(begun)
            let attempt = try await waits.proved()
            try await waits.tell(.penalised, until: servers.now + 60)
            #expect(await servers.refusal { try await bob.bring(begun.uri) } == .sessionTaken)
            let yes = try waits.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            #expect(try await waits.send(yes).result == .loggedIn)
            #expect(try await device.poll(begun).login["sub"]?.string == "alice")
            for state in [PhoneState.blocked, .noSecondFactor] {
                let next = try await device.begin()
                let left = try await phone.show(next)
                _ = try await left.proved()
                try await left.tell(state)
                #expect(try await bob.show(next).screen.sessionID != left.screen.sessionID, "\(state)")
            }
        }
    }

    @Test("A login that ran out takes the code with it no more than a page that was left: the next one begins while the device waits")
    func next() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            let first = try await phone.show(begun)
            servers.clock.advance(301)
            #expect(await servers.refusal { try await first.proved() } == .sessionOver)
            #expect(try await device.poll(begun).error == "authorization_pending")
            servers.clock.advance(5)
            try await phone.show(begun).logInByPIN()
            #expect(try await device.poll(begun).status == 200)
        }
    }

    @Test("Who decides on the page ends the login on the phone, whose yes is too late", arguments: [true, false])
    func pageFirst(allows: Bool) async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            let shown = try await phone.show(begun)
            let attempt = try await shown.proved()
            let hash = SHA(begun.deviceCode.utf8)
            let browser = try #require(try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob").logInApp().sessionID)
            let decided =
                allows
                ? try await Self.approval(servers).approve(
                    hash, at: servers.server, scopes: try ScopeSet(parsing: "openid profile"), session: browser, now: servers.now)
                : try await Self.approval(servers).deny(hash, at: servers.server, account: phone.account, now: servers.now)
            #expect(decided != nil)
            let yes = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            #expect(await servers.refusal { try await shown.send(yes) } == .sessionOver)
            let answer = try await device.poll(begun)
            #expect(allows ? answer.login["sub"]?.string == "bob" : answer.error == "access_denied")
        }
    }

    @Test("Who decides on the page after the phone's yes, which the device has not heard yet, decides nothing")
    func phoneFirst() async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            try await phone.show(begun).logInByPIN()
            let hash = SHA(begun.deviceCode.utf8)
            let browser = try #require(try await TestPhone(servers).enrol(try servers.nonce(), userID: "bob").logInApp().sessionID)
            let approval = Self.approval(servers)
            #expect(try await approval.deny(hash, at: servers.server, account: phone.account, now: servers.now) == nil)
            let late = try await approval.approve(
                hash, at: servers.server, scopes: try ScopeSet(parsing: "openid"), session: browser, now: servers.now)
            #expect(late == nil)
            #expect(try await device.poll(begun).login["sub"]?.string == "alice")
        }
    }

    @Test("An application that an operator switches off asks no phone any more; a yes that was said waits", arguments: [false, true])
    func switchedOff(saidYes: Bool) async throws {
        try await ShowingDevice.run { servers, phone, device in
            let begun = try await device.begin()
            let shown = try await phone.show(begun)
            let attempt = try await shown.proved()
            let yes = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            if saidYes { #expect(try await shown.send(yes).result == .loggedIn) }
            try await ShowingDevice.change(at: servers) { $0.isEnabled = false }
            if !saidYes { #expect(await servers.refusal { try await shown.send(yes) } == .sessionOver) }
            #expect(await servers.refusal { try await phone.bring(begun.uri) } == .sessionUnknown)
            try await ShowingDevice.change(at: servers) { _ in }
            let answer = try await device.poll(begun)
            #expect(saidYes ? answer.status == 200 : answer.error == "authorization_pending")
        }
    }
}
