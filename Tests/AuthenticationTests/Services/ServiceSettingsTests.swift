import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("What an operator says of a token service")
struct ServiceSettingsTests {
    private static func address(_ text: String) throws -> ServiceAddress { try #require(ServiceAddress(text)) }

    private func set(_ text: String, patience: UInt64 = 5, isTrial: Bool = false, at world: DomainFixture) async throws -> ServiceOutcome {
        try await world.tokenServices.set(
            try Self.address(text), patience: patience, at: world.server, isTrial: isTrial, by: .backend, now: world.now)
    }

    private func entries(_ world: DomainFixture) async throws -> [AuditEntry.Kind] {
        try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 16).map(\.kind) }
            .filter { [.tokenServiceSaved, .tokenServiceSecretSet, .tokenServiceRemoved].contains($0) }
    }

    @Test("S0-32 the first one is given a secret that is told once; said again nothing changes, and nothing is told")
    func first() async throws {
        let world = try await DomainFixture()
        await #expect(throws: NoServiceBehind(.token)) { try await world.tokenServices.service(of: world.server) }
        let outcome = try await set("https://tokens.example/token", at: world)
        let drawn = try #require(outcome.drawn)
        #expect(try drawn.text.utf8.count == 43 && outcome.service.secret.bytes() == Array(drawn.text.utf8))
        #expect(String(describing: drawn) == "‹secret›" && !"\(outcome)".contains(drawn.text))
        let again = try await set("https://tokens.example/token", at: world)
        #expect(again.drawn == nil && again.service == outcome.service)
        #expect(try await world.tokenServices.service(of: world.server) == outcome.service)
        #expect(try await entries(world) == [.tokenServiceSaved])
    }

    @Test("The secret stays with its origin: another path or time keeps it, another host, port or scheme is never shown it")
    func origin() async throws {
        let world = try await DomainFixture()
        let first = try await set("https://tokens.example/token", at: world)
        let moved = try await set("https://tokens.example/v2/token", patience: 9, at: world)
        #expect(moved.drawn == nil && moved.service.secret == first.service.secret && moved.service.patience == 9)
        for other in ["https://tokens.example:8443/token", "https://tokens.example.evil/token", "http://localhost/token"] {
            let outcome = try await set(other, at: world)
            #expect(outcome.drawn != nil && outcome.service.secret != first.service.secret)
        }
        let back = try await set("https://tokens.example/token", at: world)
        #expect(back.drawn != nil, "what was said in between is another service")
    }

    @Test("A dry run tells what would be there, draws nothing and keeps nothing")
    func trial() async throws {
        let world = try await DomainFixture()
        let outcome = try await set("https://tokens.example/token", isTrial: true, at: world)
        #expect(outcome.drawn == nil && outcome.service.address.text == "https://tokens.example/token")
        await #expect(throws: NoServiceBehind(.token)) { try await world.tokenServices.service(of: world.server) }
        #expect(try await entries(world).isEmpty)
        let unknown = ServerID(using: SeededRandom("nobody"))
        for isTrial in [true, false] {
            await #expect(throws: UnknownServer()) {
                try await world.tokenServices.set(
                    try Self.address("https://tokens.example/"), patience: 5, at: unknown, isTrial: isTrial, by: .backend, now: world.now)
            }
        }
    }

    @Test("A secret is drawn anew, and told; one that was given is kept, and not told; without a service there is none")
    func secret() async throws {
        let world = try await DomainFixture()
        await #expect(throws: NoServiceBehind(.token)) { try await world.tokenServices.setSecret(at: world.server, by: .backend, now: world.now) }
        let first = try await set("https://tokens.example/token", at: world)
        let second = try await world.tokenServices.setSecret(at: world.server, by: .backend, now: world.now)
        #expect(second.drawn != nil && second.service.secret != first.service.secret && second.service.address == first.service.address)
        let given = try #require(ServiceSecret("a-gateway-key-of-thirty-two-bytes=="))
        let third = try await world.tokenServices.setSecret(given, at: world.server, by: .backend, now: world.now)
        #expect(try third.drawn == nil && third.service.secret.bytes() == Array("a-gateway-key-of-thirty-two-bytes==".utf8))
        try await world.tokenServices.remove(at: world.server, by: .backend, now: world.now)
        try await world.tokenServices.remove(at: world.server, by: .backend, now: world.now)
        #expect(try await entries(world) == [.tokenServiceRemoved, .tokenServiceSecretSet, .tokenServiceSecretSet, .tokenServiceSaved])
    }

    @Test("A given secret can stand in a header, and cannot be guessed")
    func forms() {
        let long = String(repeating: "a", count: 32)
        for text in [long, long + "==", "-._~+/" + long, String(repeating: "a", count: 512)] { #expect(ServiceSecret(text) != nil, "\(text)") }
        for text in [
            "", String(repeating: "a", count: 31), String(repeating: "a", count: 513), long + " ", long + "\n", "=" + long, long + "=a", long + "é",
        ] {
            #expect(ServiceSecret(text) == nil, "\(text)")
        }
    }

    @Test("An address is https, or http of this machine, and comes in one spelling of its origin")
    func addresses() throws {
        #expect(try Self.address("HTTPS://Tokens.Example:443/Token").text == "https://tokens.example/Token")
        #expect(try Self.address("https://tokens.example").text == "https://tokens.example/")
        #expect(try Self.address("http://127.0.0.1:9090/a%20b/~c").text == "http://127.0.0.1:9090/a%20b/~c")
        for (text, told, host) in [
            ("http://[::1]:9090/a", "http://[::1]:9090/a", "::1"), ("HTTP://[::1]:80", "http://[::1]/", "::1"),
            ("http://[::1]", "http://[::1]/", "::1"),
            ("http://localhost:9090/", "http://localhost:9090/", "localhost"), ("http://127.9.8.7/", "http://127.9.8.7/", "127.9.8.7"),
        ] { #expect(try Self.address(text).text == told && Self.address(text).host == host, "\(text)") }
        for text in [
            "", "tokens.example/token", "http://tokens.example/token", "ftp://tokens.example/", "https://", "https:///token",
            "https://user:pass@tokens.example/", "https://tokens.example/?key=1", "https://tokens.example?key=1", "https://tokens.example/#a",
            "https://tokens.example:70000/", "https://tokens.example/a b", "https://tokens.example/\r\nHost: evil", "https://tokens.example/é",
            "https://tokens.example\\@evil/", "https://tokens.example/" + String(repeating: "a", count: 2_000),
            "http://[::1].tokens.example/", "http://[::1]:0/", "http://[::1]:/", "http://[::1]:70000/", "http://[::2]/", "http://[::1/",
            "http://[::1]x/", "https://[2001:db8::1]/",
        ] { #expect(ServiceAddress(text) == nil, "\(text)") }
    }
}
