import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// A server whose clock is wrong for a moment, and bundles that are older than others. That a bundle is old never says that the server is an impostor.
@Suite("Clocks that jump", .timeLimit(.minutes(10)))
struct ClockJumpTests {
    private static let hour: Int64 = 3_600
    private static let day: Int64 = 86_400

    /// The server's clock is set: it says so in its bundles and answers, and has a new prekey, so that phones have to take its bundle.
    private func set(_ server: TestServer, ahead seconds: Int64) async throws {
        try await server.with { server in
            server.mishaps.clockAhead = seconds
            server.bundleSequence = server.now
            try server.keys.rotatePrekey()
        }
    }

    private func logIn(_ phone: TestPhone) async throws {
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        try await phone.ostiary.end(try await phone.login())
        _ = try await phone.stopped()
    }

    @Test(
        "A server whose clock jumps an hour or ten days, either way, and back again is never an impostor: a login goes through each time",
        arguments: [hour, -hour, 10 * day, -10 * day], [true, false])
    func serverJumps(_ seconds: Int64, _ isRestarted: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        // The server's signed word about its clock comes first, as when the prekey is still known.
        await phone.server.with { $0.mishaps.clockAhead = seconds }
        try await logIn(phone)
        try await set(phone.server, ahead: seconds)
        try await logIn(phone)
        let after = isRestarted ? TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys) : phone
        try await set(phone.server, ahead: 0)
        try await logIn(after)
        phone.clock.advance(60)
        try await set(phone.server, ahead: 0)
        try await logIn(after)
        #expect(
            try StoredState(decoding: phone.accounts.document).servers.map(\.sequence) == [phone.clock.wall], "what lay in the future is forgotten")
    }

    @Test(
        "The phone's own clock jumps an hour or ten days, either way: bundles of a server whose clock is right are taken all the same",
        arguments: [3_600, -3_600, 864_000, -864_000])
    func phoneJumps(_ seconds: Int64) async throws {
        let phone = try await TestPhone.enrolled()
        for jump in [seconds, -seconds] {
            // Both clocks are one in this double: the server's is put back to where it was.
            phone.clock.setWall(by: jump)
            try await set(phone.server, ahead: jump == seconds ? -seconds : 0)
            try await logIn(TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys))
        }
    }

    @Test("An old bundle that somebody sends again takes no other's place: with the newer one the login goes on")
    func keepsTheNewer() async throws {
        let phone = try await TestPhone.enrolled()
        let old = await phone.server.with { $0.bundle.bytes }
        phone.clock.advance(90_000)
        // The prekey is too old by now, so a bundle is fetched, and an old one comes.
        let now = phone.clock.wall
        await phone.server.with { $0.bundleSequence = Instant(now) }
        try await logIn(TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys))
        phone.clock.advance(90_000)
        await phone.server.with { $0.mishaps.tamperBundle = { _ in old } }
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        try await logIn(next)
        let kept = try StoredState(decoding: phone.accounts.document).servers.map(\.sequence)
        #expect(kept == [now])
    }

    @Test("An old bundle where the newer one's prekey is unknown says that a clock is wrong, and is no impostor's")
    func oldOnly() async throws {
        let phone = try await TestPhone.enrolled()
        let now = phone.clock.wall
        try await phone.server.with { server in
            try server.keys.rotatePrekey()
            server.bundleSequence = Instant(now - 86_400)
        }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let error = try await phone.finalFailure()
        #expect(error == .clockWrong && error.code == nil && error.advice == .askUser)
    }

    @Test("Six hours below the newest is taken, a second more is not", arguments: [0, 1])
    func slack(_ more: UInt64) async throws {
        let phone = try await TestPhone.enrolled()
        let seen = phone.clock.wall
        phone.clock.advance(60)
        try await phone.server.with { server in
            try server.keys.rotatePrekey()
            server.bundleSequence = Instant(seen) - BundleAge.slack - more
        }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        if more == 0 { _ = try await phone.confirmLogin() } else { #expect(try await phone.finalFailure() == .clockWrong) }
        #expect(try StoredState(decoding: phone.accounts.document).servers.map(\.sequence) == [seen], "and nothing goes down")
    }

    /// What a phone does that needs the server.
    enum Errand: CaseIterable { case login, appLogin, pinChange, enrolment }

    private func fail(_ errand: Errand, _ phone: TestPhone) async throws -> OstiaryError {
        switch errand {
        case .login: phone.ostiary.start(with: try await phone.server.makeLoginLink())
        case .appLogin: phone.ostiary.startAppLogin()
        case .enrolment: phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        case .pinChange:
            phone.ostiary.changePIN()
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("271828"))
        }
        return try await phone.failure().0
    }

    @Test(
        "While the server's clock is behind its keys, so that it signs with one that no bundle had, phones hear that a clock is wrong, never 48; then all is well",
        arguments: Errand.allCases, [10 * day, 2_000 * day])
    func behindItsKeys(_ errand: Errand, _ seconds: Int64) async throws {
        let phone = try await TestPhone.enrolled()
        let keys = await phone.server.with { $0.keys }
        try await phone.server.with { try $0.jump(by: -seconds) }
        for next in [phone, TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)] {
            let error = try await fail(errand, next)
            #expect(error == .clockWrong && error.code == nil && error.advice == .askUser)
        }
        let highest = try await phone.server.with { try $0.counted.highest }
        await phone.server.with { server in
            server.mishaps.clockAhead = 0
            server.bundleSequence = server.now
            server.keys = keys
        }
        try await logIn(TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys))
        #expect(try await phone.server.with { try $0.counted } == TestServer.Counted(failed: 0, highest: highest + 1))
    }

    @Test(
        "A time at which none of the server's keys is valid is no clock: it is told as a wrong one, and the same process believes the next true answer",
        arguments: [200 * day, -200 * day, 4_000_000_000 * day])
    func outsideItsKeys(_ seconds: Int64) async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.mishaps.clockAhead = seconds }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .clockWrong)
        await phone.server.with { $0.mishaps.clockAhead = 0 }
        try await logIn(phone)
    }

    @Test("A server whose clock is behind the newest key of the second-factor server is no impostor either: a clock is wrong")
    func behindSecondFactor() async throws {
        let phone = try await TestPhone.enrolled()
        try await phone.server.with { server in
            try server.replaceSecondFactorOperatorKey()
            server.mishaps.clockAhead = -Self.hour
            server.bundleSequence = server.now
        }
        _ = try await phone.beginLogin()
        #expect(try await phone.finalFailure() == .clockWrong)
        await phone.server.with { $0.mishaps.clockAhead = 0 }
        try await logIn(phone)
    }

    @Test("The bundle of now, sent again by a stranger who signs the answers, is a stranger's: 48")
    func strangerWithPresentBundle() async throws {
        let phone = try await TestPhone.enrolled()
        let (bundle, stranger) = await phone.server.with { ($0.bundle.bytes, $0.secondFactor.root) }
        try await phone.server.with { server in
            server.mishaps.tamperBundle = { _ in bundle }
            try server.keys.replaceOperatorKey(certifiedBy: stranger, at: server.now)
        }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        #expect(try await phone.finalFailure() == .serverIdentity)
    }
}
