import Foundation
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import OstiaryMobile

/// A network on which something happens once, between the moment at which the provider answered a call for a token and that at which the answer comes.
final class EventfulNetwork: Transport {
    typealias Event = @Sendable () async throws -> Void

    private let base: TokenServer
    private let event = Mutex<Event?>(nil)

    init(_ base: TokenServer) { self.base = base }

    /// - Parameter event: what it throws loses the answer.
    func meanwhile(_ event: @escaping Event) { self.event.withLock { $0 = event } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let answer = try await base.send(request)
        guard request.url.path == "/oauth/token", let event = event.withLock({ $0.take() }) else { return answer }
        do { try await event() } catch { throw .unreachable }
        return answer
    }
}

@Suite("What happens while a refresh is under way", .timeLimit(.minutes(10)))
struct TokenMeanwhileTests {
    private let world: TokenFixture
    private let network: EventfulNetwork

    init() throws {
        world = try TokenFixture(bindsToDevice: false)
        network = EventfulNetwork(world.server)
    }

    /// A process on the network, whose turn nobody keeps unless it is said who.
    private func client(_ settings: TokenSettings, lock: (any TokenLock)? = nil) -> TokenClient {
        var ports = Ports(keys: world.keys, accounts: MemoryAccountStore(), transport: network, clock: world.clock)
        ports.tokens = world.documents
        ports.tokenLock = lock
        return TokenClient(settings, ports: ports, source: nil, random: SystemRandomSource())
    }

    private func settings(bound: Bool) -> TokenSettings {
        var settings = world.settings
        settings.bindsToDevice = bound
        return settings
    }

    @Test("Who logs in meanwhile is logged in, and not the person whose token was being renewed", arguments: [true, false])
    func anotherPerson(_ bindsToDevice: Bool) async throws {
        let client = client(settings(bound: bindsToDevice))
        try await client.logIn(in: world.browser)
        world.passLife()
        network.meanwhile { [world] in
            world.server.with { $0.subject = "bob" }
            try await client.logIn(in: world.browser)
        }
        let token = try await client.freshToken()
        #expect(try await client.credentials()?.profile?.subject == "bob")
        #expect(world.server.isGood(token) && world.server.with { $0.accessTokens[token.value] } == 1)
        #expect(world.server.with { $0.families[0].isOver && !$0.families[1].isOver })
        #expect(try world.isTidy)
    }

    @Test("Who logs out meanwhile is logged out, and nothing of the answer stays", arguments: [true, false])
    func loggedOut(_ bindsToDevice: Bool) async throws {
        let client = client(settings(bound: bindsToDevice))
        try await client.logIn(in: world.browser)
        world.passLife()
        network.meanwhile { try await client.revoke() }
        await #expect(throws: TokenError.notLoggedIn) { try await client.freshToken() }
        #expect(try await client.credentials() == nil)
        #expect(world.keys.names.isEmpty)
    }

    @Test("An app that was suspended in a refresh until its lease was over does not ask again by what an extension renewed twice since")
    func suspended() async throws {
        let lock = LeasedTokenLock(in: world.leases, clock: world.clock)
        let (app, widget) = (client(world.settings, lock: lock), world.process())
        try await app.logIn(in: world.browser)
        world.passLife()
        network.meanwhile { [world] in
            world.clock.advance(61)
            _ = try await widget.freshToken()
            world.passLife()
            _ = try await widget.freshToken()
            throw TransportError.unreachable
        }
        let token = try await app.freshToken()
        #expect(world.server.isGood(token))
        #expect(world.server.with { !$0.families[0].isOver })
        world.passLife()
        #expect(world.server.isGood(try await app.freshToken()), "the newest refresh token is the one that is stored")
    }

    @Test("An answer that comes after an extension renewed twice puts no older refresh token in the place of the newest")
    func lateAnswer() async throws {
        let lock = LeasedTokenLock(in: world.leases, clock: world.clock)
        let (app, widget) = (client(world.settings, lock: lock), world.process())
        try await app.logIn(in: world.browser)
        world.passLife()
        network.meanwhile { [world] in
            world.clock.advance(61)
            for _ in 0..<3 {
                _ = try await widget.freshToken()
                world.passLife()
            }
            _ = try await widget.freshToken()
        }
        let token = try await app.freshToken()
        #expect(try await widget.freshToken().value == token.value)
        world.passLife()
        #expect(world.server.isGood(try await app.freshToken()))
        #expect(world.server.with { !$0.families[0].isOver })
    }

    @Test("An empty refresh token in an answer is none: the one that is stored goes on", arguments: [true, false])
    func emptyRefreshToken(_ bindsToDevice: Bool) async throws {
        let client = client(settings(bound: bindsToDevice))
        try await client.logIn(in: world.browser)
        world.passLife()
        world.server.with { $0.lies.answer = { $0["refresh_token"] = .string("") } }
        #expect(world.server.isGood(try await client.freshToken()))
        world.passLife()
        world.server.with { $0.lies.answer = nil }
        #expect(world.server.isGood(try await client.freshToken()))
    }

