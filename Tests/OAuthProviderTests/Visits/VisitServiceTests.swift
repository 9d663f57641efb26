import Authentication
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import OAuthProvider

@Suite("A browser's visit, from its request to its client")
struct VisitServiceTests {
    private typealias Fixture = ProviderFixture

    private static let key = ConsentKey("a secret of a browser")
    private static let login = VisitLogin(session: Fixture.session, startedAt: Fixture.start - 60, account: Fixture.alice)

    /// The website of somebody else, whose person was logged in before and is to be asked.
    private func asking(_ fixture: ProviderFixture, _ changes: KeyValuePairs<String, String?> = [:]) async throws -> VisitSubject {
        let begun = try await fixture.services.visits.begin(fixture.webAuthorization(changes), by: Self.login, at: Fixture.server, now: fixture.now)
        #expect(begun.turn.step == .ask)
        return try #require(begun.subject)
    }

    private func question(
        _ fixture: ProviderFixture, _ subject: VisitSubject, _ arrival: VisitArrival = .before(login)
    ) async throws -> ConsentQuestion? {
        try await fixture.services.visits.question(of: subject, arrival, at: Fixture.server, now: fixture.now)
    }

    private func mark(_ fixture: ProviderFixture, _ subject: VisitSubject) async throws -> String {
        ConsentMark(of: try #require(try await question(fixture, subject)), under: Self.key).text
    }

    private func decide(
        _ fixture: ProviderFixture, _ subject: VisitSubject, _ mark: String, allows: Bool = true, _ arrival: VisitArrival = .before(login)
    ) async throws -> ConsentOutcome {
        try await fixture.services.visits.decide(
            subject, arrival, ConsentAnswer(mark: mark, allows: allows), under: Self.key, at: Fixture.server, now: fixture.now)
    }

    /// A parameter of the answer with which the browser leaves.
    private func parameter(_ name: String, of outcome: ConsentOutcome) -> String? {
        guard case .client(let response) = outcome else { return nil }
        return Fixture.parameter(name, of: response.location)
    }

    private func rewrite(_ scope: String, to words: String, _ fixture: ProviderFixture) async throws {
        try await fixture.changeAPI { api in api.scopes = api.scopes.map { $0.scope.text == scope ? APIScope($0.scope, words: words) : $0 } }
    }

    private func consents(_ fixture: ProviderFixture) async throws -> Int {
        try await fixture.store.read { rows in try rows.consents(.byAccount(Fixture.alice, to: nil), at: Fixture.server, .all).total }
    }

    @Test("A scope whose words were written otherwise between the showing and the yes is shown again; what its person read is what is granted")
    func otherWords() async throws {
        let fixture = try await ProviderFixture()
        let subject = try await asking(fixture)
        let first = try await mark(fixture, subject)
        try await rewrite("batch:upload", to: "send much at once", fixture)
        #expect(try await mark(fixture, subject) == first)
        try await rewrite("read:timesheets", to: "read and keep your timesheets", fixture)
        await #expect(throws: VisitEnd.changed) { try await decide(fixture, subject, first) }
        #expect(try await consents(fixture) == 0)
        let second = try await mark(fixture, subject)
        #expect(second != first)
        #expect(parameter("code", of: try await decide(fixture, subject, second)) != nil)
        #expect(try await consents(fixture) == 1)
    }

    @Test("A yes is a code once, and the visit is over; a no is access_denied, and nothing is remembered")
    func answers() async throws {
        let fixture = try await ProviderFixture()
        let subject = try await asking(fixture)
        let shown = try await mark(fixture, subject)
        let refused = try await decide(fixture, subject, shown, allows: false)
        #expect(parameter("error", of: refused) == "access_denied" && parameter("state", of: refused) == "state-1")
        #expect(try await consents(fixture) == 0)
        let again = try await asking(fixture)
        #expect(parameter("code", of: try await decide(fixture, again, try await mark(fixture, again))) != nil)
        for ended in [subject, again] {
            #expect(try await question(fixture, ended) == nil)
            await #expect(throws: VisitEnd.over) {
                try await fixture.services.visits.goOn(ended, .before(Self.login), at: Fixture.server, now: fixture.now)
            }
        }
        // They agreed: the next time nobody is asked, and nothing waits.
        let next = try await fixture.services.visits.begin(fixture.webAuthorization(), by: Self.login, at: Fixture.server, now: fixture.now)
        guard case .leave(let response, nil) = next.turn.step, next.subject == nil else {
            Issue.record("\(next)")
            return
        }
        #expect(Fixture.parameter("code", of: response.location) != nil)
    }

