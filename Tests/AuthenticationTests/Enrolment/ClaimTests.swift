import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("E1: a phone takes an invitation")
struct ClaimTests {
    @Test("S4-21 the phone is shown the name of the account it will have, and S4-22 the accounts that the user has already")
    func shown() async throws {
        let world = try await DomainFixture()
        let invitation = try await world.invite()
        let first = try TestPhone(world, "first")
        let claimed = try await first.claim(invitation)
        #expect(claimed.shown.displayName == "alice")
        #expect(claimed.shown.serverAccounts.isEmpty)
        #expect(claimed.shown.secondFactor == .needed)
        _ = try await world.enrolledPhone(name: "second")
        let later = try await TestPhone(world, "third").claim(try await world.invite(browser: "later"))
        #expect(later.shown.serverAccounts == ["alice"])
    }

    @Test(
        "A phone that names itself with line ends or marks of direction is refused: others read its name",
        arguments: ["a\nb", "a\u{2028}", "\u{2029}b", "\u{200E}a", "a\u{200F}b", "\u{061C}"])
    func hostileName(_ name: String) async throws {
        let world = try await DomainFixture()
        let invitation = try await world.invite()
        let phone = try TestPhone(world, "phone")
        let before = try await world.snapshot()
        #expect(try await world.refusal(of: try phone.claiming(invitation, device: name)) == .malformed(.badText))
        #expect(try await world.snapshot() == before)
        _ = try await phone.claim(invitation, device: "Ada's phone")
    }

