import Dispatch
import OstiaryTesting
import Synchronization
import Testing

@testable import Database

@Suite("Readers, which read on the thread of whoever asks", .timeLimit(.minutes(10)))
struct ReaderTests {
    /// Readers of one file, closed at the end; `looks` for one that is kept out.
    private func withReaders(_ count: Int = 2, looks: Int = 100, _ body: (SQLiteReaders) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath, readers: 1)
        try await database.migrate(sampleSchema)
        let readers = SQLiteReaders(try (0..<count).map { _ in try SQLiteDatabase.reader(of: folder.databasePath) }, mostLooks: looks)
        try await body(readers)
        await readers.close()
        try await database.close()
    }

    @Test("Who is kept out by another process gives its thread to others until it is let in")
    func keptOut() async throws {
        try await withReaders(1) { (readers) async throws in
            let isOver = Shared(false)
            let (looked, look) = AsyncStream.makeStream(of: Void.self)
            // One thread for whoever waits and whoever ends the wait: one that was held would hold both.
            let thread = OwnThread()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask(executorPreference: thread) {
                    let number = try await readers.read { connection in
                        look.yield()
                        guard isOver.value.withLock({ $0 }) else { throw SQLError.busy }
                        return try connection.one("SELECT 7 AS number")?.int("number")
                    }
                    #expect(number == 7)
                }
                group.addTask(executorPreference: thread) {
                    for await _ in looked { break }
                    // The connection is free meanwhile, too.
                    let number = try await readers.read { try $0.one("SELECT 8 AS number")?.int("number") }
                    #expect(number == 8)
                    isOver.value.withLock { $0 = true }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("Who is kept out for good is told so, after as many looks as it has, and any other fault at once")
    func keptOutForGood() async throws {
        try await withReaders(1, looks: 3) { (readers) async throws in
            let looks = Mutex(0)
            for (error, count) in [(SQLError.busy, 3), (.readOnly, 1)] {
                looks.withLock { $0 = 0 }
                await #expect(throws: error) {
                    try await readers.read { _ in
                        looks.withLock { $0 += 1 }
                        throw error
                    }
                }
                #expect(looks.withLock { $0 } == count)
            }
        }
    }

    @Test("No connection for reading waits for another process by itself; the one that writes does")
    func timeouts() async throws {
        try await Backend.file.withDatabase { (database) async throws in
            #expect(try await database.read { try $0.one("PRAGMA busy_timeout")?.int("timeout") } == 0)
            #expect(try await database.transaction { try $0.one("PRAGMA busy_timeout")?.int("timeout") } == 2_000)
        }
    }

    @Test("Of many who read at once each has its answer, and never more than there are connections are at work")
    func many() async throws {
        try await withReaders(2) { (readers) async throws in
            let working = Shared(0)
            let most = Shared(0)
            let sum = try await withThrowingTaskGroup { group in
                for number in 1...200 {
                    group.addTask {
                        try await readers.read { connection in
                            let now = working.value.withLock { working in
                                working += 1
                                return working
                            }
                            defer { working.value.withLock { $0 -= 1 } }
                            most.value.withLock { $0 = max($0, now) }
                            return try connection.one("SELECT $1 + value AS number FROM counter", [SQLValue(number)])?.int("number") ?? 0
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 200 * 201 / 2)
            #expect((1...2).contains(most.value.withLock { $0 }))
        }
    }

    @Test("A look at once is answered by a free connection, sees every commit that was told, and changes nothing")
    func atOnce() async throws {
        try await Backend.file.withDatabase { (database) async throws in
            #expect(database.readsAtOnce)
            for number in 1...20 {
                try await database.transaction { try $0.execute("UPDATE counter SET value = $1", [SQLValue(number)]) }
                let rows = try #require(database.rowsAtOnce("SELECT value + $1 AS value FROM counter", [SQLValue(100)]))
                #expect(try rows.map { try $0.int("value") } == [100 + number])
            }
            #expect(database.rowsAtOnce("UPDATE counter SET value = 0", []) == nil)
            #expect(database.rowsAtOnce("SELECT value FROM nowhere", []) == nil)
            #expect(database.rowsAtOnce("SELECT value FROM counter", [SQLValue(1)]) == nil)
            #expect(database.rowsAtOnce("SELECT value FROM counter WHERE value = 0", [])?.isEmpty == true)
            // What was looked at holds nobody's log or lock.
            try await database.purge()
            #expect(try await database.read { try $0.one("SELECT value FROM counter")?.int("value") } == 20)
        }
    }

    @Test("A look at once waits for nobody: not for a connection, not for another process, and not behind a close")
    func atOnceOrNotAtAll() async throws {
        try await withReaders(1) { (readers) async throws in
            let (inside, enter) = AsyncStream.makeStream(of: Void.self)
            let goOn = DispatchSemaphore(value: 0)
            let reading = Task(executorPreference: OwnThread()) {
                try await readers.read { _ in
                    enter.yield()
                    goOn.wait()
                }
            }
            for await _ in inside { break }
            #expect(readers.rowsAtOnce("SELECT 7 AS number", []) == nil)
            goOn.signal()
            try await reading.value
            #expect(try readers.rowsAtOnce("SELECT 7 AS number", [])?.map { try $0.int("number") } == [7])
            await readers.close()
            #expect(readers.rowsAtOnce("SELECT 7 AS number", []) == nil)
        }
    }

    @Test("A look at once sees nothing of a transaction that is under way, and keeps nobody from writing")
    func atOnceBesideWriter() async throws {
        try await Backend.file.withDatabase { (database) async throws in
            let value = { @Sendable in try database.rowsAtOnce("SELECT value FROM counter", []).map { try $0.map { try $0.int("value") } } }
            try await database.transaction { connection in
                try connection.execute("UPDATE counter SET value = 5")
                #expect(try value() == [0])
            }
            #expect(try value() == [5])
        }
    }

    @Test("One that is slow holds up nobody as long as another connection is free; a close waits for it, and refuses who waits")
    func slow() async throws {
        try await withReaders(2) { (readers) async throws in
            let (inside, enter) = AsyncStream.makeStream(of: Void.self)
            let goOn = DispatchSemaphore(value: 0)
            let read = { @Sendable in
                try await readers.read { connection in
                    enter.yield()
                    goOn.wait()
                    return try connection.one("SELECT 7 AS number")?.int("number")
                }
            }
            var entered = inside.makeAsyncIterator()
            let first = Task(executorPreference: OwnThread()) { try await read() }
            _ = await entered.next()
            for _ in 0..<20 { #expect(try await readers.read { try $0.one("SELECT 8 AS number")?.int("number") } == 8) }
            let second = Task(executorPreference: OwnThread()) { try await read() }
            _ = await entered.next()
            let waiting = Task { try await readers.read { try $0.one("SELECT 9 AS number")?.int("number") } }
            let closing = Task { await readers.close() }
            // It was refused by the close, while both others still read.
            await #expect(throws: SQLError.closed) { try await waiting.value }
            goOn.signal()
            goOn.signal()
            #expect(try await first.value == 7)
            #expect(try await second.value == 7)
            await closing.value
            await #expect(throws: SQLError.closed) { try await readers.read { _ in } }
        }
    }
}

/// A value of several tasks.
private final class Shared<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }
}
