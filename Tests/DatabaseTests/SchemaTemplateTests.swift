import Database
import OstiaryTesting
import Synchronization
import Testing

@Suite("Copies of a database that has its schema")
struct SchemaTemplateTests {
    @Test("Each has every step, and what the others write stays theirs, also while all are made at once")
    func apart() async throws {
        let taken = Mutex(0)
        let counted = sampleSchema.map { step in
            Migration(step.number, step.name) { dialect in
                taken.withLock { $0 += 1 }
                return step.statements(dialect)
            }
        }
        let template = SchemaTemplate(counted) { Issue.record("\($0)") }
        let databases = try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await template.database() } }
            return try await group.reduce(into: [SQLiteDatabase]()) { $0.append($1) }
        }
        let once = taken.withLock(\.self)
        #expect(try await template.database().hits() == 0)
        #expect(once > 0 && taken.withLock(\.self) == once)
        for (number, database) in databases.enumerated() {
            #expect(try await database.schemaVersion() == sampleSchema.map(\.number).max())
            // Nothing is left to do for a program that begins on it.
            try await database.migrate(counted)
            for _ in 0..<number { try await database.countHit() }
        }
        for (number, database) in databases.enumerated() { #expect(try await database.hits() == number) }
        #expect(try await template.database().hits() == 0)
    }

    @Test("So is each in a file, with its own bytes and its own mode; a file that is there stays as it is")
    func files() async throws {
        let (template, folder) = (SchemaTemplate(sampleSchema) { Issue.record("\($0)") }, try TemporaryFolder())
        for (name, hits) in [("a", 1), ("b", 2)] {
            let database = try await template.file(folder.file(name))
            #expect(try await database.schemaVersion() == sampleSchema.map(\.number).max())
            for _ in 0..<hits { try await database.countHit() }
            #expect(try await database.hits() == hits)
            try await database.close()
            #expect(try folder.mode(of: name) == 0o600)
        }
        await #expect(throws: (any Error).self) { try await template.file(folder.file("a")) }
        let first = try SQLiteDatabase.open(path: folder.file("a"))
        #expect(try await first.hits() == 1)
        try await first.close()
    }

    @Test("A step that does something else the second time is told")
    func drawn() async throws {
        let told = Mutex(0)
        let drawing = Migration(1, "drawing") { dialect in
            ["CREATE TABLE drawn (n \(dialect.integer)) \(dialect.tableOptions)", "INSERT INTO drawn (n) VALUES (\(UInt32.random(in: 0 ... .max)))"]
        }
        _ = try await SchemaTemplate([drawing]) { _ in told.withLock { $0 += 1 } }.database()
        #expect(told.withLock(\.self) > 0)
    }
}
