import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

extension DomainFixture {
    /// Begins a login for an account, and answers its number.
    @discardableResult
    func push(_ id: SessionID, to account: AccountID?, openFor: UInt64 = 300, by client: String? = nil) async throws -> String {
        let asker = client.map { RelyingParty(name: $0, origin: "", clientID: $0) }
        let request = LoginRequest(client: asker, account: try present(account))
        try await services.waiting.begin(id, at: server, asking: request, openFor: openFor, now: now)
        return try await services.waiting.number(of: id, at: server).exposed
    }
}

extension TestPhone {
    /// Fetch → Waiting.
    func fetch() async throws -> [WaitingLogin] { try Waiting(decoding: try await world.deliver(try fetching()).body).logins }

    func fetching() throws -> Outgoing { try fresh(Fetch(accountID: try present(account))) }

    /// L5 with a PIN that was evaluated, and a number.
    func accepting(_ shown: Shown, _ tried: Tried, number: String) throws -> Outgoing {
        var choice = Choice(method: .pin, attempt: tried.id, secondFactorSignature: try secondFactorSignature(tried))
        choice.number = number
        return try deciding(shown, choice)
    }
}

@Suite("A login that is pushed")
struct PushedLoginTests {
    private let session = SessionID(using: SystemRandomSource())

    /// Another number of three digits.
    private func other(than number: String, by step: Int = 1) throws -> String {
        let value = try #require(Int(number))
        return String(100 + (value - 100 + step) % 900)
    }

    @Test("The phone of its account fetches it, is shown that a number is asked, and logs in with the number")
    func whole() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let number = try await world.push(session, to: phone.account)
        #expect(number.count == 3 && number.utf8.allSatisfy { (0x30...0x39).contains($0) } && number.first != "0")
        let waiting = try await phone.fetch()
        #expect(waiting.map(\.link.value.sessionID) == [session] && waiting.first?.expiresAt == world.now + 300)
        let shown = try await phone.look(at: try #require(waiting.first).link, via: .push)
        #expect(shown.content.needsNumber && shown.content.browser.binding == .push)
        #expect(shown.content.selects(try present(phone.account)) == true)
        let tried = try await phone.tryPIN(shown)
        #expect(try await phone.decide(try phone.accepting(shown, tried, number: number)).result == .loggedIn)
        let login = try await world.store.read { [session] rows in try rows.session(session)?.login }
        #expect(login?.binding == .push)
        #expect(try await phone.fetch().isEmpty)
    }

