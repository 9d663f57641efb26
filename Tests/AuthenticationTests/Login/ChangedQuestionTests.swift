import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// While a person reads what a login is about, the site asks for something else by the same nonce.
@Suite("What the person approves is what happens")
struct ChangedQuestionTests {
    private func asked(_ text: String, note: String = "") async throws -> (world: DomainFixture, phone: TestPhone, link: Encoded<LoginLink>) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let question = try await world.ask(text, note: note)
        return (world, phone, question)
    }

    private func told(_ world: DomainFixture) async throws -> [String] {
        let status = try await world.status()
        return status.announced.info.map(\.text) + status.notes.info.map(\.text)
    }

    @Test("qr_context_shown_matches_request: 10 EUR were shown, 9000 EUR are asked by now: the yes to 10 EUR logs nobody in and counts nothing")
    func exchanged() async throws {
        let (world, phone, link) = try await asked("10 EUR", note: "small")
        let shown = try await phone.look(at: link)
        try await world.ask("9000 EUR", note: "large")
        let before = try await world.snapshot()
        let tickets = world.secondFactor.tickets.count
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .questionChanged)
        #expect(try await world.refusal(of: try phone.deciding(shown, .init())) == .questionChanged)
        #expect(try await world.refusal(of: try phone.refusing(shown)) == .questionChanged)
        #expect(Refusal.questionChanged.status == .changed)
        #expect(try await world.snapshot() == before)
        #expect(world.secondFactor.tickets.count == tickets)
        #expect(try await world.status().state == .open)
    }

    @Test("Asked again the person sees what is asked now, and getSession tells exactly that, with its notes")
    func askedAgain() async throws {
        let (world, phone, link) = try await asked("10 EUR", note: "small")
        _ = try await phone.look(at: link)
        try await world.ask("9000 EUR", note: "large")
        let shown = try await phone.look(at: link)
        #expect(shown.content.announceInfo.map(\.text) == ["9000 EUR"])
        _ = try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown)))
        #expect(try await world.status().loggedIn)
        #expect(try await told(world) == ["9000 EUR", "large"])
    }

    @Test("Once a phone has taken the login its text stands still: what the site asks later is refused, and the approved text is told")
    func claimed() async throws {
        let (world, phone, link) = try await asked("10 EUR", note: "small")
        let shown = try await phone.look(at: link)
        let tried = try await phone.tryPIN(shown)
        await #expect(throws: LoginLinkError.claimed) { try await world.ask("9000 EUR", note: "large") }
        #expect(try await told(world) == ["10 EUR", "small"])
        _ = try await phone.decide(try phone.accepting(shown, tried))
        #expect(try await told(world) == ["10 EUR", "small"])
        await #expect(throws: LoginLinkError.loggedIn) { try await world.ask("9000 EUR") }
        #expect(try await told(world) == ["10 EUR", "small"])
    }

    @Test("An approval that was held back on its way decides nothing once the same phone has taken the login with another text")
    func heldBack() async throws {
        let (world, phone, link) = try await asked("10 EUR")
        try await world.update { $0.pinTimeout = -1 }
        let first = try phone.deciding(try await phone.look(at: link), .init())
        try await world.ask("9000 EUR")
        let second = try await phone.look(at: link)
        // The newer question is taken, and its own decision is still to come.
        let choice = TestPhone.Choice(method: .cached, cache: [UInt8](repeating: 0, count: 32))
        #expect(try await world.refusal(of: try phone.deciding(second, choice)) == .methodNotAllowed)
        try await world.update { $0.pinTimeout = 0 }
        let third = try await phone.look(at: link)
        _ = try await phone.tryPIN(third)
        #expect(try await world.status().state == .claimed)
        #expect(try await world.refusal(of: first) == .questionChanged)
        #expect(try await world.status().state == .claimed)
    }

    @Test("A site that goes on changing what it asks costs only its own login, each time, and no try")
    func endless() async throws {
        let (world, phone, link) = try await asked("0 EUR")
        for round in 1...20 {
            let shown = try await phone.look(at: link)
            try await world.ask("\(round) EUR")
            #expect(try await world.refusal(of: try phone.trying(shown).message) == .questionChanged)
        }
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.highest == 0)
        let shown = try await phone.look(at: link)
        #expect(try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown))).result == .loggedIn)
        #expect(try await told(world).first == "20 EUR")
    }

    @Test("The same words said again change nothing for whoever reads them")
    func sameWords() async throws {
        let (world, phone, link) = try await asked("10 EUR", note: "small")
        let shown = try await phone.look(at: link)
        try await world.ask("10 EUR", note: "small")
        _ = try await world.link()
        #expect(try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown))).result == .loggedIn)
    }

    @Test(
        "Whatever else the question is made of makes it another one: notes, image, selected account, name and demands of the server",
        arguments: ["notes", "image", "account", "demand", "name", "site", "server image", "no factor", "no biometrics"])
    func otherParts(part: String) async throws {
        let (world, phone, link) = try await asked("10 EUR")
        let shown = try await phone.look(at: link)
        switch part {
        case "notes": try await world.ask("10 EUR", note: "other")
        case "image": try await world.ask("10 EUR", logo: [1])
        case "account": try await world.ask("10 EUR", preselecting: phone.account)
        case "demand": try await world.ask(.always)
        case "name": try await world.update { $0.name = "Other" }
        case "site": try await world.update { $0.siteURL = "https://other.example" }
        case "server image": try await world.update { $0.logo = TestPicture.png() }
        case "no factor": try await world.update { $0.pinTimeout = -1 }
        default: try await world.update { $0.flags = ["NO_BIOMETRICS"] }
        }
        #expect(try await world.refusal(of: try phone.trying(shown).message) == .questionChanged)
        let again = try await phone.look(at: link)
        #expect(try await phone.decide(try phone.refusing(again)).result == .denied)
    }

    @Test("What a phone is not shown may be changed under an open question", arguments: ["ping", "owner", "longer cache"])
    func otherSettings(what: String) async throws {
        let (world, phone, link) = try await asked("10 EUR")
        let shown = try await phone.look(at: link)
        try await world.update {
            switch what {
            case "ping": $0.pingTime = 60
            case "owner": $0.owner = "somebody else"
            default: $0.pinTimeout = 10
            }
        }
        #expect(try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown))).result == .loggedIn)
    }

    @Test("Every phone that read the former text is asked again, and the text of another browser stays")
    func everyPhone() async throws {
        let (world, phone, link) = try await asked("10 EUR")
        let other = try await world.enrolledPhone("bob", name: "other")
        let (mine, theirs) = (try await phone.look(at: link), try await other.look(at: link))
        let elsewhere = try await phone.look(at: try await world.ask("5 EUR", in: "second"))
        try await world.ask("9000 EUR")
        #expect(try await world.refusal(of: try phone.refusing(mine)) == .questionChanged)
        #expect(try await world.refusal(of: try other.refusing(theirs)) == .questionChanged)
        #expect(try await phone.decide(try phone.refusing(elsewhere)).result == .denied)
    }

    @Test("How the browser was bound is told of the look that was approved, not of the last one")
    func binding() async throws {
        let (world, phone, link) = try await asked("10 EUR")
        let scanned = try await phone.look(at: link)
        let tapped = try await phone.look(at: try await world.link("browser", .tapped), via: .link)
        #expect(tapped.content.browser.binding == .unboundLink)
        let tried = try await phone.tryPIN(tapped)
        _ = try await phone.decide(try phone.accepting(tapped, tried))
        #expect(try await world.status().authentication?.binding == "unboundLink")
        #expect(scanned.content.browser.binding == .qrStatic)
    }
}
