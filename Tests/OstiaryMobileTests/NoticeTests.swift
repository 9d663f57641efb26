import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// "Another device was enrolled for you": the person's only sign that somebody took their place.
@Suite("Notices of other devices", .timeLimit(.minutes(10)))
struct NoticeTests {
    private static func notice(_ name: String, _ number: UInt8) -> DeviceNotice {
        DeviceNotice(.enrolled, id: NoticeID([UInt8](repeating: number, count: 16))!, device: name, time: Instant(UInt64(number)))
    }

    private func tell(_ notices: DeviceNotice..., by server: TestServer) async {
        await server.with { $0.settings.notices += notices }
    }

    private func left(at server: TestServer) async -> [String] { await server.with { $0.settings.notices.map(\.device) } }

    private func newDevice(_ phone: TestPhone) async throws -> NewDevice {
        try await phone.until { if case .newDevice(let device, _) = $0 { device } else { nil } }
    }

    private func logIn(_ phone: TestPhone) async throws -> Session {
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        return try await phone.login()
    }

    @Test("A login tells of it before it says that somebody is logged in, and the next ping says that it was shown")
    func beforeTheLogin() async throws {
        let phone = try await TestPhone.enrolled()
        await tell(Self.notice("tablet", 7), by: phone.server)
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let events = try await phone.all { if case .sessionLogin = $0 { true } else { false } }
        let told = events.compactMap { if case .newDevice(let device, _) = $0 { device } else { nil } }
        #expect(told == [NewDevice(name: "tablet", enrolledAt: 7)])
        #expect(await left(at: phone.server) == ["tablet"], "kept until it is acknowledged")
        _ = try await phone.ostiary.refresh()
        #expect(await left(at: phone.server).isEmpty)
        #expect(try StoredState(decoding: phone.accounts.document).accounts.first?.shownNotices == nil, "nothing is remembered for ever")
    }

    @Test("A PIN that a biometric set elsewhere is told before the login, beside a new device, once, and acknowledged like one")
    func pinByBiometric() async throws {
        let phone = try await TestPhone.enrolled()
        let pin = DeviceNotice(.pinByBiometric, id: NoticeID([UInt8](repeating: 9, count: 16))!, device: "tablet", time: Instant(99))
        await tell(pin, Self.notice("laptop", 7), by: phone.server)
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let events = try await phone.all { if case .sessionLogin = $0 { true } else { false } }
        let account = try #require(phone.ostiary.accounts?.first)
        let told = events.filter {
            switch $0 {
            case .newDevice, .pinReplacedByBiometric: true
            default: false
            }
        }
        #expect(
            told == [
                .newDevice(NewDevice(name: "laptop", enrolledAt: 7), account: account),
                .pinReplacedByBiometric(ReplacedPIN(deviceName: "tablet", replacedAt: 99), account: account),
            ])
        #expect(await left(at: phone.server).count == 2, "kept until they are acknowledged")
        _ = try await phone.ostiary.refresh()
        #expect(await left(at: phone.server).isEmpty)
        #expect(try StoredState(decoding: phone.accounts.document).accounts.first?.shownNotices == nil)
    }

    @Test("Told again by an answer or two it is shown once; a second one is shown beside it")
    func onceEach() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await logIn(phone)
        await tell(Self.notice("tablet", 7), by: phone.server)
        _ = try await phone.ostiary.refresh()
        // The answer to the acknowledgement is lost, and so are those to what the phone repeats by itself; then the server has forgotten it,
        // as one that was put back from a backup has.
        await phone.server.with { $0.mishaps.lostAnswers[.ping] = 1_000 }
        _ = try await phone.ostiary.refresh()
        #expect(await left(at: phone.server).isEmpty)
        await phone.server.with { server in
            server.settings.notices += [Self.notice("tablet", 7), Self.notice("laptop", 8)]
            server.mishaps.lostAnswers = [:]
        }
        _ = try await phone.ostiary.refresh()
        try await phone.ostiary.end(session)
        let events = try await phone.all { if case .sessionStop = $0 { true } else { false } }
        let told = events.compactMap { if case .newDevice(let device, _) = $0 { device.name } else { nil } }
        #expect(told == ["tablet", "laptop"])
    }

    @Test("An answer that is lost loses no notice: the next one brings it")
    func lostAnswer() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await logIn(phone)
        await tell(Self.notice("tablet", 7), by: phone.server)
        await phone.server.with { $0.mishaps.lostAnswers[.ping] = 1 }
        _ = try await phone.ostiary.refresh()
        #expect(await left(at: phone.server) == ["tablet"])
        _ = try await phone.ostiary.refresh()
        #expect(try await newDevice(phone).name == "tablet")
    }

    @Test("The answer to a logout tells it, too; the next login acknowledges it")
    func withALogout() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await logIn(phone)
        await tell(Self.notice("tablet", 7), by: phone.server)
        try await phone.ostiary.end(session)
        #expect(try await newDevice(phone).name == "tablet")
        #expect(await left(at: phone.server) == ["tablet"])
        _ = try await logIn(phone)
        #expect(await left(at: phone.server).isEmpty)
    }

    @Test("What one process showed the next acknowledges; with nobody listening nothing counts as shown")
    func otherProcess() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await logIn(phone)
        await tell(Self.notice("tablet", 7), by: phone.server)
        // A process that asks and listens to nothing, as one that is woken in the background may.
        let deaf = Ostiary(
            ports: Ports(
                keys: phone.keys, accounts: phone.accounts, transport: TestTransport(server: phone.server, cable: Cable()), clock: phone.clock))
        for _ in 0..<2 {
            phone.clock.advance(5)
            _ = try await deaf.refresh()
        }
        #expect(await left(at: phone.server) == ["tablet"])
        phone.clock.advance(5)
        let listening = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        _ = try await listening.ostiary.refresh()
        #expect(try await newDevice(listening).name == "tablet")
        #expect(await left(at: phone.server) == ["tablet"])
        phone.clock.advance(5)
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        _ = try await next.ostiary.refresh()
        #expect(await left(at: phone.server).isEmpty)
    }

    @Test("A login that is repeated because its answer was lost is the same message, whatever was shown meanwhile")
    func sameDecision() async throws {
        let phone = try await TestPhone.enrolled()
        let first = try await logIn(phone)
        _ = try await phone.atSecondFactor()
        await phone.server.with { $0.mishaps.lostAnswers[.l5] = 1 }
        await tell(Self.notice("tablet", 7), by: phone.server)
        _ = try await phone.ostiary.refresh()
        #expect(try await newDevice(phone).name == "tablet")
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.login().id != first.id)
    }

    @Test("A delegate counts as listening while it lives")
    func delegate() async throws {
        let hub = EventHub()
        #expect(!hub.isHeard)
        let waiting = hub.subscribe(replaying: false)
        #expect(!hub.isHeard, "a call that waits shows nothing to anybody")
        var delegate: Silent? = Silent()
        hub.setDelegate(delegate)
        #expect(hub.isHeard)
        delegate = nil
        #expect(!hub.isHeard)
        withExtendedLifetime((waiting, delegate)) {}
    }
}

private final class Silent: OstiaryDelegate {}
