import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("Recorded requests")
struct ReplayTests {
    /// Sends a request, and the same bytes again: at once, within the window, and when nobody remembers them any more.
    private func replay(_ world: DomainFixture, _ message: Outgoing, expecting expected: Refusal? = .replayed) async throws {
        let sealed = try world.seal(message).bytes
        let first = try await world.receive(sealed)
        let after = try await world.snapshot()
        for wait in [0, 119] as [UInt64] {
            world.pass(wait)
            if let expected {
                #expect(try await world.refusal { _ = try await world.receive(sealed) } == expected)
            } else {
                #expect(try await world.receive(sealed) == first)
            }
            #expect(try await world.snapshot() == after)
        }
        world.pass(10)
        #expect(try await world.refusal { _ = try await world.receive(sealed) } == .clockOff)
        try await world.store.write { rows in _ = try rows.removeExpired(at: world.now + PhoneRequest.memory, limit: 99) }
        #expect(try await world.refusal { _ = try await world.receive(sealed) } == .clockOff)
    }

    private func ready() async throws -> (DomainFixture, TestPhone) {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        return (world, phone)
    }

    @Test("E1 takes effect once")
    func e1() async throws {
        let world = try await DomainFixture()
        try await replay(world, try TestPhone(world, "phone").claiming(try await world.invite()))
    }

    @Test("M1 of a first PIN takes effect once")
    func firstPIN() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        try await replay(world, try phone.settingFirstPIN(try await phone.claim(try await world.invite())).message)
    }

    @Test("E3 is answered like the first time and changes nothing any more")
    func e3() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let claimed = try await phone.claim(try await world.invite())
        try await replay(world, try phone.finishing(claimed, try await phone.setFirstPIN(claimed)), expecting: nil)
    }

    @Test("An L5 that claims its session takes effect once: a recorded one brings no second webNonce")
    func claimingL5() async throws {
        let world = try await DomainFixture { $0.pinTimeout = -1 }
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        try await replay(world, try phone.deciding(shown, .init()))
    }

    @Test("W1 takes effect once: a recorded one brings no second cache")
    func w1() async throws {
        let world = try await DomainFixture()
        let phone = try await world.freshlyEnrolledPhone()
        try await replay(world, try phone.waiting(for: try present(phone.account)))
    }

    @Test("L1 has no effect: the same bytes are answered again and leave nothing behind, until they are too old")
    func l1() async throws {
        let (world, phone) = try await ready()
        for isApp in [false, true] {
            let message = isApp ? try phone.openingApp() : try phone.looking(at: try await world.link())
            let sealed = try world.seal(message).bytes
            let before = try await world.snapshot()
            for _ in 0..<3 {
                let shown = try L2(decoding: try await world.receive(sealed).body)
                #expect(shown.sessionID == (try L2(decoding: try await world.receive(sealed).body)).sessionID)
            }
            #expect(try await world.snapshot() == before)
            world.pass(121)
            #expect(try await world.refusal { _ = try await world.receive(sealed) } == .clockOff)
        }
    }

    @Test("M1 takes effect once: a recorded one is not numbered again")
    func m1() async throws {
        let (world, phone) = try await ready()
        let shown = try await phone.look(at: try await world.link())
        try await replay(world, try phone.trying(shown).message)
        #expect(world.secondFactor.truth.counter(of: phone.instance)?.highest == 1)
    }

    @Test("L5 takes effect once: a recorded one mints no webNonce")
    func l5() async throws {
        let (world, phone) = try await ready()
        let shown = try await phone.startAppLogin()
        try await replay(world, try phone.accepting(shown, try await phone.tryPIN(shown)))
    }

    @Test("A denial is answered like the first time and changes nothing any more")
    func denial() async throws {
        let (world, phone) = try await ready()
        try await replay(world, try phone.refusing(try await phone.look(at: try await world.link())), expecting: nil)
    }

    @Test("Ping, Stop and Delete take effect once")
    func presence() async throws {
        let (world, phone) = try await ready()
        let login = try await phone.appLogIn()
        world.pass(1)
        try await replay(world, try phone.fresh(Ping(sessionID: login.session, hold: 0)))
        try await replay(world, try phone.fresh(Stop(sessionID: login.session, reason: .user)))
        try await replay(world, try phone.deleting(try present(phone.account)), expecting: nil)
    }

    @Test("A recorded stop of one session ends no later one")
    func oldStop() async throws {
        let (world, phone) = try await ready()
        let first = try await phone.appLogIn()
        let stop = try world.seal(try phone.fresh(Stop(sessionID: first.session, reason: .user)))
        _ = try await world.receive(stop.bytes)
        let second = try await phone.appLogIn()
        #expect(try await world.refusal { _ = try await world.receive(stop.bytes) } == .replayed)
        #expect(try await world.status(webNonce: second.webNonce).loggedIn)
    }

    @Test("A request that was refused leaves its bytes unspent, so that it works when its reason is gone")
    func refusedIsNotSpent() async throws {
        let (world, phone) = try await ready()
        let shown = try await phone.look(at: try await world.link())
        let account = try present(phone.account)
        let sealed = try world.seal(try phone.trying(shown).message).bytes
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        #expect(try await world.refusal { _ = try await world.receive(sealed) } == .accountBlocked)
        _ = try await world.accounts.setBlocked(false, account, at: world.server, by: .backend, now: world.now)
        #expect(try await world.receive(sealed).status == .ok)
    }

    @Test("A clock that is two minutes off is told so, ahead or behind; one second less is taken", arguments: [-121, -120, 120, 121])
    func clock(off: Int) async throws {
        let (world, phone) = try await ready()
        let skewed = try phone.openingApp(at: off < 0 ? world.now - UInt64(-off) : world.now + UInt64(off))
        if abs(off) > 120 {
            let before = try await world.snapshot()
            #expect(try await world.refusal(of: skewed) == .clockOff)
            #expect(try await world.snapshot() == before)
        } else {
            #expect(try await world.deliver(skewed).status == .ok)
        }
    }
}
