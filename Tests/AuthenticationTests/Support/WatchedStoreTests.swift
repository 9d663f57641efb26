import OstiaryProtocol
import Synchronization
import Testing

@testable import Authentication

private final class Reports: Sendable {
    private let reports = Mutex(0)

    var count: Int { reports.withLock { $0 } }
    func add() { reports.withLock { $0 += 1 } }
}

@Suite("The store under the tests of the services")
struct WatchedStoreTests {
    @Test("It tells of a signature that is verified in a transaction that writes, and of none that was verified before")
    func tells() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let ping = try world.seal(try phone.fresh(Ping(sessionID: SessionID(using: world.random), hold: 0)))
        let request = PhoneRequest(server: world.server, opened: try OpenedRequest(ping.bytes, with: world.keys.prekey), now: world.now)
        let message = try decoded(Ping.self, from: request)
        let reports = Reports()
        let store = WatchedStore(store: world.store) { reports.add() }
        for _ in 1...2 {
            try await WatchedStore.$signatures.withValue(request.signatures) {
                try await store.write { _ in try request.verify(message, by: phone.publicKey, freshness: request.opened.freshness) }
            }
            #expect(reports.count == 1 && request.signatures.count == 1)
        }
    }

    @Test("What did not hold ahead does not hold in its turn, by the same key and these bytes; another key is asked anew")
    func refused() async throws {
        let world = try await DomainFixture()
        let (phone, other) = (try await world.enrolledPhone(), try await world.enrolledPhone("bob", name: "other"))
        let ping = try world.seal(try phone.fresh(Ping(sessionID: SessionID(using: world.random), hold: 0)))
        let request = PhoneRequest(server: world.server, opened: try OpenedRequest(ping.bytes, with: world.keys.prekey), now: world.now)
        let message = try decoded(Ping.self, from: request)
        let freshness = request.opened.freshness
        try await request.verifyAhead(message, freshness: freshness, in: world.store) { _ in other.publicKey }
        #expect(throws: Refusal.badSignature) { try request.verify(message, by: other.publicKey, freshness: freshness) }
        #expect(throws: Refusal.badSignature) { try request.verify(message, by: phone.publicKey) }
        try request.verify(message, by: phone.publicKey, freshness: freshness)
        #expect(request.signatures.count == 3)
        try await request.verifyAhead(message, freshness: freshness, in: world.store) { _ in nil }
        #expect(request.signatures.count == 3)
    }
}
