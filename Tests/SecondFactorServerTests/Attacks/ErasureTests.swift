import Database
import Foundation
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// Erased keys are looked for byte by byte in every file that the database has: of SQLite, for the files of PostgreSQL are its operator's (docs/decisions/0047).
@Suite("Erased keys")
struct ErasureTests {
    /// Whether the bytes are anywhere in the database file, its log or its index.
    private func isFound(_ bytes: [UInt8], in path: String) throws -> Bool {
        try ["", "-wal", "-shm"].contains { suffix in
            guard FileManager.default.fileExists(atPath: path + suffix) else { return false }
            return try Data(contentsOf: URL(fileURLWithPath: path + suffix)).range(of: Data(bytes)) != nil
        }
    }

    private func run(_ body: @escaping @Sendable (ServerFixture, SQLSecondFactorStore, String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("sf.sqlite")
        let database = try openFile(path)
        let store = SQLSecondFactorStore(database: database)
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in try await body(stage, store, path) }
        try await database.close()
    }

    private func clean(_ stage: ServerFixture) async { for service in stage.service.background { await (service as? PeriodicTask)?.round() } }

    private func key(_ phone: RawPhone, _ store: SQLSecondFactorStore) async throws -> [UInt8] {
        let rows = try await store.situation(of: phone.instance, attempt: AttemptID(using: SeededRandom("none")))
        return try #require(rows.instance?.openKeys?.evaluationKey.bytes ?? rows.pending?.evaluationKey.bytes)
    }

    @Test("After a change of the PIN the old key is in no file of the database, and the new one is")
    func change() async throws {
        try await run { stage, store, path in
            let phone = try RawPhone("erased by change")
            try await stage.enrol(phone)
            let old = try await key(phone, store)
            #expect(try isFound(old, in: path))
            try await stage.changePIN(phone, sequence: 1)
            // The test can fail: the log holds the row as it was.
            #expect(try isFound(old, in: path))
            await clean(stage)
            #expect(try !isFound(old, in: path))
            #expect(try isFound(try await key(phone, store), in: path))
        }
    }

    @Test("After a Close the key is in no file of the database")
    func close() async throws {
        try await run { stage, store, path in
            let phone = try RawPhone("erased by close")
            try await stage.enrol(phone)
            let old = try await key(phone, store)
            #expect(try await stage.answer(stage.server.call(stage.server.close(phone.instance, at: stage.now).bytes)).status == .ok)
            await clean(stage)
            #expect(try !isFound(old, in: path))
        }
    }

    @Test("A pending key is in no file after another attempt took its place, nor after its ten minutes")
    func pending() async throws {
        try await run { stage, store, path in
            let phone = try RawPhone("erased pending")
            func ask() async throws -> [UInt8] {
                #expect(try await stage.ask(phone, phone.question(.firstSet, payload: phone.payload()), sequence: 0).answer.status == .ok)
                return try await key(phone, store)
            }
            let first = try await ask()
            let second = try await ask()
            await clean(stage)
            #expect(try !isFound(first, in: path) && isFound(second, in: path))
            stage.clock.advance(600)
            await clean(stage)
            #expect(try !isFound(second, in: path))
        }
    }
}
