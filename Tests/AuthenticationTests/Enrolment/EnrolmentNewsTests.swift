import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("News of an enrolment, for its page and for the phone that waits")
struct EnrolmentNewsTests {
    enum End: CaseIterable { case wrongCodes, late, givenUp }

    @Test("Each step is told when it is made, and the end to the person's other phone as well")
    func steps() async throws {
        let world = try await DomainFixture()
        let older = EventTopic.account(try present(try await world.enrolledPhone(name: "older").account))
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite(browser: "later")
        let page = EventTopic.stream(try await world.queries.stream(of: invitation.nonce, at: world.server))
        let (onPage, onOlder) = (world.hub.subscribe(to: [page]), world.hub.subscribe(to: [older]))
        let claimed = try await phone.claim(invitation)
        try await phone.finish(claimed, try await phone.setFirstPIN(claimed))
        let account = claimed.shown.accountID
        let onPhone = world.hub.subscribe(to: [.account(account)])
        #expect(try await world.confirm(invitation, code: claimed.wrongCode) == .wrong(triesLeft: 2))
        #expect(try await world.confirm(invitation, code: claimed.code) == .activated(account))
        let confirmed: [SessionNews.Kind] = [
            .enrolment(.waitingForCode(device: "phone", triesLeft: 2)), .enrolment(.activated(account: account)),
        ]
        let all: [SessionNews.Kind] =
            [.enrolment(.phoneScanned(device: "phone")), .enrolment(.waitingForCode(device: "phone", triesLeft: 3))] + confirmed
            + [.loggedIn(account)]
        #expect(await world.heard(onPage, of: page) == all)
        #expect(await world.heard(onPhone, of: .account(account)) == confirmed)
        #expect(await world.heard(onOlder, of: older) == [.accountChanged])
    }

    @Test("Whatever ends it is told to both, and so is the page that has it from now on", arguments: End.allCases)
    func ends(_ end: End) async throws {
        let world = try await DomainFixture()
        let invitation = try await world.invite(page: "first")
        let claimed = try await TestPhone(world, "phone").enrolPending(invitation)
        let topics: [EventTopic] = [
            .stream(try await world.queries.stream(of: invitation.nonce, at: world.server)), .account(claimed.shown.accountID),
        ]
        let listeners = topics.map { world.hub.subscribe(to: [$0]) }
        let expected: [EnrolmentProgress]
        switch end {
        case .wrongCodes:
            for _ in 0..<3 { _ = try await world.confirm(invitation, code: claimed.wrongCode) }
            expected = [
                .waitingForCode(device: "phone", triesLeft: 2), .waitingForCode(device: "phone", triesLeft: 1), .failed(.wrongCodes),
            ]
        case .late:
            world.pass(Enrolment.life + 1)
            try await world.housekeeping.run(at: world.now)
            expected = [.failed(.expired)]
        case .givenUp:
            await #expect(throws: EnrolmentStartError.confirming) { _ = try await world.invite(page: "second") }
            _ = try await world.invite(page: "second", isNewest: false)
            expected = [.waitingForCode(device: "phone", triesLeft: 3), .failed(.deleted)]
        }
        let news = expected.map { SessionNews.Kind.enrolment($0) }
        for (topic, listener) in zip(topics, listeners) { #expect(await world.heard(listener, of: topic) == news, "\(topic)") }
    }
}
