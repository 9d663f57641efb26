import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Notices of new devices (protocol §8)")
struct NoticeTests {
    /// An older phone that is logged in to its app, and one that was enrolled for the same person after it.
    private func told(_ world: DomainFixture) async throws -> (old: TestPhone, session: SessionID) {
        let old = try await world.enrolledPhone(name: "old phone")
        let login = try await old.appLogIn()
        _ = try await world.freshlyEnrolledPhone(name: "new phone")
        world.pass(1)
        return (old, login.session)
    }

    @Test("A new phone is told to the older ones until each has shown it: lost answers, a logout and a phone that is asleep lose nothing")
    func untilShown() async throws {
        let world = try await DomainFixture()
        let asleep = try await world.enrolledPhone(name: "asleep")
        let (old, session) = try await told(world)
        // "old phone" is news to "asleep", "new phone" to both. The first answers are lost on their way.
        var heard: [DeviceNotice] = []
        for _ in 0..<3 {
            heard = try await old.ping(session).extensions.notices
            world.pass(1)
            #expect(heard.map(\.device) == ["new phone"])
        }
        #expect(try await old.stop(session).extensions.notices == heard, "a logout is no end of it")
        world.pass(1)
        let again = try await old.appLogIn()
        #expect(again.answer.extensions.notices == heard)
        world.pass(1)
        #expect(try await old.ping(again.session, after: heard).extensions.notices.isEmpty)
        world.pass(86_400)
        let late = try await asleep.logIn("morning").extensions.notices
        #expect(late.map(\.device) == ["old phone", "new phone"], "what another phone acknowledged is not acknowledged here")
    }

    @Test("L5, Ping and Stop acknowledge, each what it names and no more")
    func eachMessage() async throws {
        let world = try await DomainFixture()
        let old = try await world.enrolledPhone(name: "old phone")
        var session = try await old.appLogIn().session
        for name in ["a", "b", "c"] { _ = try await world.freshlyEnrolledPhone(name: name) }
        world.pass(1)
        let all = try await old.ping(session).extensions.notices
        #expect(all.map(\.device) == ["a", "b", "c"] && Set(all.map(\.id)).count == 3)
        world.pass(1)
        #expect(try await old.ping(session, after: [all[1]]).extensions.notices == [all[0], all[2]])
        world.pass(1)
        #expect(try await old.stop(session, after: [all[0]]).extensions.notices == [all[2]])
        let shown = try await old.startAppLogin()
        let tried = try await old.tryPIN(shown)
        let choice = TestPhone.Choice(
            method: .pin, attempt: tried.id, secondFactorSignature: try old.secondFactorSignature(tried), shown: [all[2].id])
        let message = try old.deciding(shown, choice)
        for _ in 0..<2 {
            let answer = try await old.decide(message)
            session = try present(answer.sessionID)
            #expect(answer.extensions.notices.isEmpty, "the same L5 again, too")
        }
        world.pass(1)
        #expect(try await old.ping(session).extensions.notices.isEmpty)
    }

    @Test("A denial acknowledges as well")
    func denial() async throws {
        let world = try await DomainFixture()
        let (old, session) = try await told(world)
        let heard = try await old.ping(session).extensions.notices
        let shown = try await old.look(at: try await world.link())
        _ = try await old.decide(try old.deciding(shown, TestPhone.Choice(decision: .decline, shown: heard.map(\.id))))
        world.pass(1)
        #expect(try await old.ping(session).extensions.notices.isEmpty)
    }

    @Test("Another account's word, a message that is refused, and ids that nobody has take no notice away")
    func nothingElse() async throws {
        let world = try await DomainFixture()
        let stranger = try await world.enrolledPhone("bob", name: "stranger")
        let theirs = try await stranger.appLogIn()
        let (old, session) = try await told(world)
        let heard = try await old.ping(session).extensions.notices
        let ids = Extensions(shownNotices: heard.map(\.id))
        world.pass(1)
        _ = try await stranger.ping(theirs.session, after: heard)
        #expect(try await world.refusal(of: try stranger.fresh(Ping(sessionID: session, hold: 0, extensions: ids))) == .sessionOfAnother)
        #expect(try await world.refusal(of: try stranger.fresh(Stop(sessionID: session, reason: .user, extensions: ids))) == .sessionOfAnother)
        let unknown = DeviceNotice(.enrolled, id: NoticeID(using: world.random), device: "", time: world.now)
        world.pass(1)
        #expect(try await old.ping(session, after: [unknown]).extensions.notices == heard)
        // A login that was refused, for its wrong proof of the second factor.
        let shown = try await old.startAppLogin()
        let tried = try await old.tryPIN(shown)
        let wrong = TestPhone.Choice(
            method: .pin, attempt: tried.id, secondFactorSignature: [UInt8](repeating: 1, count: 64), shown: heard.map(\.id))
        _ = try await world.refusal(of: try old.deciding(shown, wrong))
        world.pass(1)
        #expect(try await old.ping(session).extensions.notices == heard)
    }

    @Test("Nineteen notices come as sixteen and, when those were shown, three")
    func many() async throws {
        let world = try await DomainFixture()
        let old = try await world.enrolledPhone(name: "old phone")
        let session = try await old.appLogIn().session
        let names = (1...19).map { "phone \($0)" }
        for name in names { _ = try await world.freshlyEnrolledPhone(name: name) }
        world.pass(1)
        let first = try await old.ping(session).extensions.notices
        #expect(first.map(\.device) == Array(names.prefix(16)))
        world.pass(1)
        #expect(try await old.ping(session, after: first).extensions.notices.map(\.device) == Array(names.suffix(3)))
    }
}
