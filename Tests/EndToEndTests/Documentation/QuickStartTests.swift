import Foundation
import OstiaryMobile
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryPhone

/// The lines that the documentation tells people to paste, as they stand there.
@Suite("The quick start", .timeLimit(.minutes(30)))
struct QuickStartTests {
    @Test("Pasted as it is, it onboards a person, logs them in to the app without asking again, and logs a browser in")
    func quickStart() async throws {
        let pair = try await ProcessesFixture.running()
        let site = try await Site(pair)
        let person = site.person
        #expect(Entry(site.ostiary) == .onboarding)
        try await site.onboard()
        #expect(Entry(site.ostiary) == .app)
        #expect(person.pins == ["Make the account Alice at Hallway"], "the AppLogin after onboarding is silent")
        let webNonce = try #require(site.ostiary.appLoginSession?.webNonce)
        #expect(try await site.backend.session(webNonce).userid == "alice")

        let browser = ManagementClient.newNonce()
        site.ostiary.start(with: try await site.backend.loginCode(browser, asPNG: false))
        try await eventually("the browser is logged in: \(person.shown)") { try await site.backend.session(browser).loggedin }
        #expect(person.pins.last?.hasPrefix("Log in to Hallway ") == true, "the PIN pad says what for: \(person.pins)")

        let page = ManagementClient.newNonce()
        let link = try await site.backend.page(page, ["kind": "login", "returnurl": "https://shop.example/welcome"])
        site.ostiary.start(link: try #require(try await DemoBrowser(opening: link).shown().link))
        try await eventually("the app opens the browser: \(person.shown)") { person.shown.last?.hasPrefix("https://shop.example/welcome?") == true }
        let code = try #require(person.shown.last?.split(separator: "=").last)
        #expect(try await site.backend.handIn(page, code: String(code)))

        site.ostiary.stopAppLogin()
        try await eventually("the app is closed") { Entry(site.ostiary) == .login }
        site.close()
        try await pair.stop()
    }

    @Test("S4-05, S4-10, S4-83 pasted as it is, it has the person read what a link announces before the PIN, and shows it above the PIN, too")
    func neverBlind() async throws {
        let pair = try await ProcessesFixture.running()
        let site = try await Site(pair)
        try await site.onboard()
        let person = site.person
        person.refuses = true
        let bait = #"{"announceinfo":{"info":{"what":"Pay 9000 EUR to Mallory"},"useragent":"Firefox"}}"#
        let forged = ManagementClient.newNonce()
        site.ostiary.start(link: try await site.backend.loginLink(forged, saying: bait))
        try await eventually("the login is over: \(person.shown)") { person.shown.last == "Logged out" }
        #expect(person.questions.last?.contains("what: Pay 9000 EUR to Mallory") == true, "\(person.questions)")
        #expect(person.questions.last?.contains("Asked by: Firefox") == true, "\(person.questions)")
        #expect(person.questions.last?.contains("anybody may have sent you this") == true, "\(person.questions)")
        #expect(person.pins.count == 1, "no PIN was asked for what the person refused: \(person.pins)")
        #expect(try await site.backend.session(forged).loggedin == false)

        person.refuses = false
        let wanted = ManagementClient.newNonce()
        site.ostiary.start(link: try await site.backend.loginLink(wanted, saying: bait))
        try await eventually("the browser is logged in: \(person.shown)") { try await site.backend.session(wanted).loggedin }
        #expect(person.pins.count == 2 && person.pins.last == person.questions.last, "the PIN pad shows the same words: \(person.pins)")
        site.close()
        try await pair.stop()
    }

    @Test("S4-37, S4-38 pasted as it is, closing the PIN pad gives the login up, and a login that ends elsewhere closes the pad")
    func closesThePad() async throws {
        let pair = try await ProcessesFixture.running()
        let site = try await Site(pair)
        try await site.onboard()
        let person = site.person
        person.pad = .closed
        site.ostiary.start(with: try await site.backend.loginCode(ManagementClient.newNonce(), asPNG: false))
        try await eventually("the login is given up: \(person.shown)") { person.shown.last == "Logged out" }

        person.pad = .open
        site.ostiary.start(with: try await site.backend.loginCode(ManagementClient.newNonce(), asPNG: false))
        try await eventually("the PIN pad is there: \(person.pins)") { person.pins.count == 3 }
        let waiting = try #require(site.ostiary.sessions.last { !$0.isOver && !$0.isAppLogin })
        site.ostiary.stop(waiting)
        try await eventually("the PIN pad went away") { person.padsClosed == 1 }
        #expect(!person.shown.contains("wrongOrder"))
        site.close()
        try await pair.stop()
    }

    @Test("Pasted as it is, it asks for the number of a login that waits when the app opens, says that one was wrong, and takes the right one")
    func asksForTheNumber() async throws {
        let pair = try await ProcessesFixture.running()
        let site = try await Site(pair)
        try await site.onboard()
        let till = try await Till(at: pair, site.backend)
        site.ostiary.stopAppLogin()
        try await eventually("the app is closed") { Entry(site.ostiary) == .login }
        site.close()

        let begun = try await till.ask("W4-12")
        let opened = try await Site(pair)
        let person = opened.person
        try await eventually("the app asks by itself: \(person.shown)") { person.fields.count == 1 }
        let first = try #require(person.fields.first)
        #expect(first.contains("Log in to Till") && first.contains("W4-12") && first.contains("Type the number"), "\(first)")
        #expect(!first.contains(begun.number) && !first.contains("another number"), "\(first)")
        person.typeNumber(try begun.other())
        try await eventually("the field is there again: \(person.shown)") { person.fields.count == 2 }
        #expect(person.fields.last?.contains("That was another number") == true, "\(person.fields)")
        #expect(person.pins.count == 1 && person.pins.last?.contains("W4-12") == true, "what is approved stands above the PIN: \(person.pins)")
        person.typeNumber(begun.number)
        try await eventually("the login counts: \(person.shown)") { person.shown.contains("Logged in as Alice") }
        #expect(try await till.poll(begun) == nil)
        #expect(person.pins.count == 1, "the PIN was typed once: \(person.pins)")
        #expect(person.questions.isEmpty && !person.shown.contains("numberWrong"), "\(person.questions) \(person.shown)")
        opened.close()
        try await pair.stop()
    }

    @Test("Pasted as it is, a no at the field for the number is a no for the client, and the third wrong number is said")
    func refusesTheNumber() async throws {
        let pair = try await ProcessesFixture.running()
        let site = try await Site(pair)
        try await site.onboard()
        let till = try await Till(at: pair, site.backend)
        let person = site.person
        let refused = try await till.ask()
        site.ostiary.fetchWaitingLogins()
        try await eventually("the field is there: \(person.shown)") { person.fields.count == 1 }
        person.typeNumber(nil)
        try await eventually("the login is over: \(person.shown)") { person.shown.last == "Logged out" }
        #expect(try await till.poll(refused) == "access_denied")

        let guessed = try await till.ask()
        site.ostiary.fetchWaitingLogins()
        for step in 1...3 {
            try await eventually("the field is there: \(person.shown)") { person.fields.count == 1 + step }
            person.typeNumber(try guessed.other(by: step))
        }
        try await eventually("the third is said: \(person.shown)") { person.shown.contains("numberWrong") }
        #expect(try await till.poll(guessed) == "access_denied")
        site.close()
        try await pair.stop()
    }
}

/// A backend, an app made of the pasted lines, and its person.
private struct Site {
    let backend: DemoBackend
    let ostiary: Ostiary
    let person: ReadingPerson
    private let nonce = ManagementClient.newNonce()
    private let app: Task<Void, Never>

