import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Applications of before a rule that they break")
struct FormerRegistryTests {
    private let database: SQLiteDatabase
    private let store: SQLOAuthStore
    private var registry: RegistryService { RegistryService(store: store, random: SystemRandomSource()) }

    init() async throws {
        database = try SQLiteDatabase.inMemory()
        try await database.migrate(AuthenticationSchema.migrations)
        store = SQLOAuthStore(database: database, key: KeyEncryptionKey.random())
        var application = Application(id: Sample.client, server: Sample.server, kind: .web, name: "Shop", authentication: .none)
        application.redirectURIs = [try RedirectURI(registering: "https://shop.example/cb", ofApp: false)]
        let saved = application
        try await store.write { rows, _ in try rows.save(saved) }
    }

    /// What a program of before wrote.
    private func write(_ column: String, _ text: String) async throws {
        _ = try await database.transaction { connection in try connection.execute("UPDATE oauth_client SET \(column) = $1", [.text(text)]) }
    }

    private func application() async throws -> Application { try await registry.application(Sample.client, of: Sample.server) }

    @Test("An address with a port that is none is read and shown, leads nowhere, and can be written anew; what stands beside it goes on")
    func redirect() async throws {
        let former = "https://shop.example:99999/cb"
        try await write("redirect_uris", "\(former)\nhttps://shop.example/other")
        let read = try await application()
        #expect(read.redirectURIs.map(\.text) == [former, "https://shop.example/other"] && read.redirectURIs.map(\.kind) == [.unusable, .https])
        #expect(read.json["redirect_uris"] == .strings([former, "https://shop.example/other"]))
        #expect(try await registry.applications(of: Sample.server, .all).elements == [read])
        #expect(read.redirectURI(matching: former) == nil && read.redirectURI(matching: "https://shop.example/other") != nil)
        // As it is it may not be written again, by whichever way.
        await #expect(throws: RegistryRefusal(.application(Sample.client), .application(.redirectUnusable(former)))) {
            try await apply(read)
        }
        var mended = read
        mended.redirectURIs.removeFirst()
        try await apply(mended)
        #expect(try await application() == mended)
    }

    @Test("What else is changed of it leaves the address as it is, and it can be taken away")
    func besides() async throws {
        try await write("redirect_uris", "http://127.0.0.1:0/cb")
        try await write("apis", "\(Sample.api.text) read")
        try await store.write { rows, _ in try rows.save(Sample.protectedAPI()) }
        try await registry.remove(.api(Sample.api), at: Sample.server, by: .operator, now: Sample.now)
        #expect(try await application().redirectURIs.map(\.text) == ["http://127.0.0.1:0/cb"])
        try await registry.remove(.application(Sample.client), at: Sample.server, by: .operator, now: Sample.now)
        #expect(try await registry.applications(of: Sample.server, .all).total == 0)
    }

    @Test("One whose name is of dots, which no address of the REST API reaches, is listed, and goes with what a document leaves out")
    func dots() async throws {
        try await write("id", "..")
        #expect(try await registry.applications(of: Sample.server, .all).elements.map(\.id.text) == [".."])
        #expect(ClientID("..") == nil)
        let document = RegistryDocument(applications: [])
        let changes = try await registry.apply(document, prunes: true, at: Sample.server, by: .operator, now: Sample.now).changes
        #expect(changes.count == 1)
        #expect(try await registry.applications(of: Sample.server, .all).total == 0)
    }

    private func apply(_ application: Application) async throws {
        _ = try await registry.apply(RegistryDocument(applications: [application]), at: Sample.server, by: .operator, now: Sample.now)
    }
}