    @Test("The same phone asks again and gets the same account and the same share, in a new answer")
    func again() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let first = try await phone.claim(invitation)
        let second = try await phone.claim(invitation)
        #expect(second.shown.accountID == first.shown.accountID)
        #expect(second.shown.serverShare == first.shown.serverShare)
        #expect(second.hash != first.hash)
        // The first answer is void: its decision belongs to an ephemeral key that nobody waits for any more.
        let tried = try await phone.setFirstPIN(second)
        #expect(try await world.refusal(of: try phone.finishing(first, tried)) == .enrolmentUnknown)
        #expect(try await phone.finish(second, tried).state == .pending)
    }

    @Test("A second phone finds the link used, before and after the account is made")
    func secondPhone() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let second = try TestPhone(world, "second")
        let invitation = try await world.invite()
        let claimed = try await phone.claim(invitation)
        #expect(try await world.refusal(of: try second.claiming(invitation)) == .enrolmentUsed)
        try await phone.finish(claimed, try await phone.setFirstPIN(claimed))
        #expect(try await world.refusal(of: try second.claiming(invitation)) == .enrolmentUsed)
        _ = try await world.confirm(invitation, code: claimed.code)
        #expect(try await world.refusal(of: try second.claiming(invitation)) == .enrolmentUsed)
        #expect(Refusal.enrolmentUsed.status == .enrolUsed)
    }

    @Test("A phone that declines leaves the link to another, which gets another account and another share")
    func decline() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let second = try TestPhone(world, "second")
        let invitation = try await world.invite()
        let claimed = try await phone.claim(invitation)
        #expect(try await world.deliver(try phone.declining(claimed)) == Reply())
        let other = try await second.claim(invitation)
        #expect(other.shown.accountID != claimed.shown.accountID)
        #expect(other.shown.serverShare != claimed.shown.serverShare)
        // Said again it is answered again, and takes nothing from the other.
        #expect(try await world.deliver(try phone.declining(claimed)) == Reply())
        try await second.finish(other, try await second.setFirstPIN(other))
    }

    @Test(
        "Why a phone gave the link back is what it signed: the page hears it and finds it, and who never asked for it is in the audit trail",
        arguments: [Decision.decline, .notMe, .gaveUp])
    func givesBack(decision: Decision) async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let claimed = try await phone.claim(invitation)
        let stream = try present(try await world.enrolments.newest(of: invitation.nonce, at: world.server, now: world.now)).stream
        let news = world.hub.subscribe(to: [.stream(stream)])
        let message = try phone.raw.sign(
            E3(
                enrolHash: claimed.hash, decision: decision, instanceID: nil, attemptID: nil, context: .firstSet, epoch: 1, secondFactorKey: nil,
                secondFactorSignature: nil))
        #expect(try await world.deliver(phone.outgoing(message.bytes, claimed.ephemeral)) == Reply())
        #expect(await world.heard(news, of: .stream(stream)) == [.enrolment(.givenBack(decision))])
        let left = try await world.enrolments.newest(of: invitation.nonce, at: world.server, now: world.now)
        #expect(left?.progress == .givenBack(decision))
        let trail = try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 999) }
        let actors: [AuditActor] = decision == .notMe ? [.phone] : []
        #expect(trail.filter { $0.kind == .enrolmentDisowned }.map(\.actor) == actors)
    }

    @Test("A wrong secret, an unknown link and one of another server are one and the same")
    func unknown() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        let guess = try phone.claiming(invitation, secret: [UInt8](repeating: 0, count: 16))
        let before = try await world.snapshot()
        #expect(try await world.refusal(of: guess) == .enrolmentUnknown)
        let known = try phone.claiming(invitation)
        let elsewhere = try await world.refusal { _ = try await world.deliver(known, at: world.neighbour.server) }
        #expect(elsewhere == .enrolmentUnknown)
        #expect(try await world.snapshot() == before)
    }

    @Test("After ten minutes the link is old")
    func old() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        world.pass(600)
        _ = try await phone.claim(invitation)
        world.pass(1)
        #expect(try await world.refusal(of: try phone.claiming(invitation)) == .enrolmentOld)
        #expect(Refusal.enrolmentOld.status == .linkOld)
    }

    @Test("A device key that is no point of the curve is refused")
    func badKey() async throws {
        let world = try await DomainFixture()
        let invitation = try await world.invite()
        let message = E1(
            enrolID: invitation.link.enrolID, enrolSecret: invitation.link.enrolSecret, deviceKey: [4] + [UInt8](repeating: 1, count: 64),
            appInfo: "", osInfo: "")
        let phone = try TestPhone(world, "phone")
        #expect(try await world.refusal(of: phone.outgoing(message.encoded, try phone.ephemeral())) == .badSignature)
    }

    @Test("Without the second-factor server nobody can enrol, and the link is not used up")
    func secondFactorDown() async throws {
        let world = try await DomainFixture()
        let phone = try TestPhone(world, "phone")
        let invitation = try await world.invite()
        world.secondFactor.set { $0.isDown = true }
        #expect(try await world.refusal(of: try phone.claiming(invitation)) == .secondFactorUnavailable)
        world.secondFactor.set { $0.isDown = false }
        _ = try await phone.claim(invitation)
    }

    @Test("A second invitation for a browser takes the place of one that no phone has yet")
    func replaced() async throws {
        let world = try await DomainFixture { $0.flags = ["SKIP_ENROL_CONFIRMATION"] }
        let phone = try TestPhone(world, "phone")
        let first = try await world.invite()
        let second = try await world.invite()
        #expect(try await world.refusal(of: try phone.claiming(first)) == .enrolmentOld)
        let claimed = try await phone.claim(second)
        #expect(try await phone.finish(claimed, try await phone.setFirstPIN(claimed)).state == .active)
    }

    @Test(
        "Whoever starts an enrolment gives a name that can be shown",
        arguments: ["", " ", "\u{3164}", "\u{202E}ecila", "alice\nConfirmed", "alice\u{200F}", String(repeating: "x", count: 256)])
    func unfitName(name: String) async throws {
        let world = try await DomainFixture()
        let nonce = try DomainFixture.nonce("enrolling")
        let before = try await world.snapshot()
        await #expect(throws: EnrolmentStartError.badName) {
            let start = EnrolmentStart(nonce: nonce, displayName: name, userID: nil)
            _ = try await world.enrolments.start(start, at: world.server, origin: DomainFixture.origin, by: .backend, now: world.now)
        }
        await #expect(throws: EnrolmentStartError.badUserID) {
            let start = EnrolmentStart(nonce: nonce, displayName: "Alice", userID: name)
            _ = try await world.enrolments.start(start, at: world.server, origin: DomainFixture.origin, by: .backend, now: world.now)
        }
        #expect(try await world.snapshot() == before)
    }
}
