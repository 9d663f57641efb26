import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("L1: what a phone is shown")
struct OfferTests {
    @Test("qr_context_shown_matches_request: the phone is shown who asks, from which browser, and what it must prove")
    func content() async throws {
        let world = try await DomainFixture { update in
            update.name = "Bank"
            update.siteURL = "https://bank.example"
        }
        let phone = try await world.enrolledPhone()
        let nonce = try DomainFixture.nonce("browser")
        let said = ShownContext(info: [Announcement(key: "why", text: "a transfer")], ip: "Bern", userAgent: "Firefox on Linux")
        let link = try await world.queries.loginLink(
            for: nonce, at: world.server, style: .still, asking: LoginRequestUpdate(shown: said), by: .backend, now: world.now
        ).link
        let content = try await phone.look(at: link).content
        #expect(content.relyingParty == RelyingParty(name: "Bank", origin: "https://bank.example", clientID: ""))
        #expect(content.browser == BrowserFacts(binding: .qrStatic, label: "Firefox on Linux", city: "Bern", startedAt: world.now))
        #expect(content.announceInfo == [Announcement(key: "why", text: "a transfer")])
        #expect(content.purpose == .login && content.secondFactor == .needed && content.methods == [.pin, .bio])
        #expect(content.expiresAt == world.now + 300)
        world.pass(60)
        #expect(try await phone.look(at: link).content.expiresAt == content.expiresAt, "looking makes nothing last longer")
        #expect(content.secondFactorPrekey?.bytes == world.secondFactor.keys.published.bytes)
    }

    @Test("More announcements than fit are cut off, and what is shown can be read")
    func announcements() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let many = (0..<300).map { Announcement(key: "\($0)", text: "text") }
        let link = try await world.queries.loginLink(
            for: DomainFixture.nonce("browser"), at: world.server, style: .still,
            asking: LoginRequestUpdate(shown: ShownContext(info: many)), by: .backend, now: world.now)
        #expect(try await phone.look(at: link.link).content.announceInfo == Array(many.prefix(32)))
    }

    @Test("No two phones are shown the same, and looking claims nothing")
    func different() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let other = try await world.enrolledPhone("bob", name: "other")
        let link = try await world.link()
        let first = try await phone.look(at: link)
        let second = try await other.look(at: link)
        #expect(first.content.serverNonce != second.content.serverNonce)
        #expect(try await world.status().state == .open)
    }

    @Test("A session that a phone has claimed is shown to no phone any more, not even to that one")
    func claimed() async throws {
        let world = try await DomainFixture()
        let (phone, other) = (try await world.enrolledPhone(), try await world.enrolledPhone("bob", name: "other"))
        let link = try await world.link()
        _ = try await phone.tryPIN(try await phone.look(at: link))
        #expect(try await world.refusal(of: try phone.looking(at: link)) == .sessionTaken)
        #expect(try await world.refusal(of: try other.looking(at: link)) == .sessionTaken)
    }

    @Test("qr_one_time: a session that is over is shown to nobody", arguments: ["denied", "ran out", "logged in"])
    func over(how: String) async throws {
        let world = try await DomainFixture { $0.staticQRAge = 300 }
        let (phone, other) = (try await world.enrolledPhone(), try await world.enrolledPhone("bob", name: "other"))
        let link = try await world.link()
        let shown = try await phone.look(at: link)
        switch how {
        case "denied": _ = try await phone.decide(try phone.refusing(shown))
        case "logged in": _ = try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown)))
        default: world.pass(301)
        }
        for reader in [phone, other] {
            let refusal = try await world.refusal(of: try reader.looking(at: link, via: .scan))
            #expect(refusal == (how == "ran out" ? .linkOld : .sessionOver))
        }
    }

    @Test("Links of a server with standing codes switched off, and with strict links")
    func rules() async throws {
        let world = try await DomainFixture { update in
            update.staticQRAge = 0
            update.flags = ["STRICT_LINKS"]
        }
        let phone = try await world.enrolledPhone()
        await #expect(throws: LoginLinkError.stillCodesRefused) { try await world.link() }
        let moving = try await world.link("browser", .moving)
        // One that was drawn before standing codes were switched off.
        let still = try await world.drawn(.still)
        #expect(try await world.refusal(of: try phone.looking(at: still, via: .scan)) == .linkOld)
        #expect(try await world.refusal(of: try phone.looking(at: still, via: .link)) == .linkNotAllowed)
        #expect(try await phone.look(at: moving).content.browser.binding == .qrDynamic)
        world.pass(11)
        #expect(try await world.refusal(of: try phone.looking(at: moving, via: .scan)) == .linkOld)
        #expect(Refusal.linkOld.status == .linkOld && Refusal.linkForged.status == .refused)
    }

    @Test("Strict links that are switched on refuse a link that a phone has read before, and count nothing; what was scanned goes on")
    func strictNow() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let tapped = try await phone.look(at: try await world.link(), via: .link)
        let scanned = try await phone.look(at: try await world.link())
        try await world.update { $0.flags = ["STRICT_LINKS"] }
        let before = try await world.snapshot()
        #expect(try await world.refusal(of: try phone.trying(tapped).message) == .linkNotAllowed)
        #expect(try await world.refusal(of: try phone.deciding(tapped, .init())) == .linkNotAllowed)
        #expect(try await world.snapshot() == before)
        _ = try await phone.decide(try phone.accepting(scanned, try await phone.tryPIN(scanned)))
        #expect(try await world.status().loggedIn)
    }

    @Test("A link of the neighbouring server is foreign here, and the other way round")
    func neighbour() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let link = try await world.queries.loginLink(
            for: DomainFixture.nonce("browser"), at: world.neighbour.server, style: .still, by: .backend, now: world.now
        ).link
        #expect(try await world.refusal(of: try phone.looking(at: link, via: .scan)) == .linkForeign)
        let own = try await world.link()
        let elsewhere = try await world.refusal {
            _ = try await world.deliver(try phone.looking(at: own, via: .scan), at: world.neighbour.server)
        }
        #expect(elsewhere == .linkForeign)
    }
}
