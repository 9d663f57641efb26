import Authentication
import Database
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Secrets of rows are opened when somebody asks for them")
struct LazySecretTests {
    private struct Spoilt: Error {}

    @Test("A login by PIN opens the share of its epoch and no other secret: others may be spoilt")
    func login() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await phone.logIn(try servers.nonce())
            try await servers.database.transaction { connection in
                try connection.execute("UPDATE account SET otp_key = $1", [.blob([0])])
                try connection.execute("UPDATE enrolment SET share = $1 WHERE share IS NOT NULL", [.blob([0])])
            }
            let nonce = try servers.nonce()
            try await phone.logIn(nonce)
            #expect(try await servers.status(of: nonce).loggedIn)
            // What was read is kept as it was, and still no key.
            let account = try #require(
                try await servers.database.read { try $0.one("SELECT otp_key FROM account") })
            #expect(try account.blob("otp_key") == [0])
        }
    }

    @Test("A share that does not open is a fault before anything is counted: no try is spent where a right PIN opens nothing")
    func damagedShare() async throws {
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            let share = try await servers.database.transaction { connection in
                let row = try connection.one("SELECT share FROM instance_epoch")
                try connection.execute("UPDATE instance_epoch SET share = $1", [.blob([0])])
                return try row?.blob("share")
            }
            let calls = servers.secondFactor.calls
            let attempt = try shown.attempt()
            let request = try phone.phone.seal(try phone.phone.m1(attempt).message.bytes, attempt.ephemeral)
            #expect(try await servers.post(request.bytes).status == .internalServerError)
            #expect(servers.secondFactor.calls == calls)
            try await servers.database.transaction { connection -> Void in
                try connection.execute("UPDATE instance_epoch SET share = $1", [SQLValue(share)])
            }
            #expect(try await phone.phone.evaluate(try shown.attempt()).m2?.tries.failed == 1)
        }
    }

    @Test("A secret that is kept in its place is the same without being opened; anywhere else, and new, it is opened and compared")
    func same() throws {
        let openings = { @Sendable () throws -> [UInt8] in [1, 2, 3] }
        let kept = StoredSecret(wrapped: [9], for: "a") { throw Spoilt() }
        #expect(kept == StoredSecret(wrapped: [9], for: "a") { throw Spoilt() })
        #expect(kept != StoredSecret(wrapped: [8], for: "a", open: openings))
        #expect(StoredSecret(wrapped: [9], for: "b", open: openings) == StoredSecret(wrapped: [8], for: "a", open: openings))
        #expect(StoredSecret(wrapped: [9], for: "b", open: openings) == StoredSecret([1, 2, 3]))
        #expect(StoredSecret([1, 2, 3]) != StoredSecret([1, 2, 4]))
        #expect(kept.wrapped(for: "a") == [9] && kept.wrapped(for: "b") == nil && StoredSecret([1]).wrapped(for: "a") == nil)
        #expect("\(kept) \(StoredSecret([1]))" == "‹secret› ‹secret›")
    }

    @Test("A share that moves from the enrolment to its instance is wrapped for its new place, and opens there")
    func moved() async throws {
        let database = try await misbehavingDatabase()
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLAuthenticationStore(database: database, key: .random())
        try await store.write { rows in try rows.save(Sample.enrolment(state: .claimed(Sample.claim))) }
        try await store.write { rows in
            guard let share = try rows.enrolment(Sample.enrolment().id)?.claim?.serverShare else { throw Spoilt() }
            try rows.save(
                Instance(
                    id: Sample.instanceID, server: Sample.server,
                    epochs: [.init(number: 1, serverShare: share, secondFactorKey: Sample.bytes(4))]))
        }
        let found = try await store.read { rows in try rows.instance(Sample.instanceID)?.epochs.first?.serverShare }
        #expect(try found?.bytes() == Sample.bytes(2))
    }
}
