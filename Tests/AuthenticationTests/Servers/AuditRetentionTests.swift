import OstiaryProtocol
import Testing

@testable import Authentication

@Suite("How long the audit trail is kept")
struct AuditRetentionTests {
    @Test("What is older than the operator keeps goes, however much there is; without a limit all of it stays")
    func retention() async throws {
        let world = try await DomainFixture()
        let written = world.now
        try await world.store.write { rows in
            for _ in 0..<450 { try rows.record(AuditEntry(.loginAccepted, server: world.server, by: .phone, at: written)) }
            try rows.record(AuditEntry(.pinChanged, server: world.server, by: .phone, at: written + 50))
        }
        func left() async throws -> [AuditEntry.Kind] {
            try await world.store.read { rows in try rows.auditEntries(of: world.server, limit: 999) }.map(\.kind)
        }
        let count = try await left().count
        try await world.housekeeping.run(at: written + 99 * 365 * 86_400)
        #expect(try await left().count == count)
        let limited = Housekeeping(store: world.store, events: world.hub, enrolments: world.enrolments, auditRetention: 100)
        try await limited.run(at: written + 100)
        #expect(try await left().count == count)
        try await limited.run(at: written + 101)
        #expect(try await left() == [.pinChanged])
    }
}