    /// What a browser sends of which its client is to hear.
    enum Answer: CaseIterable, Sendable {
        case yes, no, left

        /// What is told whose answer is not the first.
        var late: VisitEnd { self == .left ? .over : .changed }
    }

    private func send(
        _ answer: Answer, by visits: VisitService, _ subject: VisitSubject, _ mark: String, at now: Instant
    ) async throws -> AuthorizeResponse? {
        switch answer {
        case .yes, .no:
            let said = ConsentAnswer(mark: mark, allows: answer == .yes)
            let outcome = try await visits.decide(subject, .before(Self.login), said, under: Self.key, at: Fixture.server, now: now)
            guard case .client(let response) = outcome else { return nil }
            return response
        case .left:
            guard case .leave(let response, _) = try await visits.cancel(subject, at: Fixture.server, now: now).step else { return nil }
            return response
        }
    }

    /// A code after a yes, and that there is none after anything else.
    private func expect(_ told: AuthorizeResponse?, says answer: Answer) throws {
        let location = try #require(told).location
        #expect((Fixture.parameter("code", of: location) != nil) == (answer == .yes))
        #expect(Fixture.parameter("error", of: location) == (answer == .yes ? nil : "access_denied"))
    }

    @Test(
        "The first answer of a visit is its only one, a no as well as a yes: of another that comes after it, or at once, the client hears nothing",
        arguments: Answer.allCases, Answer.allCases)
    func first(_ first: Answer, then second: Answer) async throws {
        for isAtOnce in [false, true] {
            let fixture = try await ProviderFixture()
            let visits = fixture.services.visits
            let subject = try await asking(fixture)
            let shown = try await mark(fixture, subject)
            let win = { @Sendable () async throws -> Void in
                try expect(try await send(first, by: visits, subject, shown, at: fixture.now), says: first)
            }
            if !isAtOnce { try await win() }
            let late = isAtOnce ? fixture.services(overtakenBy: win).visits : visits
            await #expect(throws: second.late) { try await send(second, by: late, subject, shown, at: fixture.now) }
            #expect(try await consents(fixture) == (first == .yes ? 1 : 0))
        }
    }

    @Test("Who answered first and did not hear that it was kept has answered, also when another answer came in between", arguments: Answer.allCases)
    func unheard(first: Answer) async throws {
        for other in Answer.allCases {
            let fixture = try await ProviderFixture()
            let visits = fixture.services.visits
            let subject = try await asking(fixture)
            let shown = try await mark(fixture, subject)
            let interrupted = fixture.services(interruptedBy: { () async throws -> Void in
                await #expect(throws: other.late) { try await send(other, by: visits, subject, shown, at: fixture.now) }
            })
            try expect(try await send(first, by: interrupted.visits, subject, shown, at: fixture.now), says: first)
        }
    }

