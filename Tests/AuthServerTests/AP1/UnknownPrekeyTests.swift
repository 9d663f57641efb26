import Authentication
import Database
import HTTPTypes
import OstiaryProtocol
import Synchronization
import Testing

@testable import AuthServer

@Suite("A request that is sealed to a prekey which never was")
struct UnknownPrekeyTests {
    @Test("It is answered with the bundle, and costs the server one look-up by its id: no key is unwrapped, and nothing is signed for the next")
    func cost() async throws {
        let counting = CountingDatabase(try SQLiteDatabase.inMemory())
        try await TwoServers.run(database: counting) { servers in
            let phone = try await TestPhone(servers)
            let first = try await servers.post(try request(7, phone))
            #expect(first.status == .conflict)
            counting.reset()
            for id in 8..<48 as Range<UInt32> {
                let answer = try await servers.post(try request(id, phone))
                #expect(answer.status == .conflict && answer.body == first.body)
            }
            #expect(counting.statements == 40, "\(counting.texts)")
            #expect(counting.texts.allSatisfy { $0.contains("FROM prekey WHERE id = $1") })
        }
    }

    /// A request that names a prekey of this id.
    private func request(_ id: UInt32, _ phone: TestPhone) throws -> [UInt8] {
        let sealed = try phone.seal([1, 2, 3], try TestPhone.ephemeral())
        let header = try RequestHeader(of: sealed.bytes)
        let changed = RequestHeader(serverTag: header.serverTag, prekeyID: id).encoded
        return changed + sealed.bytes.dropFirst(changed.count)
    }
}

/// A database that counts the statements that are run on it.
final class CountingDatabase: Database {
    private let base: any Database
    private let run = Mutex<[String]>([])

    init(_ base: any Database) { self.base = base }

    var dialect: SQLDialect { base.dialect }
    var statements: Int { run.withLock(\.count) }
    var texts: [String] { run.withLock { $0 } }

    func reset() { run.withLock { $0 = [] } }
    private func note(_ sql: String) { run.withLock { $0.append(sql) } }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await base.read { [self] connection in try body(CountingConnection(connection, note)) }
    }

    @discardableResult
    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await base.transaction { [self] connection in try body(CountingConnection(connection, note)) }
    }

    func purge() async throws { try await base.purge() }
    func checkWritable() async throws { try await base.checkWritable() }
    func close() async throws { try await base.close() }
}

private final class CountingConnection: SQLConnection {
    private let base: any SQLConnection
    private let note: (String) -> Void

    init(_ base: any SQLConnection, _ note: @escaping (String) -> Void) {
        self.base = base
        self.note = note
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        note(sql)
        return try base.execute(sql, arguments)
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        note(sql)
        return try base.query(sql, arguments)
    }
}
