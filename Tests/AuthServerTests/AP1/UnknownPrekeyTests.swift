import Authentication
import Database
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("A request that is sealed to a prekey which never was")
struct UnknownPrekeyTests {
    @Test("It is answered with the bundle, and costs the server one look-up by its id: no key is unwrapped, and nothing is signed for the next")
    func cost() async throws {
        let counting = CountingDatabase(try SQLiteDatabase.inMemory())
        try await ServersFixture.run(database: counting) { servers in
            let phone = try await TestPhone(servers)
            let first = try await servers.post(try request(7, phone))
            #expect(first.status == .conflict)
            _ = counting.take()
            for id in 8..<48 as Range<UInt32> {
                let answer = try await servers.post(try request(id, phone))
                #expect(answer.status == .conflict && answer.body == first.body)
            }
            let statements = counting.take().statements
            #expect(statements.count == 40, "\(statements)")
            #expect(statements.allSatisfy { $0.contains("FROM prekey WHERE id = $1") })
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
