import Authentication
import Database
import Foundation
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// What somebody has who reads the files of both databases, log included, or a copy of them, and has neither key file. Files are
/// SQLite's alone; a secret that lies open in a row does so on both engines.
@Suite("The files of both databases without their keys")
struct StolenFilesTests {
    /// What must not be in the files, each with the name by which a failure tells it.
    private struct Thief {
        let folder: TemporaryFolder
        var secrets: [(name: String, bytes: [UInt8])] = []

        mutating func looks(for bytes: [UInt8]?, _ name: String) throws {
            let bytes = try #require(bytes, "\(name)")
            try #require(bytes.count >= 16, "\(name)")
            secrets.append((name, bytes))
        }

        private func files() throws -> [(name: String, content: Data)] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).map { name in
                (name, try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
            }
        }

        func has(_ text: String) throws -> Bool { try files().contains { $0.content.range(of: Data(text.utf8)) != nil } }

        func findsNothing(_ moment: String) throws {
            for (file, content) in try files() {
                for secret in secrets { #expect(content.range(of: Data(secret.bytes)) == nil, "\(secret.name) in \(file) \(moment)") }
            }
        }
    }

    @Test("A7, A8: no share of a PIN, no secret of a link, nonce, cache or key of one-time codes lies open in them, from the enrolment on")
    func nothing() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.file("as.sqlite"))
        let secondFactorDatabase = try SQLiteDatabase.open(path: folder.file("sf.sqlite"))
        try await ServersFixture.run(database: database, secondFactorDatabase: secondFactorDatabase) { servers in
            try await servers.update { $0.pinTimeout = 5 }
            var thief = Thief(folder: folder)
            let nonce = Base64URL.encode(SystemRandomSource().bytes(16))
            let link = try await servers.invite(try SessionNonce(nonce))
            try thief.looks(for: Array(nonce.utf8), "nonce")
            try thief.looks(for: link.enrolSecret, "enrolSecret")

            let enrolling = try await TestPhone(servers).scan(link)
            try thief.looks(for: enrolling.screen.serverShare, "share of the first PIN")
            try thief.findsNothing("once the phone was shown its enrolment")
            let e4 = try E4(decoding: try await enrolling.finish().body)
            try thief.looks(for: e4.otpKey, "key of one-time codes")
            let confirmed = try await servers.services.enrolments.confirm(
                try SessionNonce(nonce), code: enrolling.code, at: servers.server, by: .backend, now: servers.now)
            try #require(confirmed == .activated(enrolling.screen.accountID))
            let welcome = try L6(decoding: try await enrolling.wait().body)
            try thief.looks(for: welcome.cache, "cache of the enrolment")
            try thief.findsNothing("after the enrolment")

            // Over by then: the login that the enrolment allows without a PIN.
            servers.clock.advance(61)
            let phone = EnrolledPhone(phone: enrolling.phone, account: enrolling.screen.accountID, enrolling: enrolling)
            let other = Base64URL.encode(SystemRandomSource().bytes(16))
            try thief.looks(for: Array(other.utf8), "nonce of a login")
            let login = try await phone.logIn(try SessionNonce(other))
            try thief.looks(for: login.cache, "cache of a login")
            try thief.looks(for: try await phone.logInApp().webNonce.map { Array($0.utf8) }, "webNonce")
            try thief.findsNothing("after logins by PIN")

            try await phone.proveByPIN(.biometricsAdd, phone.fingerKey)
            let voucher = try await phone.proveByPIN(.pinChangeVerify).attempt
            let ephemeral = try TestPhone.ephemeral()
            let question = try phone.phone.raw.question(.pinChangeSet, payload: voucher.bytes, epoch: 2)
            let evaluated = try await phone.phone.evaluate(TestAttempt(question, account: phone.account, ephemeral: ephemeral))
            try thief.looks(for: evaluated.m2?.serverShare, "share of the new PIN")
            try thief.findsNothing("while the PIN is changed")
            let key = try #require(evaluated.evaluation).evaluationKey
            _ = try await phone.complete(
                try phone.phone.raw.settingPIN(evaluated.asked, evaluationKey: key, ephemeral, byBiometric: false))
            try await phone.scan(try await servers.link(try servers.nonce())).logInByPIN(epoch: 2)
            try thief.findsNothing("after the change of the PIN")
            #expect(try thief.has("Alice at work"), "who finds nothing at all has looked in the wrong place")
            try await Self.expectWrapped(in: database)
        }
        try await database.close()
        try await secondFactorDatabase.close()
    }

    @Test("A7: no key that signs tokens, and no secret of refresh tokens, lies open in them, neither before nor after an emergency")
    func tokenKeys() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.file("as.sqlite"))
        try await database.migrate(AuthenticationSchema.migrations)
        let (key, clock) = (KeyEncryptionKey.random(), TestClock())
        let vault = ServerVault(database: database, key: key, random: SystemRandomSource()) { clock.now }
        let server = try await vault.open(name: "Shop").id
        try await SQLOAuthStore(database: database, key: key).write { rows in
            for (number, algorithm) in SignatureAlgorithm.allCases.enumerated() {
                let id = try #require(ClientID("shop-\(number)"))
                var application = Application(id: id, server: server, kind: .web, name: "Shop", authentication: .basic)
                application.idTokenAlgorithm = algorithm
                try rows.save(application)
            }
        }
        let keyring = SQLTokenKeyring(
            database: database, key: key, random: SystemRandomSource(), issuer: { _ in "https://login.example" }, clock: { clock.now })
        let store = KeyStore(database: database, key: key, rootKey: key)
        var thief = Thief(folder: folder)
        _ = try await keyring.keys(of: server)
        for moment in ["when they were made", "after an emergency"] {
            let rows = try await store.tokenKeys(of: server).keys
            #expect(rows.map(\.key.kind).sorted() == ["token-eddsa", "token-es256", "token-rs256", "token-secret"])
            for row in rows { try thief.looks(for: try store.secret(of: row), row.key.kind) }
            try thief.findsNothing(moment)
            #expect(rows.allSatisfy { $0.wrapped.first == 1 })
            try await keyring.replace(server, alsoSecret: true, by: .backend)
        }
        #expect(try thief.has("shop-0"), "who finds nothing at all has looked in the wrong place")
        try await database.close()
    }

    /// Whatever is wrapped begins with the version of the form and four bytes that name the key.
    private static func expectWrapped(in database: SQLiteDatabase) async throws {
        let columns = [
            "server_key.secret", "prekey.secret", "instance_epoch.share", "enrolment.share", "account.otp_key",
        ]
        let beginnings = try await database.read { connection in
            try columns.map { column in
                let parts = column.split(separator: ".")
                return try connection.query("SELECT \(parts[1]) AS secret FROM \(parts[0])").map { Array(try $0.blob("secret").prefix(5)) }
            }
        }
        for (column, found) in zip(columns, beginnings) { #expect(!found.isEmpty && found.allSatisfy { $0.first == 1 }, "\(column)") }
        #expect(Set(beginnings.joined()).count == 1)
    }
}
