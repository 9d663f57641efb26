import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("The session of a page")
struct PageRunTests {
    /// The first page is open, and a phone has tried its PIN on what it was shown there.
    private func deciding() async throws -> (DomainFixture, TestPhone, Shown, Tried) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage("first")
        let shown = try await phone.look(at: try await world.drawn())
        let tried = try await phone.tryPIN(shown)
        return (world, phone, shown, tried)
    }

    @Test("A second page of the nonce begins another session: the phone that saw the first is told that it is over")
    func secondPage() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage("first")
        let shown = try await phone.look(at: try await world.drawn())
        try await world.openPage("second")
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .sessionOver)
        #expect(try await world.session()?.page?.cookieHash == DomainFixture.page("second"))
    }

    @Test("A second page ends what waits for its browser, and the phone hears that a newer login took its place")
    func secondPageWhileReturning() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage("first")
        let answer = try await phone.confirmPage()
        let code = try present(try await world.code(of: "first"))
        try await world.openPage("second")
        #expect(try await world.tryHandIn(code) == nil)
        #expect(try await phone.ping(try present(answer.sessionID)).reason == .replaced)
        #expect(try await world.session()?.state == .open)
    }

    @Test("What a phone is deciding is left alone by a second page, and so is a login")
    func leftAlone() async throws {
        let (world, phone, shown, tried) = try await deciding()
        await #expect(throws: LoginLinkError.claimed) { try await world.openPage("second") }
        _ = try await phone.decide(try phone.accepting(shown, tried))
        try await world.handIn(try present(try await world.code(of: "first")))
        await #expect(throws: LoginLinkError.loggedIn) { try await world.openPage("second") }
        #expect(try await world.status().loggedIn)
    }

    @Test("An older page takes nothing from a newer one that waits; after that one's end it may begin anew")
    func olderPage() async throws {
        let world = try await DomainFixture()
        try await world.openPage("first")
        try await world.openPage("second")
        let session = try await world.session()
        await #expect(throws: LoginLinkError.otherPage) { try await world.openPage("first", as: .renewed(over: nil)) }
        #expect(try await world.session() == session)
        world.pass(301)
        try await world.openPage("first", as: .renewed(over: nil))
        #expect(try await world.session()?.page?.cookieHash == DomainFixture.page("first"))
    }

    @Test("A page that does not wait for its phone any more begins anew: a phone that goes on after all hears that it is over, and counts nothing")
    func renewsClaimed() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let before = try present(try await world.session())
        let shown = try await phone.look(at: try await world.drawn())
        let tried = try await phone.tryPIN(shown)
        try await world.openPage(as: .renewed(over: nil))
        let session = try present(try await world.session())
        #expect(session.id != before.id && session.state == .open)
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .sessionOver)
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .sessionOver)
        #expect(try await world.session() == session)
        #expect(try await world.code() == nil)
        #expect(try await phone.confirmPage().isReturning)
        try await world.handIn(try present(try await world.code()))
        // The try that its phone never finished, and not the one after it.
        #expect(try await world.status().authentication?.failedTries == 1)
    }

    @Test("What was accepted is not begun anew, before its browser comes back and after it")
    func keepsAccepted() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        _ = try await phone.confirmPage()
        let code = try present(try await world.code())
        await #expect(throws: LoginLinkError.returning) { try await world.openPage(as: .renewed(over: nil)) }
        await #expect(throws: LoginLinkError.returning) { try await world.openPage("newer", as: .renewed(over: DomainFixture.page("page"))) }
        #expect(try await world.handIn(code).loggedIn)
        await #expect(throws: LoginLinkError.loggedIn) { try await world.openPage(as: .renewed(over: nil)) }
        #expect(try await world.status().loggedIn)
    }

    @Test("A newer page takes the login over from the older one that it names, and from no other; the older one takes nothing back")
    func takesOver() async throws {
        let (world, phone, shown, tried) = try await deciding()
        await #expect(throws: LoginLinkError.claimed) { try await world.openPage("second") }
        for over in [nil, DomainFixture.page("another")] {
            await #expect(throws: LoginLinkError.otherPage) { try await world.openPage("second", as: .renewed(over: over)) }
        }
        try await world.openPage("second", as: .renewed(over: DomainFixture.page("first")))
        #expect(try await world.refusal(of: try phone.accepting(shown, tried)) == .sessionOver)
        await #expect(throws: LoginLinkError.otherPage) { try await world.openPage("first", as: .renewed(over: nil)) }
        _ = try await phone.confirmPage()
        #expect(try await world.code(of: "first") == nil)
        #expect(try await world.handIn(try present(try await world.code(of: "second"))).loggedIn)
    }

    @Test("A session is a page's or getQrLogin's, never both: each begins another where it finds the other's")
    func neverBoth() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let ofPage = try await world.session()
        let link = try await world.link()
        let ofBackend = try present(try await world.session())
        #expect(ofBackend.page == nil && ofBackend.id != ofPage?.id)
        // The backend's own code logs in as ever, and no page has a code of it.
        let shown = try await phone.look(at: link)
        #expect(try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown))).isReturning == false)
        #expect(try await world.status().loggedIn)
        #expect(try await world.code() == nil)
        try await world.logOut()
        try await world.openPage()
        #expect(try await world.session()?.page != nil)
    }

    @Test("getSession gives no code of its own to draw for the session of a page")
    func noDrawing() async throws {
        let world = try await DomainFixture()
        try await world.openPage()
        let status = try await world.status()
        #expect(status.state == .open && status.loginQRData == nil)
    }

    @Test("The button's link is good as long as the session waits, whatever age standing codes may have; scanned, it is refused")
    func buttonsLink() async throws {
        let world = try await DomainFixture { $0.staticQRAge = 0 }
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let link = try await world.drawn(.returning)
        world.pass(299)
        #expect(try await phone.look(at: link, via: .link).content.browser.binding == .returnCode)
        #expect(try await world.refusal(of: try phone.looking(at: link, via: .scan)) == .linkNotAllowed)
        world.pass(2)
        #expect(try await world.refusal(of: try phone.looking(at: link, via: .link)) == .sessionOver)
    }

    @Test("A page is given the frames of six seconds: each is the link of its own second, dynamic for five more and standing afterwards")
    func frames() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        world.pass(3)
        let frames = try await world.queries.frames(of: try present(try await world.session("browser")), at: world.now)
        #expect(try await world.drawn().bytes == frames.first.bytes && frames.next.count == 5)
        world.pass(2)
        let second = try await world.drawn()
        #expect(second.value.mac == frames.next[1])
        world.pass(3)
        let last = try await world.drawn()
        #expect(last.value.mac == frames.next[4])
        #expect(try await phone.look(at: second).content.browser.binding == .qrDynamic)
        world.pass(3)
        #expect(try await phone.look(at: second).content.browser.binding == .qrStatic)
        #expect(try await phone.look(at: last).content.browser.binding == .qrDynamic)
    }

    @Test("A frame of a page that is scanned before its time is refused")
    func framesOfTheFuture() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let frames = try await world.queries.frames(of: try present(try await world.session("browser")), at: world.now + 3)
        #expect(try await world.refusal(of: try phone.looking(at: frames.first)) == .linkEarly)
        world.pass(1)
        #expect(try await phone.look(at: frames.first).content.browser.binding == .qrDynamic)
    }

    @Test(
        "A code of a page's screen that an ordinary camera opened as a link never counts as a tap",
        arguments: [LinkStyle.moving, .still, .tapped])
    func cameraLinks(style: LinkStyle) async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        #expect(try await world.refusal(of: try phone.looking(at: try await world.drawn(style), via: .link)) == .linkNotAllowed)
    }

    @Test("A button's link without a page behind it is refused")
    func buttonWithoutPage() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let link = try await world.link("browser", .returning)
        for via in [Via.link, .scan] { #expect(try await world.refusal(of: try phone.looking(at: link, via: via)) == .linkNotAllowed) }
    }

    @Test("The account that a page's login is for decides alone")
    func preselected() async throws {
        let world = try await DomainFixture()
        let (alice, bob) = (try await world.enrolledPhone("alice", name: "one"), try await world.enrolledPhone("bob", name: "two"))
        try await world.openPage(asking: LoginRequest(account: alice.account))
        let shown = try await bob.look(at: try await world.drawn())
        #expect(try await world.refusal(of: try bob.trying(shown).message) == .sessionTaken)
        #expect(try await alice.confirmPage().isReturning)
    }
}
