import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// Two virtual servers with the same keys, as after a database that was copied: every mac and every link is genuine at both, and only the name of
/// the server in the rows tells them apart.
@Suite("Two servers with the same keys")
struct SharedKeysTests {
    private struct CopiedKeys: ServerKeyring {
        let original: FixtureKeys

        func keys(of server: ServerID) async throws -> ServerKeys {
            ServerKeys(chain: original.chain, operatorKey: original.operatorKey, sidKey: original.sidKey)
        }
    }

    /// The services of the neighbour, by the keys of the other server.
    private struct Neighbour {
        let world: DomainFixture
        let login: LoginService
        let attempts: AttemptService

        init(of world: DomainFixture) {
            self.world = world
            let keyring = CopiedKeys(original: world.keys)
            let client = SecondFactorClient(gateway: world.secondFactor, keyring: keyring)
            login = LoginService(store: world.store, keyring: keyring, events: world.hub, secondFactor: client, random: world.random)
            attempts = AttemptService(store: world.store, keyring: keyring, events: world.hub, secondFactor: client)
        }

        func refusal(of message: Outgoing, by answer: (PhoneRequest) async throws -> Reply) async throws -> Refusal {
            let opened = try OpenedRequest(try world.seal(message).bytes, with: world.keys.prekey)
            return try await world.refusal { _ = try await answer(PhoneRequest(server: world.neighbour.server, opened: opened, now: world.now)) }
        }
    }

    @Test("A session of the one is neither shown, tried, decided nor talked about at the other")
    func sessions() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let link = try await world.link()
        let shown = try await phone.look(at: link)
        let twin = try await phone.atNeighbour()
        let neighbour = Neighbour(of: world)
        let before = try await world.snapshot()
        #expect(try await neighbour.refusal(of: try twin.looking(at: link), by: neighbour.login.show) == .sessionUnknown)
        #expect(try await neighbour.refusal(of: try twin.trying(shown).message, by: neighbour.attempts.evaluate) == .sessionUnknown)
        #expect(try await neighbour.refusal(of: try twin.refusing(shown), by: neighbour.login.decide) == .sessionUnknown)
        #expect(try await world.snapshot() == before)
        _ = try await phone.tryPIN(shown)
        let word = L7(
            sessionID: shown.content.sessionID, accountID: try present(twin.account), state: .gaveUp, until: Instant(0), offer: shown.content.offer)
        let said = twin.outgoing(try Encoded(word, signedBy: twin.sign).bytes, shown.ephemeral)
        #expect(try await neighbour.refusal(of: said, by: neighbour.login.note) == .sessionUnknown, "nor is it told that somebody has it")
    }
}
