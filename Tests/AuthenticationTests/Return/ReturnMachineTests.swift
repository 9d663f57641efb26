import Authentication
import OstiaryProtocol
import Testing

@Suite("A session with a page")
struct ReturnMachineTests {
    private typealias Sample = SessionSample
    private let now = SessionSample.start + 10
    private static let codeHash = SHA([7])

    private func returning(_ login: Login = SessionSample.login()) throws -> Session {
        try Sample.session(Sample.claim(), page: Sample.page).after(.approve(login, codeHash: Self.codeHash), at: now)
    }

    @Test("An accepted decision logs nobody in: the session waits for its browser")
    func waits() throws {
        let session = try returning()
        #expect(session.state == .returning(Sample.login(), ReturnTicket(codeHash: Self.codeHash, until: now + 120)))
        #expect(session.login == nil && !session.isFinished && session.account == Sample.alice)
        #expect(Sample.session(Sample.claim(), page: Sample.page).refusal(of: .logIn(Sample.login()), at: now) == .early)
        #expect(Sample.session(Sample.claim()).refusal(of: .approve(Sample.login(), codeHash: Self.codeHash), at: now) == .early)
    }

    @Test("The browser that comes back logs in; the time of the login and its deadline count from then")
    func comesBack() throws {
        let later = now + 100
        let session = try returning().after(.comeBack(patience: 315), at: later)
        let login = try present(session.login)
        #expect(login.at == later && login.deadline == later + 315 && login.verifiedAt == Sample.login().verifiedAt)
        #expect(login.returned == ReturnTicket(codeHash: Self.codeHash, until: now + 120))
        #expect(session.refusal(of: .comeBack(patience: 315), at: later) == .over)
    }

    @Test("It waits for 120 seconds, although nobody has written down that they are over")
    func timeIsUp() throws {
        let session = try returning()
        #expect(session.settled(at: now + 120) == session)
        #expect(session.settled(at: now + 121).state == .stopped(Sample.login(), .timeout, at: now + 120))
        #expect(session.refusal(of: .comeBack(patience: 315), at: now + 121) == .over)
    }

    @Test("A ping counts and moves the 120 seconds by nothing")
    func pings() throws {
        let session = try returning().after(.ping(stamp: now + 60, patience: 315), at: now + 60)
        guard case .returning(let login, let ticket) = session.state else { throw NotRefused() }
        #expect(login.lastPing == now + 60 && login.lastStamp == now + 60 && login.deadline == Sample.login().deadline)
        #expect(ticket.until == now + 120)
        #expect(try session.after(.ping(stamp: now + 60, patience: 315), at: now + 70) == session, "one that is no newer only reads")
    }

    @Test("What waits for its browser is taken by nobody and decided no other way")
    func noOtherWay() throws {
        let session = try returning()
        #expect(session.refusal(of: .claim(Sample.bob, .qrDynamic), at: now) == .taken)
        #expect(session.refusal(of: .claim(Sample.alice, .qrDynamic), at: now) == .over)
        #expect(session.refusal(of: .approve(Sample.login(), codeHash: SHA([8])), at: now) == .over)
        #expect(session.refusal(of: .logIn(Sample.login()), at: now) == .over)
        #expect(session.refusal(of: .deny(Sample.denial()), at: now) == .over)
    }

    @Test("Nobody comes back to a session that nobody accepted", arguments: [SessionState.open, SessionSample.claim()])
    func early(state: SessionState) {
        #expect(Sample.session(state, page: Sample.page).refusal(of: .comeBack(patience: 315), at: now) == .early)
    }

    @Test("Stopping what waits for its browser keeps why, and its code is good for nothing")
    func stops() throws {
        let stopped = try returning().after(.stop(.otherBrowser), at: now + 1)
        #expect(stopped.state == .stopped(Sample.login(), .otherBrowser, at: now + 1))
        #expect(stopped.returnTicket == nil)
        #expect(stopped.refusal(of: .comeBack(patience: 315), at: now + 1) == .over)
    }

    @Test("The same decision always has the same code; another session, account or decision has another")
    func derivation() throws {
        let derivation = SessionDerivation(sidKey: [UInt8](repeating: 1, count: 32))
        let other = try present(SessionID([UInt8](repeating: 3, count: 16)))
        let session = Sample.session().id
        let codes = [
            derivation.returnCode(of: session, account: Sample.alice, decision: SHA([1])),
            derivation.returnCode(of: other, account: Sample.alice, decision: SHA([1])),
            derivation.returnCode(of: session, account: Sample.bob, decision: SHA([1])),
            derivation.returnCode(of: session, account: Sample.alice, decision: SHA([2])),
            SessionDerivation(sidKey: [UInt8](repeating: 2, count: 32)).returnCode(of: session, account: Sample.alice, decision: SHA([1])),
        ]
        // HMAC-SHA-256(01…01, "AP1/return" 00 09…09 || 01…01 || SHA-256(01)), computed by another program.
        #expect(codes[0].exposed.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == "533d3bb56895095bc185a776052f3d3f")
        #expect(Set(codes.map(\.text)).count == 5)
        #expect(derivation.returnCode(of: session, account: Sample.alice, decision: SHA([1])).text == codes[0].text)
        #expect(codes.allSatisfy { $0.text.utf8.count == 22 && ReturnCode(text: $0.text)?.exposed == $0.exposed })
        #expect("\(codes[0])" == "‹secret›" && codes[0].exposed.count == 16)
    }

    @Test(
        "What is not 16 bytes of base64url is no code",
        arguments: [
            "", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB", "AAAAAAAAAAAAAAAAAAAAA+", "AAAAAAAAAAAAAAAAAAAAAA==",
        ])
    func malformed(text: String) { #expect(ReturnCode(text: text) == nil) }
}