    @Test(
        "A visit that goes on once more, or twice at once, has one code: the other is told that it is over, and its client nothing",
        arguments: [false, true])
    func goesOnTwice(isAtOnce: Bool) async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("web") { $0.isFirstParty = true }
        let visits = fixture.services.visits
        let subject = try #require(
            try await visits.begin(fixture.webAuthorization(), by: nil, at: Fixture.server, now: fixture.now).subject)
        fixture.logIn(Fixture.login(at: fixture.now))
        let arrival = VisitArrival.own(VisitLogin(session: Fixture.session, startedAt: fixture.now, account: Fixture.alice))
        let win = { @Sendable () async throws -> Void in
            let step = try await visits.goOn(subject, arrival, at: Fixture.server, now: fixture.now).step
            guard case .leave(let response, nil) = step else {
                Issue.record("\(step)")
                return
            }
            try expect(response, says: .yes)
        }
        if !isAtOnce { try await win() }
        let late = isAtOnce ? fixture.services(overtakenBy: win).visits : visits
        await #expect(throws: VisitEnd.over) { try await late.goOn(subject, arrival, at: Fixture.server, now: fixture.now) }
    }

    @Test("A login that ended while its person read consents to nothing, whether or not the browser knows")
    func loggedOut() async throws {
        let fixture = try await ProviderFixture()
        let subject = try await asking(fixture)
        let shown = try await mark(fixture, subject)
        fixture.logIn(nil)
        for arrival in [VisitArrival.before(nil), .before(Self.login)] {
            #expect(try await question(fixture, subject, arrival) == nil)
            await #expect(throws: VisitEnd.changed) { try await decide(fixture, subject, shown, arrival) }
        }
        #expect(try await consents(fixture) == 0)
    }

    @Test("Who has to log in is offered what the client asks for; who logged in for it and is another is not sent round again")
    func anotherPerson() async throws {
        let fixture = try await ProviderFixture()
        let hint = try #require(try await fixture.tokens().idToken)
        let asked = fixture.authorization(["id_token_hint": hint, "login_hint": "alice", "max_age": "60", "ui_locales": "nl en"])
        let begun = try await fixture.services.visits.begin(asked, by: nil, at: Fixture.server, now: fixture.now)
        let subject = try #require(begun.subject)
        guard case .logIn(let offered) = begun.turn.step else {
            Issue.record("\(begun)")
            return
        }
        #expect(offered.application.id.text == "mobile" && offered.scopes.text.contains("read:timesheets") && offered.expectedName == "alice")
        #expect(offered.demand == .fresh(60) && begun.turn.uiLocales == ["nl", "en"])
        fixture.logIn(Fixture.login(Fixture.manager))
        let manager = VisitLogin(session: Fixture.session, startedAt: fixture.now, account: Fixture.manager)
        func goOn(_ arrival: VisitArrival) async throws -> VisitTurn.Step {
            try await fixture.services.visits.goOn(subject, arrival, at: Fixture.server, now: fixture.now).step
        }
        #expect(try await goOn(.before(manager)) == .logIn(offered))
        guard case .leave(let response, .loginRequired?) = try await goOn(.own(manager)) else {
            Issue.record("the manager was taken for alice, or asked again")
            return
        }
        #expect(Fixture.parameter("error", of: response.location) == "login_required")
        // That was the answer: who comes to the same visit as alice has no code for it.
        fixture.logIn(Fixture.login(at: fixture.now))
        let alice = VisitLogin(session: Fixture.session, startedAt: fixture.now, account: Fixture.alice)
        await #expect(throws: VisitEnd.over) { try await goOn(.own(alice)) }
    }

    @Test("What is wrong with a request is its client's to hear, where that is sure; nothing waits then")
    func wrong() async throws {
        let fixture = try await ProviderFixture()
        func begin(_ changes: KeyValuePairs<String, String?>) async throws -> BegunVisit {
            try await fixture.services.visits.begin(fixture.authorization(changes), by: nil, at: Fixture.server, now: fixture.now)
        }
        await #expect(throws: VisitEnd.told(.clientUnknown)) { try await begin(["client_id": "nobody"]) }
        await #expect(throws: VisitEnd.told(.redirectNotRegistered)) { try await begin(["redirect_uri": "https://evil.example/"]) }
        for (changes, refusal): (KeyValuePairs<String, String?>, AuthorizeRefusal) in [
            (["code_challenge_method": "plain"], .challengeMethodWrong), (["prompt": "none"], .loginRequired),
        ] {
            let begun = try await begin(changes)
            guard case .leave(let response, refusal?) = begun.turn.step, begun.subject == nil else {
                Issue.record("\(begun)")
                continue
            }
            #expect(Fixture.parameter("error", of: response.location) == refusal.code.rawValue)
        }
    }

    @Test("A visit waits for half an hour; who leaves the login page is a no for the client, and at a device types another code")
    func leaving() async throws {
        let fixture = try await ProviderFixture()
        let visits = fixture.services.visits
        let subject = try await asking(fixture, ["response_mode": "form_post"])
        // The page of the question may post where the client has its answers posted, and to nobody's address else.
        #expect(try await visits.receiver(of: subject, at: Fixture.server, now: fixture.now) == FrameOrigin("https://reports.example"))
        let left = try await visits.cancel(subject, at: Fixture.server, now: fixture.now)
        guard case .leave(let response, .denied?) = left.step else {
            Issue.record("\(left)")
            return
        }
        #expect(response.mode == .formPost && response.parameters.contains(Parameter("error", "access_denied")))
        #expect(try await visits.cancel(.device([1]), at: Fixture.server, now: fixture.now) == VisitTurn(.typeCode))
        let other = try await asking(fixture)
        for silent in [subject, other, .device([1])] {
            #expect(try await visits.receiver(of: silent, at: Fixture.server, now: fixture.now) == nil)
        }
        fixture.clock.advance(PushedRequest.visitLife)
        #expect(try await visits.goOn(other, .before(nil), at: Fixture.server, now: fixture.now).step != .ask)
        fixture.clock.advance(1)
        await #expect(throws: VisitEnd.over) { try await visits.goOn(other, .before(nil), at: Fixture.server, now: fixture.now) }
        await #expect(throws: VisitEnd.over) { try await visits.cancel(other, at: Fixture.server, now: fixture.now) }
    }
}

