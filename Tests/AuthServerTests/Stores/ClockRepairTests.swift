import Database
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer
@testable import Authentication

@Suite("What a clock that was put right makes of sessions", .onBothEngines)
struct ClockRepairTests {
    @Test("All sessions are looked through beside those who write: where none lies ahead, nobody's turn to write is taken for them")
    func turns() async throws {
        let database = LosingDatabase(try await SchemaTemplate.authentication.ofEngine())
        let store = SQLAuthenticationStore(database: database, key: .random())
        let repair = ClockRepair(store: store, others: [])
        try await repair.run(at: Sample.now)
        let others = database.transactions
        var login = Sample.login
        login.lastPing = Sample.now + 500
        let session = Sample.session(state: .loggedIn(login))
        try await store.write { rows in
            try rows.save(Sample.account(1))
            try rows.save(session)
        }
        database.lose(.none)
        try await repair.run(at: Sample.now)
        #expect(database.transactions == others + 1)
        #expect(try await store.read { rows in try rows.session(session.id)?.login?.lastPing } == Sample.now)
        database.lose(.none)
        try await repair.run(at: Sample.now)
        #expect(database.transactions == others)
    }
}
