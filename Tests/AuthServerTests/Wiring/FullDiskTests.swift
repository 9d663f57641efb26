import Database
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("No room for the authentication server's database")
struct FullDiskTests {
    @Test("Requests that write are 503 with a time to come back and change nothing; getSession and readiness for it go on; room mends it")
    func outage() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.file("ostiary.sqlite"))
        try await ServersFixture.run(database: database) { servers async throws in
            let admin = Application(router: servers.service.adminRouter)
            try await admin.test(.router) { client in
                let nonce = Base64URL.encode(SystemRandomSource().bytes(16))
                let sessions = "/servers/\(servers.server.text)/sessions/"
                var headers: HTTPFields = [.apiKey: ServersFixture.apiKey]
                headers[.nonce] = nonce
                #expect(try await client.execute(uri: sessions + "qr/login", method: .get, headers: headers).status == .ok)
                try await database.transaction { connection in
                    let pages = try connection.one("PRAGMA page_count")?.int("page_count") ?? 0
                    try connection.execute("PRAGMA max_page_count = \(pages)")
                }
                let before = try await servers.snapshot()
                let text = String(repeating: "a", count: 1_000)
                let many = (0..<32).map { #""key\#($0)":"\#(text)""# }.joined(separator: ",")
                let body = ByteBuffer(string: #"{"announceinfo":{"info":{\#(many)}}}"#)
                let answer = try await client.execute(uri: sessions + "qr/login", method: .post, headers: headers, body: body)
                #expect(answer.status == .serviceUnavailable && answer.headers[.retryAfter] == "30")
                #expect(String(buffer: answer.body).contains("storage_unavailable"))
                #expect(!String(buffer: answer.body).contains("sqlite"))
                #expect(try await servers.snapshot() == before)
                #expect(try await client.execute(uri: sessions, method: .get, headers: headers).status == .ok)
                #expect(try await client.execute(uri: "/ready", method: .get).status == .ok)
                try await database.transaction { try $0.execute("PRAGMA max_page_count = 1000000") }
                let again = try await client.execute(uri: sessions + "qr/login", method: .post, headers: headers, body: body)
                #expect(again.status == .ok)
            }
        }
        try await database.close()
    }
}
