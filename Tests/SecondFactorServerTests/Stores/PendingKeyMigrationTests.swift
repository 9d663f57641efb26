import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import SecondFactor
@testable import SecondFactorServer

@Suite("A database whose keys that wait stood in a table and two indexes")
struct PendingKeyMigrationTests {
    @Test("A PIN that was being set when the program was exchanged is proved by its key, and a key that nobody proves goes in its time")
    func kept() async throws {
        let database = try openInMemory()
        let before = secondFactorMigrations.prefix { $0.name != "keys that wait have no second index" }
        try #require(before.count < secondFactorMigrations.count)
        try await database.migrate(Array(before))
        let service = SecondFactorService(
            trustedRoots: [], store: SQLSecondFactorStore(database: database), policy: .standard,
            evaluator: CountingEvaluator(keyEncryptionKey: .random()))
        let (proving, waiting) = (CheckedMessages("proving"), CheckedMessages("waiting"))
        for messages in [proving, waiting] {
            _ = try await service.tickets.reserve(messages.firstSet(Self.name(messages)), at: messages.now)
        }
        let held = try await keys(of: [proving, waiting], in: service)
        #expect(held.allSatisfy { $0 != nil })
        try await database.migrate(secondFactorMigrations)
        #expect(try await keys(of: [proving, waiting], in: service) == held)
        let proof = proving.proof(Self.name(proving), sequence: 0, context: .firstSet)
        guard case .proved = try await service.proofs.complete(proof, at: proving.now, signing: { _ in [1] }) else {
            Issue.record("not proved")
            return
        }
        #expect(try await keys(of: [proving, waiting], in: service) == [nil, held[1]])
        let instance = try await service.store.read { rows in try rows.instance(proving.instanceID) }
        #expect(instance?.openKeys?.evaluationKey == held[0]?.evaluationKey)
        #expect(try await service.deleteExpired(at: waiting.now + 599).deleted == 0)
        #expect(try await service.deleteExpired(at: waiting.now + 600).deleted == 1)
        #expect(try await keys(of: [proving, waiting], in: service) == [nil, nil])
        let table = try await database.read { try $0.one("SELECT sql FROM sqlite_master WHERE name = 'pending_key'")?.text("sql") }
        #expect(table?.hasSuffix("WITHOUT ROWID") == true)
    }

    private static func name(_ messages: CheckedMessages) -> String { "first PIN of \(messages.instanceID.text)" }

    private func keys(of messages: [CheckedMessages], in service: SecondFactorService) async throws -> [PendingKey?] {
        let ids = messages.map(\.instanceID)
        return try await service.store.read { rows in try ids.map { try rows.pendingKey(of: $0) } }
    }
}
