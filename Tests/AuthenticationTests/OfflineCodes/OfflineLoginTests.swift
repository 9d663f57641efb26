import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("A login by an offline code")
struct OfflineLoginTests {
    @Test(
        "S2-03, S2-04, S2-05, S2-06 the code logs in, and says so by otplogin, as getSession does from then on; a login on the phone says that it is none"
    )
    func logsIn() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let status = try await world.type(try await world.shownCode(phone))
        #expect(status.loggedIn && status.otpLogin && status.state == .loggedIn && status.userID == "alice" && status.accountID == phone.account)
        #expect(try await world.status() == status)
        try await phone.logIn("other")
        let other = try await world.status("other")
        #expect(other.loggedIn && !other.otpLogin && other.authentication?.amr == ["mfa", "pin", "pop"])
    }

    @Test("S2-09, S2-10 it is one factor, no more: no second one is asked or told, amr is otp, and no cache or key for tokens comes of it")
    func oneFactor() async throws {
        let (world, phone) = try await DomainFixture.offline()
        // A server that always asks for a PIN.
        try await world.update { $0.pinTimeout = 10 }
        let facts = try present(try await world.type(try await world.shownCode(phone)).authentication)
        #expect(facts.amr == ["otp"] && facts.acr == "sf" && facts.binding == "otp" && facts.factors.isEmpty && facts.time == nil)
        let account = try present(phone.account)
        #expect(try await world.store.read { rows in try rows.cache(of: account) } == nil)
        #expect(try await world.session()?.login?.tokenKey == nil)
    }

    @Test("S2-11 the key that came with the enrolment is the server's: a code that is made of the E4 logs in")
    func symmetric() async throws {
        let world = try await DomainFixture { $0.flags = ["ENABLE_OTP"] }
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.claim(invitation)
        let e4 = try await phone.finish(claimed, try await phone.setFirstPIN(claimed))
        #expect(e4.offlineCodes == .six && e4.otpKey.count == 32 && e4.otpReference < 1 << 30)
        _ = try await world.confirm(invitation, code: claimed.code)
        let link = try await world.link()
        let code = OfflineCode(
            reference: e4.otpReference, key: SecretBytes(e4.otpKey), session: OfflineSession(link.value),
            interval: OfflineCode.interval(at: world.now), length: .six)
        #expect(try await world.type(code.exposed).accountID == claimed.shown.accountID)
    }

    @Test(
        "S2-07 where the server does not allow them there are none: no code logs in or counts, and no phone is told of any; with the flag all say so")
    func offered() async throws {
        for flags in [[], ["LONG_OTP"], ["ENABLE_OTP"], ["ENABLE_OTP", "LONG_OTP"]] {
            let (world, phone) = try await DomainFixture.offline(flags)
            let length: OfflineCodeLength? = flags.contains("ENABLE_OTP") ? (flags.count == 2 ? .eight : .six) : nil
            let code = try await world.shownCode(phone, length ?? .six)
            if length == nil {
                #expect(try await world.refusal(ofTyping: code) == .notOffered)
                #expect(try await world.session()?.codesTried == 0)
                #expect(try await world.failures() == 0)
            } else {
                #expect(try await world.type(code).loggedIn)
            }
            let answer = try await phone.logIn("other")
            #expect(answer.offlineCodes == length)
            #expect(try await phone.ping(try present(answer.sessionID)).offlineCodes == length)
        }
    }

    @Test("The end of a login says as well whether there are codes, whoever ended it: a phone takes no word of them for a no")
    func offeredAtTheEnd() async throws {
        for flags in [[], ["ENABLE_OTP"], ["ENABLE_OTP", "LONG_OTP"]] {
            let (world, phone) = try await DomainFixture.offline(flags)
            let length: OfflineCodeLength? = flags.isEmpty ? nil : (flags.count == 2 ? .eight : .six)
            let own = try present(try await phone.logIn("own").sessionID)
            for _ in 0..<2 {
                let answer = try await phone.stop(own)
                #expect(answer.state == .stopped && answer.offlineCodes == length, "\(flags)")
            }
            let site = try present(try await phone.logIn("site").sessionID)
            try await world.logOut("site")
            let answer = try await phone.ping(site)
            #expect(answer.state == .stopped && answer.offlineCodes == length && !answer.isReturning && !answer.hasWaiting, "\(flags)")
        }
    }

    @Test("S2-13 the code of another session of the same account logs nobody in, before and after that one was used")
    func otherSession() async throws {
        let (world, phone) = try await DomainFixture.offline()
        try await world.link("other")
        let code = try await world.shownCode(phone, for: "other")
        #expect(try await world.refusal(ofTyping: code) == .wrong(left: 2))
        #expect(try await world.type(code, in: "other").loggedIn)
        #expect(try await world.refusal(ofTyping: code) == .wrong(left: 1))
    }

    @Test("S2-14 the code of another account is no code of this one, whatever reference it is typed with; a session for one account takes no other's")
    func otherAccount() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let bob = try await world.enrolledPhone("bob", name: "bob")
        try await world.link()
        let (own, others) = (try await world.shownCode(phone), try await world.shownCode(bob))
        #expect(try await world.refusal(ofTyping: "\(own.prefix(6)) \(others.suffix(6))") == .wrong(left: 2))
        #expect(try await world.refusal(ofTyping: own.ofNobody) == .wrong(left: 1))
        try await world.link("for alice", preselecting: phone.account)
        #expect(try await world.refusal(ofTyping: try await world.shownCode(bob, for: "for alice"), in: "for alice") == .wrong(left: 2))
        #expect(try await world.type(try await world.shownCode(phone, for: "for alice"), in: "for alice").accountID == phone.account)
    }

    @Test("S2-15, S2-16, S2-17 the current and the previous interval are taken by the server's clock, and no other: none before, none to come")
    func intervals() async throws {
        for (made, isTaken) in [(-121, false), (-120, true), (-1, true), (0, true), (119, true), (120, false), (240, false)] {
            let (world, phone) = try await DomainFixture.offline()
            let code = try await world.shownCode(phone, after: made)
            if isTaken {
                #expect(try await world.type(code).loggedIn, "\(made)")
            } else {
                #expect(try await world.refusal(ofTyping: code) == .wrong(left: 2), "\(made)")
            }
        }
    }

    @Test("S2-18 made in the last second of an interval it is good for 120 seconds after that, made in the first for 239, and then no longer")
    func spans() async throws {
        for (made, lasts) in [(UInt64(119), UInt64(120)), (0, 239)] {
            for late in [lasts, lasts + 1] {
                let (world, phone) = try await DomainFixture.offline()
                world.pass(made)
                let code = try await world.shownCode(phone)
                world.pass(late)
                if late == lasts {
                    #expect(try await world.type(code).loggedIn)
                } else {
                    #expect(try await world.refusal(ofTyping: code) == .wrong(left: 2))
                }
            }
        }
    }

    @Test("S2-24 typed in lower case, with O for 0 and L for 1, without the space or with hyphens, it is the same code; what is none costs no try")
    func typing() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let code = try await world.shownCode(phone)
        for none in ["", "2XPP7Q R5BDD", "\(code)0", "\(code.dropLast())U", "\(code.dropLast())é"] {
            guard case .notACode = try await world.refusal(ofTyping: none) else {
                Issue.record("\(none)")
                continue
            }
        }
        #expect(try await world.session()?.codesTried == 0)
        #expect(try await world.failures() == 0)
        let typed = code.lowercased().replacing("0", with: "o").replacing("1", with: "l").replacing(" ", with: "-")
        #expect(try await world.type(" \(typed) ").loggedIn)
    }

    @Test("A code is good once: typed again, by the same person or another, in the same interval or the next, it does nothing")
    func once() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let code = try await world.shownCode(phone)
        try await world.type(code)
        let after = try await world.snapshot()
        #expect(try await world.refusal(ofTyping: code) == .noSession)
        world.pass(120)
        #expect(try await world.refusal(ofTyping: code) == .noSession)
        #expect(try await world.snapshot() == after)
        try await world.logOut()
        #expect(try await world.refusal(ofTyping: code) == .noSession)
        // The next session of the same nonce is another.
        try await world.link()
        #expect(try await world.refusal(ofTyping: code) == .wrong(left: 2))
    }

    @Test(
        "A80 a code that was lured out for a later moment is for its session alone: the nonce, begun anew when that is forgotten, has another sid")
    func madeAhead() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let former = try present(try await world.session()).id
        // A forged link names any time: this code is of the interval in which it is typed.
        let code = try await world.shownCode(phone, after: 900)
        world.pass(900)
        try await world.housekeeping.run(at: world.now)
        #expect(try await world.store.read { rows in try rows.session(former) } == nil, "nothing is known of it any more")
        try await world.link()
        #expect(try await world.session()?.id != former)
        #expect(try await world.refusal(ofTyping: code) == .wrong(left: 2))
        #expect(try await world.type(try await world.shownCode(phone)).loggedIn)
    }

    @Test("A80 a database that is put back gives no sid a second time: the sessions that it does not know had others")
    func putBack() async throws {
        let (world, _) = try await DomainFixture.offline()
        let (hash, server) = (try DomainFixture.nonce("browser").hash, world.server)
        let pointer = try present(try await world.store.read { rows in try rows.pointer(nonceHash: hash, of: server) })
        var had: [SessionID] = []
        for _ in 0..<3 {
            try await world.logOut()
            world.pass(60)
            try await world.link()
            had.append(try present(try await world.session()).id)
        }
        world.pass(301)
        try await world.store.write { rows in try rows.save(pointer) }
        try await world.link()
        let next = try present(try await world.session()).id
        #expect(!had.contains(next) && next != pointer.session)
    }

    @Test("Whom the phone has claimed the session for may type its code, and nobody else; the phone's own decision comes too late then")
    func claimed() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let bob = try await world.enrolledPhone("bob", name: "bob")
        world.pass(OfflineCode.step - world.now.seconds % OfflineCode.step)
        let shown = try await phone.look(at: try await world.link())
        let tried = try await phone.tryPIN(shown)
        #expect(try await world.refusal(ofTyping: try await world.shownCode(bob)) == .wrong(left: 2))
        #expect(try await world.type(try await world.shownCode(phone)).otpLogin)
        let decision = try phone.accepting(shown, tried)
        #expect(try await world.refusal(of: decision) == .differentDecision)
        #expect(try await world.status().otpLogin)
    }

    @Test(
        "An account that is blocked, waits for its code, or is gone has no right code, and what is told is what any wrong one is told",
        arguments: 0..<3)
    func unusable(kind: Int) async throws {
        let (world, phone) = try await DomainFixture.offline()
        let code = try await world.shownCode(phone)
        let id = try present(phone.account)
        switch kind {
        case 0: _ = try await world.accounts.setBlocked(true, id, at: world.server, by: .backend, now: world.now)
        case 1:
            try await world.store.write { rows in
                var account = try present(try rows.account(id))
                account.state = .pending
                try rows.save(account)
            }
        default: try await world.accounts.delete(id, at: world.server, by: .backend, now: world.now)
        }
        #expect(try await world.refusal(ofTyping: code) == .wrong(left: 2))
        #expect(try await world.refusal(ofTyping: code.ofNobody) == .wrong(left: 1))
        #expect(try await world.failures() == 2)
    }

    @Test(
        "Sessions that are for a phone with a connection only take none: an AppLogin's, one that asks for a second factor, one of nobody, one that is over"
    )
    func otherSessions() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let code = try await world.shownCode(phone)
        let app = try await phone.appLogIn()
        await #expect(throws: OfflineCodeRefusal.noSession) {
            try await world.offlineCodes.logIn(code, for: try SessionNonce(app.webNonce), at: world.server, by: .backend, now: world.now)
        }
        #expect(try await world.refusal(ofTyping: code, in: "nobody") == .noSession)
        for demand in [FactorDemand.always, .fresh(.max), .fresh(60)] {
            try await world.ask(demand)
            #expect(try await world.refusal(ofTyping: try await world.shownCode(phone)) == .notEnough)
        }
        world.pass(301)
        #expect(try await world.refusal(ofTyping: code) == .noSession)
        #expect(try await world.failures() == 0)
    }

    @Test(
        "Nobody watches it: no ping of its phone shortens or stretches it, it ends after half a day, and its phone or its backend may end it before")
    func unwatched() async throws {
        let (world, phone) = try await DomainFixture.offline()
        try await world.type(try await world.shownCode(phone))
        let session = try present(try await world.session()).id
        world.pass(3_600)
        #expect(try await phone.ping(session).state == .loggedIn)
        let end = try present(try await world.status().expiresAt)
        #expect(end == world.now - 3_600 + ServerParameters.unwatchedLife)
        world.pass(end.seconds - world.now.seconds)
        #expect(try await world.status().loggedIn)
        world.pass(1)
        #expect(try await world.status() == .nobody)
        try await world.link("again")
        try await world.type(try await world.shownCode(phone, for: "again"), in: "again")
        _ = try await phone.stop(try present(try await world.session("again")).id)
        #expect(try await world.status("again") == .nobody)
    }

    @Test("The trail tells a login by code, by whom it was handed in; events tell it like any other")
    func told() async throws {
        let (world, phone) = try await DomainFixture.offline()
        let id = try present(try await world.session()).id
        let news = world.hub.subscribe(to: [.session(id)])
        try await world.type(try await world.shownCode(phone))
        #expect(
            try await world.trail().first
                == AuditEntry(
                    .loginByOfflineCode, server: world.server, account: phone.account, by: .backend, at: world.now))
        #expect(await world.heard(news, of: .session(id)) == [.loggedIn(try present(phone.account))])
    }
}