    @Test("A number is that of Vectors/derivations: all three digits of 900, from 100 to 999, and another key or session has another")
    func derivation() throws {
        let key = Self.bytes("0ceb96c4dc49d2b80dba86e6a5303ac6948838f7ecc99f53e2e685f6f06a4d73")
        let other = Self.bytes("0ceb96c4dc49d2b80dba86e6a5303ac6948838f7ecc99f53e2e685f6f06a4d72")
        let session = try present(SessionID(Self.bytes("00c73f12f2f8979b40831df8c82b143a")))
        let number = SessionDerivation(sidKey: key).number(of: session)
        #expect(number.exposed == "117" && number.isTyped("117"))
        for text in ["", "11", "0117", "1170", "117 ", "118", "１１７"] { #expect(!number.isTyped(text), "\(text)") }
        #expect(SessionDerivation(sidKey: other).number(of: session).exposed == "657")
        let edges: [(UInt64, String)] = [(0, "100"), (899, "999"), (900, "100"), (.max, "115")]
        for (value, digits) in edges {
            let mac = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } + [UInt8](repeating: 0xFF, count: 24)
            #expect(PushNumber(mac: mac).exposed == digits)
        }
        #expect("\(number)" == "‹secret›")
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test("A wrong number costs neither the proof nor the session; a copy of the same decision costs nothing more; then the right one logs in")
    func wrong() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let number = try await world.push(session, to: phone.account)
        let shown = try await phone.look(at: try #require(try await phone.fetch().first).link, via: .push)
        let tried = try await phone.tryPIN(shown)
        let wrong = try phone.accepting(shown, tried, number: try other(than: number))
        for _ in 0..<5 { #expect(try await world.refusal(of: wrong) == .numberWrong) }
        #expect(try await world.refusal(of: try phone.accepting(shown, tried, number: "")) == .numberWrong)
        let push = try await world.store.read { [session] rows in try rows.session(session)?.push }
        #expect(push?.wrongNumbers == 2)
        #expect(try await phone.decide(try phone.accepting(shown, tried, number: number)).result == .loggedIn)
    }

    @Test("The attack of guesses: of 64 wrong numbers at once three count, the third is a no, and the right one is too late")
    func guesses() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let number = try await world.push(session, to: phone.account)
        let shown = try await phone.look(at: try #require(try await phone.fetch().first).link, via: .push)
        let tried = try await phone.tryPIN(shown)
        let guesses = try (1...64).map { try phone.accepting(shown, tried, number: try other(than: number, by: $0)) }
        let counts = try await withThrowingTaskGroup(of: (wrong: Int, denied: Int).self) { group in
            for guess in guesses {
                group.addTask {
                    do {
                        let answer = try await phone.decide(guess)
                        return (0, answer.result == .denied ? 1 : 0)
                    } catch let refusal as Refusal {
                        return (refusal == .numberWrong ? 1 : 0, 0)
                    }
                }
            }
            var (wrong, denied) = (0, 0)
            for try await count in group {
                wrong += count.wrong
                denied += count.denied
            }
            return (wrong, denied)
        }
        #expect(counts == (2, 1))
        #expect(try await world.refusal(of: try phone.accepting(shown, tried, number: number)) == .differentDecision)
        #expect(try await world.snapshot().audit.last?.kind == .loginNumbersWrong)
    }

    @Test("A no needs no number, and a number where none is asked is refused")
    func declined() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.push(session, to: phone.account)
        let shown = try await phone.look(at: try #require(try await phone.fetch().first).link, via: .push)
        #expect(try await phone.decide(try phone.refusing(shown)).result == .denied)
        let scanned = try await phone.look(at: try await world.link("browser"))
        let tried = try await phone.tryPIN(scanned)
        #expect(try await world.refusal(of: try phone.accepting(scanned, tried, number: "123")) == .methodNotAllowed)
    }

    @Test("Its link is good by push only and a scanned code is not; another account's phone has no link, and takes nothing with one")
    func links() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let stranger = try await world.enrolledPhone("bob", name: "another")
        try await world.push(session, to: phone.account)
        #expect(try await stranger.fetch().isEmpty)
        let link = try #require(try await phone.fetch().first).link
        for via in [Via.scan, .link] { #expect(try await world.refusal(of: try phone.looking(at: link, via: via)) == .linkNotAllowed) }
        let scanned = try phone.looking(at: try await world.link("browser"), via: .push)
        #expect(try await world.refusal(of: scanned) == .linkNotAllowed)
        let shown = try await stranger.look(at: link, via: .push)
        #expect(try await world.refusal(of: try stranger.refusing(shown)) == .sessionTaken)
    }

    @Test("Who claimed it may fetch and look once more, and go on; it is open for as long as its client says, and three minutes more when claimed")
    func claimed() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let number = try await world.push(session, to: phone.account, openFor: 60)
        let link = try #require(try await phone.fetch().first).link
        _ = try await phone.tryPIN(try await phone.look(at: link, via: .push))
        world.pass(100)
        let waiting = try #require(try await phone.fetch().first)
        #expect(waiting.link.bytes == link.bytes && waiting.expiresAt == world.now + 140)
        let again = try await phone.look(at: link, via: .push)
        #expect(try await phone.decide(try phone.accepting(again, try await phone.tryPIN(again), number: number)).result == .loggedIn)
        let unclaimed = SessionID(using: SystemRandomSource())
        try await world.push(unclaimed, to: phone.account, openFor: 60)
        world.pass(61)
        #expect(try await phone.fetch().isEmpty)
    }
}

@Suite("What waits for a phone")
struct WaitingTests {
    @Test("At most four are told, the oldest first, and a ping says that something waits until nothing is open")
    func oldest() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        #expect(try await !phone.ping(login.session).hasWaiting)
        var begun: [SessionID] = []
        for _ in 0..<5 {
            world.pass(1)
            begun.append(SessionID(using: SystemRandomSource()))
            try await world.push(try #require(begun.last), to: phone.account)
        }
        #expect(try await phone.fetch().map(\.link.value.sessionID) == Array(begun.prefix(4)))
        #expect(try await phone.ping(login.session).hasWaiting)
        world.pass(301)
        #expect(try await !phone.ping(login.session).hasWaiting)
    }

    @Test("Of each client the first is told before any client's second: one that asks on and on hides nobody who asks once")
    func inTurn() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        var begun: [SessionID] = []
        for client in ["often", "often", "often", "often", "often", "once"] {
            world.pass(1)
            begun.append(SessionID(using: SystemRandomSource()))
            try await world.push(try #require(begun.last), to: phone.account, by: client)
        }
        #expect(try await phone.fetch().map(\.link.value.sessionID) == [begun[0], begun[5], begun[1], begun[2]])
    }

    @Test("A Fetch is signed for its own request by the account's device, and a blocked account is told so")
    func refused() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let stranger = try await world.enrolledPhone("bob", name: "another")
        let forged = try stranger.fresh(Fetch(accountID: try present(phone.account)))
        #expect(try await world.refusal(of: forged) == .badSignature)
        let nobody = try phone.fresh(Fetch(accountID: AccountID(using: SystemRandomSource())))
        #expect(try await world.refusal(of: nobody) == .accountUnknown)
        let account = try present(phone.account)
        try await world.store.write { rows, _ in
            var blocked = try #require(try rows.account(account))
            blocked.isBlocked = true
            try rows.save(blocked)
        }
        #expect(try await world.refusal(of: try phone.fetching()) == .accountBlocked)
    }
}