    init(_ pair: ProcessesFixture) async throws {
        let backend = try await pair.backend()
        let ostiary = try makeOstiary(home: pair.folder.file("app"))
        let person = ReadingPerson { [nonce] code in try? await backend.confirm(nonce, code: code) }
        self.backend = backend
        self.ostiary = ostiary
        self.person = person
        app = Task { await answer(ostiary, with: person) }
    }

    func onboard() async throws {
        ostiary.start(with: try await backend.enrolCode(nonce, name: "Alice", user: "alice", asPNG: false))
        try await eventually("the app is open: \(person.shown)") { person.shown.contains("Logged in as Alice") }
    }

    func close() { app.cancel() }
}

/// Says yes unless told otherwise, types the same PIN every time, and the confirmation code into the page; remembers every word that was shown.
private final class ReadingPerson: Screens {
    enum Pad: Sendable {
        case answered, closed
        /// Left lying there until it goes away by itself.
        case open
    }

    private struct State {
        var texts: [String] = []
        var questions: [String] = []
        var pins: [String] = []
        var padsClosed = 0
        /// What stood above the field for a number, each time.
        var fields: [String] = []
        var refuses = false
        var pad = Pad.answered
    }

    private let (numbers, typed) = AsyncStream.makeStream(of: String?.self)

    private let typeCode: @Sendable (String) async -> Void
    private let state = Mutex(State())

    init(typeCode: @Sendable @escaping (String) async -> Void) { self.typeCode = typeCode }

    var shown: [String] { state.withLock { $0.texts } }
    /// What was asked for a yes or no.
    var questions: [String] { state.withLock { $0.questions } }
    /// What stood above the PIN pad, each time.
    var pins: [String] { state.withLock { $0.pins } }
    var fields: [String] { state.withLock { $0.fields } }
    var padsClosed: Int { state.withLock { $0.padsClosed } }

    var refuses: Bool {
        get { state.withLock { $0.refuses } }
        set { state.withLock { $0.refuses = newValue } }
    }

    var pad: Pad {
        get { state.withLock { $0.pad } }
        set { state.withLock { $0.pad = newValue } }
    }

    func confirms(_ question: String) async -> Bool {
        state.withLock { state in
            state.questions.append(question)
            return !state.refuses
        }
    }

    /// What is typed into the field next; nil for a no.
    func typeNumber(_ number: String?) { typed.yield(number) }

    func number(_ words: String) async -> String? {
        state.withLock { $0.fields.append(words) }
        for await number in numbers { return number }
        return nil
    }

    func pin(_ words: String, for factor: SecondFactor) async -> PIN? {
        state.withLock { $0.pins.append(words) }
        switch pad {
        case .answered:
            let pin = PIN()
            for digit in Person.pin.utf8 { pin.append(digit: digit - UInt8(ascii: "0")) }
            return pin
        case .closed: return nil
        case .open:
            // Nobody touches it: only its task's end closes it.
            let (never, finish) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            finish.finish()
            state.withLock { $0.padsClosed += 1 }
            return nil
        }
    }

    func goOn(at address: URL?) async { state.withLock { $0.texts.append(address?.absoluteString ?? "go on in the browser") } }

    func show(_ text: String) async {
        state.withLock { $0.texts.append(text) }
        let words = text.split(separator: " ")
        if words.first == "Type", words.count > 1 { await typeCode(String(words[1])) }
    }
}
