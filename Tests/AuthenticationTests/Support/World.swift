import Authentication
import OstiaryProtocol
import Synchronization

/// An authentication server in memory: its services as they are wired, a second-factor server beside it, and a clock that only tests move.
final class World: Sendable {
    static let start = Instant(1_800_000_000)
    static let origin = "https://login.example"

    let store = MemoryStore()
    let keys: WorldKeys
    /// A second virtual server of the same process.
    let neighbour: WorldKeys
    let secondFactor: SecondFactorDouble
    let hub = SessionEventHub()
    let random = SteadyRandom("server")
    private let clock = Mutex(World.start)

    let servers: ServerService
    let queries: SessionQueries
    let enrolments: EnrolmentService
    let login: LoginService
    let attempts: AttemptService
    let changes: SecondFactorChangeService
    let presence: PresenceService
    let accounts: AccountService
    let closes: CloseQueue
    let housekeeping: Housekeeping

    init(_ change: (inout ServerUpdate) -> Void = { _ in }) async throws {
        keys = try WorldKeys(10, at: Self.start)
        neighbour = try WorldKeys(40, at: Self.start)
        secondFactor = try SecondFactorDouble(at: Self.start)
        let keyring = WorldKeyring(known: [keys.server: keys, neighbour.server: neighbour])
        let client = SecondFactorClient(gateway: secondFactor, keyring: keyring)
        servers = ServerService(store: store)
        queries = SessionQueries(store: store, keyring: keyring, events: hub)
        enrolments = EnrolmentService(store: store, keyring: keyring, events: hub, secondFactor: client, random: random)
        login = LoginService(store: store, keyring: keyring, events: hub, secondFactor: client, random: random)
        attempts = AttemptService(store: store, keyring: keyring, events: hub, secondFactor: client)
        changes = SecondFactorChangeService(store: store, events: hub, secondFactor: client, random: random)
        presence = PresenceService(store: store, events: hub)
        accounts = AccountService(store: store, events: hub, secondFactor: client)
        closes = CloseQueue(store: store, secondFactor: client)
        housekeeping = Housekeeping(store: store, events: hub, enrolments: enrolments)
        for each in [keys, neighbour] {
            let server = VirtualServer(
                id: each.server, publicKey: each.root.ed25519, createdAt: Self.start, parameters: ServerParameters(name: "Example"))
            try await store.write { rows in try rows.save(server) }
        }
        try await update(change)
    }

    var server: ServerID { keys.server }
    var now: Instant { clock.withLock { $0 } }

    /// Lets time pass for both servers and all phones.
    func pass(_ seconds: UInt64) {
        let now = clock.withLock { clock in
            clock = clock + seconds
            return clock
        }
        secondFactor.move(to: now)
    }

    func update(_ change: (inout ServerUpdate) -> Void) async throws {
        var update = ServerUpdate()
        change(&update)
        guard update != ServerUpdate() else { return }
        _ = try await servers.update(server, with: update, at: now)
    }
}
