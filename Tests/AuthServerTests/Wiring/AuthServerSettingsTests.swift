import AuthServer
import Foundation
import HTTPService
import Logging
import OstiaryTesting
import Testing

@Suite("Settings of the authentication server")
struct AuthServerSettingsTests {
    /// Everything that has no default.
    private static let valid = [
        "OSTIARY_PUBLIC_URL": "https://login.example.org", "OSTIARY_ROOT_API_KEY": "kNf3vQ0z-8LwYb2RtUeXcA",
        "OSTIARY_SECOND_FACTOR_URL": "http://127.0.0.1:8090", "OSTIARY_SECOND_FACTOR_IDENTITY": String(repeating: "ab", count: 32),
    ]

    private static func load(_ environment: [String: String]) async throws -> Settings {
        try await Settings.load(SettingKey.authServer, environment: environment)
    }

    @Test("The variables have the names that operators know")
    func names() {
        #expect(
            SettingKey.authServer.map(\.variable) == [
                "OSTIARY_PUBLIC_URL", "OSTIARY_LISTEN", "OSTIARY_ADMIN_LISTEN", "OSTIARY_DATABASE_URL", "OSTIARY_ROOT_API_KEY",
                "OSTIARY_ROOT_API_KEY_FILE", "OSTIARY_KEK_FILE", "OSTIARY_SECOND_FACTOR_URL", "OSTIARY_SECOND_FACTOR_IDENTITY",
                "OSTIARY_SERVER_NAME", "OSTIARY_SERVER_LOGO", "OSTIARY_LOG_LEVEL", "OSTIARY_MAX_CONNECTIONS", "OSTIARY_MAX_CONNECTIONS_PER_PEER",
                "OSTIARY_AUDIT_DAYS", "OSTIARY_DELETED_ACCOUNT_DAYS", "OSTIARY_DPOP_NONCES", "OSTIARY_TRUSTED_PROXIES",
                "OSTIARY_REGISTRATIONS_PER_PEER",
            ])
        #expect(SettingKey.authServer.filter(\.isSecret) == [.rootAPIKey])
    }

    @Test("What is not set has the documented default; --data moves database and key file only")
    func defaults() async throws {
        let settings = try await Self.load(Self.valid)
        let server = try AuthServerSettings(settings, dataFolder: DataFolder())
        #expect(server.listen.description == "127.0.0.1:8080")
        #expect(server.adminListen.description == "127.0.0.1:8081")
        let data = FileManager.default.currentDirectoryPath + "/ostiary-data"
        #expect(server.storage == StorageSettings(databaseURL: "sqlite:\(data)/ostiary.sqlite", keyFile: "\(data)/ostiary.kek"))
        #expect(try AuthServerSettings(settings, dataFolder: DataFolder("/data")).listen.description == "127.0.0.1:8080")
        #expect(server.node.serverName == nil && server.node.serverLogo == nil && AuthNodeSettings.defaultServerName == "Ostiary")
        #expect(server.logLevel == .info)
        #expect(server.connections.total == nil && server.connections.perPeer == nil)
        #expect(server.node.auditDays == 0 && server.node.deletedAccountDays == 730 && !server.node.asksProofNonces)
        #expect(server.node.trustedProxies == .none && server.node.registrationsPerPeer == 20)
        #expect(server.node.secondFactorIdentity == [UInt8](repeating: 0xAB, count: 32))
    }

    @Test("A set variable wins over --data")
    func variableWins() async throws {
        let settings = try await Self.load(["OSTIARY_DATABASE_URL": "sqlite:/elsewhere.db"])
        #expect(
            try StorageSettings.authServer(settings, dataFolder: DataFolder("/d"))
                == StorageSettings(databaseURL: "sqlite:/elsewhere.db", keyFile: "/d/ostiary.kek"))
    }

    @Test(
        "What has no default is asked for by name",
        arguments: [SettingKey.publicURL, .rootAPIKey, .secondFactorURL, .secondFactorIdentity])
    func missing(key: SettingKey) async throws {
        let settings = try await Self.load(Self.valid.filter { $0.key != key.variable })
        #expect(throws: SettingsError.missing([key])) { try AuthServerSettings(settings, dataFolder: DataFolder()) }
    }

    @Test("All that is missing is told at once, before a value that is wrong")
    func allMissing() async throws {
        let keys = [SettingKey.publicURL, .secondFactorURL, .secondFactorIdentity]
        let variables = keys.map(\.variable)
        let settings = try await Self.load(Self.valid.filter { !variables.contains($0.key) }.merging(["OSTIARY_LISTEN": "8080"]) { $1 })
        let error = #expect(throws: SettingsError.missing(keys)) { try AuthServerSettings(settings, dataFolder: DataFolder()) }
        let line = try #require(error).description
        #expect(variables.allSatisfy { line.contains("\($0) is not set: ") } && !line.contains("\n"), "\(line)")
    }

    @Test(
        "A wrong value names its key",
        arguments: [
            (SettingKey.listen, "8080"), (.publicURL, "http://example.org"), (.logLevel, "loud"), (.serverLogo, "/etc/passwd"),
            (.serverName, "two\nlines"), (.serverName, String(repeating: "x", count: 65)), (.serverName, "a\u{202E}b"), (.serverName, "a\u{200F}b"),
            (.serverName, " "), (.serverName, "\u{200B}"),
            (.rootAPIKey, "kNf3vQ0z-8LwYb2RtUeXcA\n"), (.maxConnections, "0"), (.maxConnectionsPerPeer, "1000001"),
            (.auditDays, "-1"), (.auditDays, "36501"), (.auditDays, "a year"),
            (.deletedAccountDays, "-1"), (.deletedAccountDays, "36501"), (.deletedAccountDays, "2y"), (.dpopNonces, "perhaps"),
            (.trustedProxies, "0.0.0.0/0"), (.trustedProxies, "proxy.example"), (.trustedProxies, "10.0.0.1,"),
            (.registrationsPerPeer, "0"), (.registrationsPerPeer, "1001"),
        ])
    func wrongValue(key: SettingKey, value: String) async throws {
        let settings = try await Self.load(Self.valid.merging([key.variable: value]) { $1 })
        let error = #expect(throws: SettingsError.self) { try AuthServerSettings(settings, dataFolder: DataFolder()) }
        guard case .invalid(key, _) = error else { throw try #require(error) }
        #expect(error?.description.contains(key.variable) == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test(
        "An API key that no request carries as it is, for what is around it or in it, is refused with where it stands, and nothing of it is told",
        arguments: [" %", "% ", "\t%", "%\t", "\u{FEFF}%", "%\u{A0}", "% %", "%\u{7F}", "\u{1}%", "%\u{E9}"])
    func unsendableKey(form: String) async throws {
        let (folder, good) = (try TemporaryFolder(), "9f86d081884c7d659a2feaa0c55ad015")
        let key = form.replacingOccurrences(of: "%", with: good)
        let file = try folder.write(key + "\n", to: "key")
        for (setting, value) in [(SettingKey.rootAPIKey, key), (.rootAPIKeyFile, file)] {
            let settings = try await Self.load(Self.valid.filter { $0.key != "OSTIARY_ROOT_API_KEY" }.merging([setting.variable: value]) { $1 })
            let error = #expect(throws: SettingsError.self) { try AuthServerSettings(settings, dataFolder: DataFolder()) }
            guard case .invalid(setting, _) = error else { throw try #require(error) }
            let told = error?.description ?? ""
            #expect(told.contains(setting == .rootAPIKey ? ": the API key " : ": the API key in \(file) "), "\(told)")
            #expect(!told.contains(good) && told.contains(": take "), "\(told)")
        }
    }

    @Test("A logo that cannot be read is told by its file, and why")
    func unreadableLogo() async throws {
        let settings = try await Self.load(Self.valid.merging([SettingKey.serverLogo.variable: "/nowhere"]) { $1 })
        #expect(throws: SettingsError.unreadable(.serverLogo, path: "/nowhere", reason: "there is no such file")) {
            try AuthServerSettings(settings, dataFolder: DataFolder())
        }
    }

    @Test(
        "An API key that can be guessed is refused with the sentence that makes a good one, wherever it comes from",
        arguments: [
            ("a", false), ("correct horse battery", false), (String(repeating: "a", count: 64), false), (String(repeating: "0123", count: 16), false),
            ("kNf3vQ0z-8LwYb2RtUeXc", false), ("kNf3vQ0z-8LwYb2RtUeXcA", true), ("9f86d081884c7d659a2feaa0c55ad01", false),
            ("9f86d081884c7d659a2feaa0c55ad015", true), ("31415926535897932384626433832795", false),
            ("314159265358979323846264338327950288419", true), ("mfrggzdfmztwq2lknnwg23tpob", true), ("mfrggzdfmztwq2lknnwg23t", false),
            ("0123456789abcdef0123456789abcdef", false), (String(repeating: "0123456789abcdef", count: 4), false),
            ("0123456789abcdef0123456789abcdef01234567", false), ("kNf3vQ0z-8LwYkNf3vQ0z-8LwY", false),
            (String(repeating: "9f86d081884c7d659a2feaa0c55ad015", count: 2), true),
        ])
    func apiKey(key: String, isGood: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(key + "\n", to: "key")
        for (name, value) in [("OSTIARY_ROOT_API_KEY", key), ("OSTIARY_ROOT_API_KEY_FILE", file)] {
            var environment = Self.valid
            environment["OSTIARY_ROOT_API_KEY"] = nil
            environment[name] = value
            let settings = try await Self.load(environment)
            guard !isGood else {
                #expect(try AuthServerSettings(settings, dataFolder: DataFolder()).node.apiKey.matches(key))
                continue
            }
            let error = #expect(throws: SettingsError.self) { try AuthServerSettings(settings, dataFolder: DataFolder()) }
            #expect(error == .weakSecret(name.hasSuffix("FILE") ? .rootAPIKeyFile : .rootAPIKey))
            #expect(error?.description.contains("openssl rand -hex 32") == true)
            #expect(key == "a" || error?.description.contains(key) == false)
        }
    }
}