@Suite("A visit for a device that waits")
struct DeviceVisitTests {
    private typealias Fixture = ProviderFixture

    private static let key = ConsentKey("a secret of a browser")
    private static let login = VisitLogin(session: Fixture.session, startedAt: Fixture.start - 60, account: Fixture.alice)

    private func device(_ fixture: ProviderFixture) async throws -> DeviceService.Begun {
        try await fixture.services.devices.begin(
            try fixture.call(["client_id": "mobile", "audience": fixture.timesheets.text, "scope": "openid read:timesheets"]), at: fixture.now)
    }

    private func type(_ code: String, _ fixture: ProviderFixture, by login: VisitLogin?) async throws -> BegunVisit? {
        try await fixture.services.visits.begin(typing: code, from: .unknown, by: login, at: Fixture.server, now: fixture.now)
    }

    @Test("A code that somebody waits with leads to a login, or who is logged in to a question; a code that nobody waits with leads nowhere")
    func typed() async throws {
        let fixture = try await ProviderFixture()
        let code = try await device(fixture).userCode
        let begun = try #require(try await type(code.shown.lowercased(), fixture, by: nil))
        guard case .logIn(let offered) = begun.turn.step else {
            Issue.record("\(begun)")
            return
        }
        #expect(offered.application.id.text == "mobile" && offered.scopes == Fixture.scope("openid read:timesheets"))
        #expect(offered.demand == .policy && offered.expectedName == nil && offered.api?.identifier == fixture.timesheets)
        #expect(try await type(code.shown, fixture, by: Self.login)?.turn.step == .ask)
        #expect(try await type("nothing", fixture, by: nil) == nil)
        let subject = try #require(begun.subject)
        #expect(try await fixture.services.visits.goOn(subject, .own(Self.login), at: Fixture.server, now: fixture.now).step == .ask)
    }

    @Test("A84 whoever is logged in by an offline code is shown no offline access of a device, and gives none")
    func offlineCode() async throws {
        let fixture = try await ProviderFixture()
        fixture.logIn(Fixture.login(methods: [], binding: nil, isOffline: true))
        let typed = VisitLogin(session: Fixture.session, startedAt: Fixture.start - 60, account: Fixture.alice, isOffline: true)
        let begun = try await fixture.services.devices.begin(
            try fixture.call(["client_id": "mobile", "audience": fixture.timesheets.text, "scope": "openid offline_access"]), at: fixture.now)
        let subject = try #require(try await type(begun.userCode.shown, fixture, by: typed)?.subject)
        let visits = fixture.services.visits
        let question = try #require(try await visits.question(of: subject, .before(typed), at: Fixture.server, now: fixture.now))
        #expect(question.scopes == [.openID])
        // Whatever somebody lets a caller of the rules say.
        let approved = try await fixture.approval.approve(
            SHA(begun.deviceCode.utf8), at: Fixture.server, scopes: Fixture.scope("openid offline_access"), session: Fixture.session,
            now: fixture.now)
        #expect(approved?.grant != nil)
        let response = try await fixture.answer(
            try fixture.call(["grant_type": GrantType.deviceCode.rawValue, "device_code": begun.deviceCode, "client_id": "mobile"]))
        #expect(response.refreshToken == nil && response.scopes == [.openID])
    }

    @Test("A yes is to the words that were read, and once; then it is over, for a no too", arguments: [true, false])
    func decided(allows: Bool) async throws {
        let fixture = try await ProviderFixture()
        let visits = fixture.services.visits
        let subject = try #require(try await type(try await device(fixture).userCode.shown, fixture, by: Self.login)?.subject)
        func question() async throws -> ConsentQuestion {
            try #require(try await visits.question(of: subject, .before(Self.login), at: Fixture.server, now: fixture.now))
        }
        func decide(_ question: ConsentQuestion) async throws -> ConsentOutcome {
            let answer = ConsentAnswer(mark: ConsentMark(of: question, under: Self.key).text, allows: allows)
            return try await visits.decide(subject, .before(Self.login), answer, under: Self.key, at: Fixture.server, now: fixture.now)
        }
        let first = try await question()
        #expect(first.kind == .device && first.scopes == Fixture.scope("openid read:timesheets"))
        try await fixture.changeAPI { api in api.scopes = api.scopes.map { APIScope($0.scope, words: "read everything") } }
        await #expect(throws: VisitEnd.changed) { try await decide(first) }
        let second = try await question()
        #expect(try await decide(second) == .device(isAllowed: allows))
        await #expect(throws: VisitEnd.over) { try await decide(second) }
    }
}
