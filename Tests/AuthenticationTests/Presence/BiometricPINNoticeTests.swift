import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Notices of a PIN that a biometric alone set (protocol §7, §8)")
struct BiometricPINNoticeTests {
    private static func told(_ extensions: Extensions) -> [String] {
        extensions.notices.filter { $0.subject == .pinByBiometric }.map(\.device)
    }

    /// Another phone of the person, logged in to its app, that was shown which phones were enrolled; and one with biometrics.
    private func prepared(_ world: DomainFixture) async throws -> (old: TestPhone, session: SessionID, finger: TestPhone) {
        let old = try await world.enrolledPhone(name: "old phone")
        let finger = try await world.enrolledPhone(name: "stolen phone")
        try await finger.addBiometrics()
        let login = try await old.appLogIn()
        world.pass(1)
        _ = try await old.ping(login.session, after: login.answer.extensions.notices)
        world.pass(1)
        return (old, login.session, finger)
    }

    @Test("A23: a new PIN that a biometric alone set is told to the person's other phones, until each has shown it, and to nobody else")
    func untilShown() async throws {
        let world = try await DomainFixture()
        let (old, session, finger) = try await prepared(world)
        let asleep = try await world.enrolledPhone(name: "asleep")
        let stranger = try await world.enrolledPhone("bob", name: "stranger")
        let changedAt = world.now
        try await finger.replacePIN()
        world.pass(1)
        let heard = try await old.ping(session).extensions.notices.filter { $0.subject == .pinByBiometric }
        #expect(heard.map(\.device) == ["stolen phone"] && heard.map(\.time) == [changedAt])
        world.pass(1)
        #expect(Self.told(try await old.ping(session).extensions) == ["stolen phone"], "an answer may be lost")
        world.pass(1)
        #expect(Self.told(try await old.ping(session, after: heard).extensions).isEmpty)
        #expect(Self.told(try await finger.logIn(epoch: 2, "thief").extensions).isEmpty)
        #expect(Self.told(try await stranger.logIn("stranger").extensions).isEmpty)
        world.pass(86_400)
        #expect(Self.told(try await asleep.logIn("morning").extensions) == ["stolen phone"])
    }

    @Test("Once, whichever copies of the last message come, also when the second-factor server's answer to the first was lost")
    func once() async throws {
        let world = try await DomainFixture()
        let (old, session, finger) = try await prepared(world)
        let last = try await finger.replacingPIN()
        world.secondFactor.set { $0.losesAnswers = true }
        #expect(try await world.refusal(of: last) == .secondFactorUnavailable)
        #expect(Self.told(try await old.ping(session).extensions).isEmpty, "this server does not know yet that it came about")
        world.secondFactor.set { $0.losesAnswers = false }
        for _ in 0..<3 { #expect(try M4(decoding: try await world.deliver(last).body).epoch == 2) }
        world.pass(1)
        #expect(Self.told(try await old.ping(session).extensions) == ["stolen phone"])
    }

    @Test("Not when a PIN vouched, alone or beside the biometric, nor for a biometric that vouched and set no PIN")
    func withPIN() async throws {
        let world = try await DomainFixture()
        let (old, session, finger) = try await prepared(world)
        try await finger.changePIN()
        _ = try await finger.complete(try finger.provingByBiometric(.pinChangeVerify, epoch: 2))
        var both = try await finger.provingByPIN(.pinChangeVerify, epoch: 2)
        both.method = [.pin, .bio]
        both.biometricSignature = try finger.biometricSignature(
            both.attempt, .pinChangeVerify, finger.operationHash(.pinChangeVerify, [], epoch: 2), madeAt: world.now)
        _ = try await finger.complete(both)
        #expect(try await finger.complete(try await finger.settingPIN(both.attempt, epoch: 3).change).epoch == 3)
        world.pass(1)
        #expect(Self.told(try await old.ping(session).extensions).isEmpty)
    }

    @Test("The people of all accounts on the phone are told, whichever account signed")
    func otherAccount() async throws {
        let world = try await DomainFixture()
        let (old, session, finger) = try await prepared(world)
        _ = try await finger.secondAccount()
        let bobs = try await world.enrolledPhone("bob", name: "bob's other phone")
        try await finger.replacePIN()
        world.pass(1)
        #expect(Self.told(try await old.ping(session).extensions) == ["stolen phone"])
        #expect(Self.told(try await bobs.logIn("bob").extensions) == ["stolen phone, second key"])
    }

    @Test("Of seventeen that no phone acknowledged the newest sixteen are kept, and a notice of a new phone stays beside them")
    func bounded() async throws {
        let world = try await DomainFixture()
        let (old, session, finger) = try await prepared(world)
        _ = try await world.freshlyEnrolledPhone(name: "new phone")
        let first = world.now
        for epoch in UInt32(1)...17 {
            try await finger.replacePIN(from: epoch)
            world.pass(1)
        }
        let notices = try await old.ping(session).extensions.notices
        #expect(notices.map(\.subject) == [.enrolled] + [DeviceNotice.Subject](repeating: .pinByBiometric, count: 16))
        #expect(notices.dropFirst().map(\.time) == (UInt64(1)...16).map { first + $0 })
        world.pass(1)
        #expect(try await old.ping(session, after: Array(notices.prefix(16))).extensions.notices == [notices[16]])
    }
}

extension TestPhone {
    /// A biometric vouches; the message that sets the new PIN.
    fileprivate func replacingPIN(from epoch: UInt32 = 1) async throws -> Outgoing {
        let verified = try provingByBiometric(.pinChangeVerify, epoch: epoch)
        _ = try await complete(verified)
        return try changing(try await settingPIN(verified.attempt, epoch: epoch + 1, byBiometric: true).change)
    }

    fileprivate func replacePIN(from epoch: UInt32 = 1) async throws {
        let answer = try M4(decoding: try await world.deliver(try await replacingPIN(from: epoch)).body)
        guard answer.epoch == epoch + 1 else { throw Refusal.changeNotVouched }
    }
}
