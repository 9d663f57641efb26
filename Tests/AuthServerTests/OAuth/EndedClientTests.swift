import AuthServer
import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// What a phone and a client hear of a question whose application an operator takes away.
@Suite("An application that may ask no more", .againWithLostCommits, .timeLimit(.minutes(10)))
struct EndedClientTests {
    private static func registry(_ servers: ServersFixture) -> RegistryService {
        RegistryService(store: SQLOAuthStore(database: servers.database, key: .random()), random: SystemRandomSource())
    }

    private static func setEnabled(_ isEnabled: Bool, _ servers: ServersFixture) async throws {
        let registry = registry(servers)
        var application = try await registry.application(try #require(ClientID(AskingClient.name)), of: servers.server)
        application.isEnabled = isEnabled
        let document = RegistryDocument(applications: [application])
        _ = try await registry.apply(document, at: servers.server, by: .operator, now: servers.now)
    }

    private static func remove(_ servers: ServersFixture) async throws {
        let client = try #require(ClientID(AskingClient.name))
        try await registry(servers).remove(.application(client), at: servers.server, by: .operator, now: servers.now)
    }

    @Test(
        "Removed or switched off it rings nowhere, a phone that has it on the screen hears that it is over, and its client is none",
        arguments: [false, true])
    func ended(byRemoval: Bool) async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let client = try await AskingClient(at: servers)
            let ringing = try await client.ask()
            servers.clock.advance(1)
            let begun = try await client.ask()
            let shown = try await phone.showWaiting()
            let attempt = try await shown.proved()
            #expect(try await phone.fetch().count == 2)
            if byRemoval { try await Self.remove(servers) } else { try await Self.setEnabled(false, servers) }
            #expect(try await phone.fetch().isEmpty)
            // The one that it has on the screen, and not the one that rang only.
            let store = SQLAuthenticationStore(database: servers.database, key: .random())
            let told = try await store.read { rows in try rows.auditEntries(of: servers.server, limit: 99) }.filter { $0.kind == .loginAbandoned }
            #expect(told.map(\.account) == [phone.account] && told.map(\.actor) == [.operator])
            #expect(await servers.refusal { try await shown.send(try shown.accepting(attempt, number: begun.number)) } == .sessionOver)
            for asked in [ringing, begun] {
                let answer = try await client.poll(asked)
                #expect(answer.status == 401 && answer.error == "invalid_client")
            }
            guard !byRemoval else { return }
            try await Self.setEnabled(true, servers)
            for asked in [ringing, begun] { #expect(try await client.poll(asked).error == "access_denied") }
            #expect(try await phone.fetch().isEmpty)
        }
    }

    @Test("Switched off between the two transactions that begin a question, it rings nowhere: the place of its session is taken")
    func betweenTheTwo() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let client = try await AskingClient(at: servers)
            let waiting = servers.services.waiting
            // What the first transaction leaves behind.
            let session = try #require(SessionID([UInt8](repeating: 0x5A, count: 16)))
            let question = PolledAuthorization(
                hash: SHA([1]), server: servers.server, client: try #require(ClientID(AskingClient.name)), way: .backchannel(phone.account),
                scopes: try ScopeSet(parsing: "openid"), api: nil, createdAt: servers.now, life: 300, session: session)
            try await SQLOAuthStore(database: servers.database, key: .random()).write { rows in try rows.save(question) }
            try await Self.setEnabled(false, servers)
            let request = LoginRequest(account: phone.account)
            try await waiting.begin(session, at: servers.server, asking: request, openFor: 300, now: servers.now)
            #expect(try await phone.fetch().isEmpty)
            try await Self.setEnabled(true, servers)
            _ = try await client.ask()
            #expect(try await phone.fetch().count == 1, "and another one rings")
        }
    }
}