    @Test("A reset while a code is being redeemed leaves no login whose key it destroyed")
    func reset() async throws {
        let client = client(settings(bound: true))
        network.meanwhile { [world] in
            try TokenVault(documents: world.documents, keys: world.keys, random: SystemRandomSource()).eraseAll()
        }
        await #expect(throws: TokenError.busy) { try await client.logIn(in: world.browser) }
        #expect(try await client.credentials() == nil)
        #expect(try world.stored.logins.isEmpty && world.keys.names.isEmpty)
    }
}

/// A key store at which something happens once, before it says a secret.
final class EventfulKeyStore: KeyStore {
    typealias Event = @Sendable () throws(KeyStoreError) -> Void

    private let base: MemoryKeyStore
    private let event = Mutex<Event?>(nil)

    init(_ base: MemoryKeyStore) { self.base = base }

    /// - Parameter event: what it throws is said in the place of the secret.
    func beforeSecret(_ event: @escaping Event) { self.event.withLock { $0 = event } }

    func makeDeviceKey(named name: String) throws(KeyStoreError) -> [UInt8] { try base.makeDeviceKey(named: name) }
    func publicKey(named name: String) throws(KeyStoreError) -> [UInt8] { try base.publicKey(named: name) }
    func sign(_ message: [UInt8], withKeyNamed name: String) throws(KeyStoreError) -> [UInt8] { try base.sign(message, withKeyNamed: name) }
    func store(_ secret: [UInt8], named name: String) throws(KeyStoreError) { try base.store(secret, named: name) }
    func delete(named name: String) throws(KeyStoreError) { try base.delete(named: name) }

    func secret(named name: String) throws(KeyStoreError) -> [UInt8] {
        if let event = event.withLock({ $0.take() }) { try event() }
        return try base.secret(named: name)
    }
}

@Suite("What happens while the key store is asked", .timeLimit(.minutes(10)))
struct TokenKeyStoreTests {
    private let world: TokenFixture
    private let keys: EventfulKeyStore

    init() throws {
        world = try TokenFixture()
        keys = EventfulKeyStore(world.keys)
    }

    private var process: TokenClient {
        var ports = Ports(keys: keys, accounts: MemoryAccountStore(), transport: world.server, clock: world.clock)
        ports.tokens = world.documents
        ports.tokenLock = LeasedTokenLock(in: world.leases, clock: world.clock)
        return TokenClient(world.settings, ports: ports, source: nil, random: SystemRandomSource())
    }

    @Test("Who reads while another process puts a renewed login in the place of the former is logged in all the same")
    func readWhileRenewed() async throws {
        _ = try await world.loggedIn()
        keys.beforeSecret { [world] () throws(KeyStoreError) in
            let vault = TokenVault(documents: world.documents, keys: world.keys, random: SystemRandomSource())
            do {
                guard let kept = try vault.kept(world.settings.login) else { return }
                try vault.keep(kept.secret, as: kept.login.login, key: kept.login.key, renewing: kept.login)
            } catch { throw .unavailable }
        }
        #expect(try await process.credentials()?.profile?.subject == "alice")
    }

    @Test("A logout that the provider refused to hear of keeps no later one from it")
    func refusedOnce() async throws {
        let client = process
        try await client.logIn(in: world.browser)
        world.server.with { $0.mishaps["/oauth/revoke"] = [.refused("invalid_client"), .refused("invalid_client"), .refused("invalid_client")] }
        await #expect(throws: TokenError.refused(.invalidClient)) { try await client.revoke() }
        try await client.logIn(in: world.browser)
        await #expect(throws: TokenError.refused(.invalidClient)) { try await client.revoke() }
        #expect(world.server.with { $0.families[1].isOver && !$0.families[0].isOver })
        try await client.revoke()
        #expect(world.server.with { $0.families[0].isOver })
        #expect(world.keys.names.isEmpty)
    }

    @Test("A logout on a device that keeps its secrets to itself just then is told to the provider later")
    func revokedWhileLocked() async throws {
        let client = process
        try await client.logIn(in: world.browser)
        _ = try await client.credentials()
        keys.beforeSecret { () throws(KeyStoreError) in throw .unavailable }
        await #expect(throws: TokenError.keyStore) { try await client.revoke() }
        #expect(try await client.credentials() == nil)
        #expect(world.server.with { !$0.families[0].isOver })
        try await client.revoke()
        #expect(world.server.with { $0.families[0].isOver })
        #expect(world.keys.names.isEmpty)
    }
}
