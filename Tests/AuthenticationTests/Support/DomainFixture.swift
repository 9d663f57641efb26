// Support: one authentication server in memory, the phones and browsers that ask it, and the second-factor server behind it.
//
// `DomainFixture` wires the services as the node does and moves the clock; `DomainFixture+…` is what backends, pages and the wire do. `TestPhone`
// makes the messages of a phone with its own keys. `SecondFactorInMemory` is the real second-factor server; `UnreliableSecondFactor` stands before it
// and makes go wrong what a test wants to. Start reading here, then TestPhone.

import Authentication
import OstiaryProtocol
import OstiaryTesting

/// An authentication server in memory: its services as they are wired, a second-factor server beside it, and a clock that only tests move.
final class DomainFixture: Sendable {
    static let start = Instant(1_800_000_000)
    static let origin = "https://login.example"

    let store = MemoryStore()
    let keys: FixtureKeys
    /// A second virtual server of the same process.
    let neighbour: FixtureKeys
    let secondFactor: UnreliableSecondFactor
    let hub = SessionEventHub()
    let random = SeededRandom("server")
    /// The service behind each virtual server that has one.
    let tokenService = FixtureService<TokenServiceCall> { _ in .bytes([1, 2, 3]) }
    let tokens: TokenCallService
    let dataService = FixtureService<DataServiceCall> { .bytes($0.payload.reversed()) }
    let data: DataCallService
    private let clock = TestClock(DomainFixture.start)

    let services: AuthenticationServices

    /// - Parameter mostWithoutPIN: biometrics that the second-factor server takes without a PIN; 0 for no limit.
    init(mostWithoutPIN: Int = 0, _ change: (inout ServerUpdate) -> Void = { _ in }) async throws {
        keys = try FixtureKeys(10, at: Self.start)
        neighbour = try FixtureKeys(40, at: Self.start)
        secondFactor = try UnreliableSecondFactor(
            by: clock, trusting: [keys.root.hash, neighbour.root.hash], mostWithoutPIN: mostWithoutPIN)
        let keyring = FixtureKeyring(known: [keys.server: keys, neighbour.server: neighbour])
        services = AuthenticationServices(store: WatchedStore(store: store), keyring: keyring, gateway: secondFactor, events: hub, random: random)
        tokens = TokenCallService(store: WatchedStore(store: store))
        data = DataCallService(store: WatchedStore(store: store))
        for each in [keys, neighbour] {
            let server = VirtualServer(
                id: each.server, publicKey: each.root.ed25519, createdAt: Self.start, parameters: ServerParameters(name: "Example"))
            try await store.write { rows in try rows.save(server) }
        }
        try await update(change)
    }

    var servers: ServerService { services.servers }
    var queries: SessionQueries { services.sessions }
    var enrolments: EnrolmentService { services.enrolments }
    var login: LoginService { services.logins }
    var attempts: AttemptService { services.attempts }
    var changes: SecondFactorChangeService { services.changes }
    var presence: PresenceService { services.presence }
    var accounts: AccountService { services.accounts }
    var closes: CloseQueue { services.closes }
    var housekeeping: Housekeeping { services.housekeeping }
    var tokenServices: ServiceSettings { ServiceSettings(.token, store: store, random: random) }
    var dataServices: ServiceSettings { ServiceSettings(.data, store: store, random: random) }
    var server: ServerID { keys.server }
    var now: Instant { clock.now }

    /// Lets time pass for both servers and all phones.
    func pass(_ seconds: UInt64) { clock.advance(seconds) }

    func update(_ change: (inout ServerUpdate) -> Void) async throws {
        var update = ServerUpdate()
        change(&update)
        guard update != ServerUpdate() else { return }
        _ = try await servers.update(server, with: update, by: .backend, at: now)
    }
}
