import OstiaryProtocol
import OstiaryTesting

@testable import Authentication

/// A site that changes what it asks, its person's phone, another account's phone and strangers, in an order that a seed draws; after each step
/// what anybody can see is judged.
final class QuestionWalk {
    /// A promise that was broken.
    enum Breach: Hashable {
        /// getSession tells another text, or other notes, than the decision was made about.
        case otherText
        /// A login that a phone has taken, or that is logged in, has another text than it had.
        case textMoved
        /// What was refused left something behind.
        case refusalCounted
        /// A stranger's look left something behind.
        case lookKept
        /// An honest offer was taken for a forged one.
        case honestRefused
    }

    /// What came of a walk: what was broken, and how often each thing happened, so that a walk that meets nothing is noticed.
    struct Result {
        var breaches: Set<Breach> = []
        var logins = 0
        var changes = 0
        var claims = 0
    }

    private struct Look {
        let owner: TestPhone
        let shown: Shown
        var tried: Tried?
    }

    private let world: DomainFixture
    private let phones: [TestPhone]
    private let stranger: TestPhone
    private let random: SeededRandom
    private let asksPIN: Bool
    private var looks: [Look] = []
    /// Decisions that were signed and are still on their way, with what their person had read.
    private var held: [(message: Outgoing, text: String)] = []
    private var browser = 0
    private var texts = 0
    private var link: Encoded<LoginLink>?
    private var result = Result()

    init(seed: Int, asksPIN: Bool) async throws {
        world = try await DomainFixture { update in
            update.staticQRAge = 300
            update.pinTimeout = asksPIN ? 0 : -1
        }
        phones = [try await world.enrolledPhone(), try await world.enrolledPhone("bob", name: "rival")]
        stranger = try TestPhone(world, "stranger")
        random = SeededRandom("walk \(seed)")
        self.asksPIN = asksPIN
    }

    func run(steps: Int) async throws -> Result {
        for _ in 0..<steps {
            let before = try await seen()
            try await step()
            judge(before, try await seen())
            world.secondFactor.truth.forgetFailures()
        }
        return result
    }

    private func draw(_ bound: Int) -> Int { Int(random.bytes(1)[0]) % bound }

    private func step() async throws {
        switch draw(10) {
        case 0, 1: try await ask()
        case 2, 3: try await look(phones[0])
        case 4: try await look(phones[1])
        case 5: try await lookAsStranger()
        case 6: try await tryPIN()
        case 7: try await decide()
        case 8: try await deliver()
        default: world.pass(UInt64(1 + draw(40)))
        }
    }

    private func ask() async throws {
        texts += 1
        let text = "text \(texts)"
        do {
            let asked = try await world.ask(text, in: "browser \(browser)", note: "note of \(text)")
            if link?.value.sessionID == asked.value.sessionID { result.changes += 1 }
            link = asked
        } catch is LoginLinkError {
            // Somebody has it, or is logged in: now and then the person goes on to another browser.
            if draw(3) == 0 { browser += 1 }
        }
    }

    private func look(_ phone: TestPhone) async throws {
        guard let link else { return }
        do { looks.append(Look(owner: phone, shown: try await phone.look(at: link))) } catch is Refusal {}
    }

    private func lookAsStranger() async throws {
        guard let link else { return }
        let before = try await world.snapshot()
        do { _ = try await stranger.look(at: link) } catch is Refusal {}
        if try await world.snapshot() != before { result.breaches.insert(.lookKept) }
    }

    private func tryPIN() async throws {
        guard asksPIN, !looks.isEmpty else { return }
        let index = looks.count - 1 - draw(min(looks.count, 3))
        let look = looks[index]
        try await refusing { looks[index].tried = try await look.owner.tryPIN(look.shown) }
    }

    /// A decision is signed; it may arrive much later, or never.
    private func decide() async throws {
        guard let look = looks.suffix(3).dropFirst(draw(3)).first else { return }
        let text = look.shown.content.announceInfo.first?.text ?? ""
        if draw(6) == 0 { return held.append((try look.owner.refusing(look.shown), text)) }
        guard asksPIN else { return held.append((try look.owner.deciding(look.shown, .init()), text)) }
        guard let tried = look.tried, tried.status == .ok else { return }
        held.append((try look.owner.accepting(look.shown, tried), text))
    }

    private func deliver() async throws {
        guard !held.isEmpty else { return }
        let (message, text) = held.remove(at: draw(held.count))
        let world = world
        try await refusing {
            guard try await world.deliver(message).answersLogin, let told = try await world.told(by: message) else { return false }
            result.logins += 1
            if told != [text, "note of \(text)"] { result.breaches.insert(.otherText) }
            return true
        }
    }

    /// Does something that the server may refuse; then nothing may have changed. An offer that was not made up is never taken for one that was.
    private func refusing<Value>(_ body: () async throws -> Value) async throws {
        let (before, counted) = (try await world.snapshot(), world.secondFactor.tickets.count)
        do { _ = try await body() } catch let refusal as Refusal {
            if refusal == .offerWrong { result.breaches.insert(.honestRefused) }
            guard [.questionChanged, .sessionTaken, .sessionOver, .sessionUnknown].contains(refusal) else { return }
            if try await world.snapshot() != before || world.secondFactor.tickets.count != counted { result.breaches.insert(.refusalCounted) }
        }
    }

    /// Every session that a phone has taken, with its text.
    private func seen() async throws -> [SessionID: [String]] {
        try await world.snapshot().sessions.values.reduce(into: [:]) { seen, session in
            switch session.settled(at: world.now).state {
            case .claimed, .returning, .loggedIn: seen[session.id] = session.request.words
            case .open, .denied, .expired, .stopped: break
            }
        }
    }

    private func judge(_ before: [SessionID: [String]], _ after: [SessionID: [String]]) {
        for (id, words) in before where after[id] != nil && after[id] != words { result.breaches.insert(.textMoved) }
        result.claims += Set(after.keys).subtracting(before.keys).count
    }
}

extension LoginRequest {
    fileprivate var words: [String] { shown.info.map(\.text) + notes.info.map(\.text) }
}

extension Reply {
    fileprivate var answersLogin: Bool { (try? L6(decoding: body))?.result == .loggedIn }
}

extension DomainFixture {
    /// What getSession tells of the session that a decision was about, if it logged in.
    fileprivate func told(by message: Outgoing) async throws -> [String]? {
        let decision = try L5(decoding: message.bytes)
        guard let hash = try await snapshot().sessions[decision.sessionID]?.nonceHash else { return nil }
        let status = try await queries.status(of: SessionNonce(hash: hash), at: server, now: now)
        return status.loggedIn ? status.announced.info.map(\.text) + status.notes.info.map(\.text) : nil
    }
}
