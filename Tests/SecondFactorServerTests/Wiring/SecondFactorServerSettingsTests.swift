import HTTPService
import OstiaryTesting
import SecondFactor
import SecondFactorServer
import Testing

@Suite("Settings of the second-factor server")
struct SecondFactorServerSettingsTests {
    private static let valid = ["OSTIARY_SF_TRUSTED_SERVERS": String(repeating: "ab", count: 32)]

    private static func load(_ environment: [String: String]) async throws -> Settings {
        try await Settings.load(SettingKey.secondFactorServer, environment: environment)
    }

    @Test("The variables have the names that operators know")
    func names() {
        #expect(
            SettingKey.secondFactorServer.map(\.variable) == [
                "OSTIARY_SF_LISTEN", "OSTIARY_SF_ADMIN_LISTEN", "OSTIARY_SF_MAX_CONNECTIONS", "OSTIARY_SF_MAX_CONNECTIONS_PER_PEER",
                "OSTIARY_SF_DATABASE_URL", "OSTIARY_SF_HIGHLY_AVAILABLE", "OSTIARY_SF_KEK_FILE", "OSTIARY_SF_TRUSTED_SERVERS",
                "OSTIARY_SF_MAX_ATTEMPTS", "OSTIARY_SF_PENALTIES", "OSTIARY_SF_MAX_WITHOUT_PIN", "OSTIARY_SF_MAX_TIME_WITHOUT_PIN",
                "OSTIARY_SF_LIFETIME_WITHOUT_PIN", "OSTIARY_SF_RESETS_PER_DAY", "OSTIARY_SF_RESET_DAYS",
                "OSTIARY_SF_DISALLOW_PIN_CHANGE_WITH_BIOMETRIC", "OSTIARY_LOG_LEVEL",
            ])
    }

    @Test("What is not set has the documented default, the policy its standard; --data moves database and key file only")
    func defaults() async throws {
        let settings = try await Self.load(Self.valid)
        let server = try SecondFactorServerSettings(settings, dataFolder: DataFolder("/data"))
        #expect(server.listen.description == "127.0.0.1:8090")
        #expect(server.adminListen == nil)
        #expect(server.storage == StorageSettings(databaseURL: "sqlite:/data/second-factor.sqlite", keyFile: "/data/second-factor.kek"))
        #expect(server.policy == .standard)
        #expect(!server.isHighlyAvailable)
        #expect(server.resetDays == 0)
        #expect(server.trustedServers == [[UInt8](repeating: 0xAB, count: 32)])
    }

    @Test("A set variable wins over --data")
    func variableWins() async throws {
        let settings = try await Self.load(["OSTIARY_SF_KEK_FILE": "/key"])
        #expect(
            try StorageSettings.secondFactorServer(settings, dataFolder: DataFolder("/d"))
                == StorageSettings(databaseURL: "sqlite:/d/second-factor.sqlite", keyFile: "/key"))
    }

    @Test("Whether it needs a standby is what the setting says", arguments: [true, false])
    func highlyAvailable(_ isSet: Bool) async throws {
        let settings = try await Self.load(Self.valid.merging(["OSTIARY_SF_HIGHLY_AVAILABLE": "\(isSet)"]) { $1 })
        #expect(try SecondFactorServerSettings(settings, dataFolder: DataFolder()).isHighlyAvailable == isSet)
    }

    @Test("The trusted servers have no default and are asked for by name")
    func missing() async throws {
        let settings = try await Self.load([:])
        #expect(throws: SettingsError.missing([.sfTrustedServers])) { try SecondFactorServerSettings(settings, dataFolder: DataFolder()) }
    }

    @Test("A file that trusts nobody is refused as one that names nobody is", arguments: ["\"\"", "[]"])
    func trustsNobody(_ list: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("sf_trusted_servers: \(list)\n", to: "second-factor.yaml")
        let settings = try await Settings.load(SettingKey.secondFactorServer, configFile: file, environment: [:])
        #expect(throws: SettingsError.missing([.sfTrustedServers])) { try SecondFactorServerSettings(settings, dataFolder: DataFolder()) }
    }

    @Test("Each setting of the policy reaches it")
    func policy() async throws {
        let settings = try await Self.load(
            Self.valid.merging([
                "OSTIARY_SF_MAX_ATTEMPTS": "4", "OSTIARY_SF_PENALTIES": "1, 2s,1m", "OSTIARY_SF_MAX_WITHOUT_PIN": "7",
                "OSTIARY_SF_MAX_TIME_WITHOUT_PIN": "2d", "OSTIARY_SF_LIFETIME_WITHOUT_PIN": "99", "OSTIARY_SF_RESETS_PER_DAY": "3",
                "OSTIARY_SF_DISALLOW_PIN_CHANGE_WITH_BIOMETRIC": "true",
            ]) { $1 })
        #expect(
            try SecondFactorServerSettings(settings, dataFolder: DataFolder()).policy
                == Policy(
                    maxAttempts: 4, penalties: [1, 2, 60], lifetimeWithoutPIN: 99, resetsPerDay: 3, maxNumberWithoutPIN: 7,
                    maxTimeWithoutPIN: 172_800, disallowPINChangeWithBiometric: true))
    }

    @Test("Fewer tries take fewer waiting times")
    func fewerTries() async throws {
        let settings = try await Self.load(Self.valid.merging(["OSTIARY_SF_MAX_ATTEMPTS": "3"]) { $1 })
        #expect(try SecondFactorServerSettings(settings, dataFolder: DataFolder()).policy.penalties == [30, 300])
    }

    @Test(
        "A wrong value names its key",
        arguments: [
            (SettingKey.sfMaxAttempts, "6"), (.sfMaxAttempts, "many"), (.sfMaxTimeWithoutPIN, "-1"), (.sfMaxTimeWithoutPIN, "5 weeks"),
            (.sfTrustedServers, "abc"), (.sfPenalties, "0,0"), (.sfPenalties, "0,,0,0"), (.sfMaxWithoutPIN, "65535"),
            (.sfMaxTimeWithoutPIN, "3651d"), (.sfLifetimeWithoutPIN, "0"), (.sfLifetimeWithoutPIN, "101"), (.sfResetsPerDay, "11"),
            (.sfResetDays, "-1"), (.sfResetDays, "36501"),
            (.sfDisallowPINChangeWithBiometric, "maybe"), (.sfHighlyAvailable, "perhaps"), (.sfPenalties, "0,0,0,2d"), (.sfPenalties, "0,0,0,86401"),
            (.logLevel, "loud"),
        ])
    func wrongValue(key: SettingKey, value: String) async throws {
        let settings = try await Self.load(Self.valid.merging([key.variable: value]) { $1 })
        let error = #expect(throws: SettingsError.self) { try SecondFactorServerSettings(settings, dataFolder: DataFolder()) }
        guard case .invalid(key, _) = error else { throw try #require(error) }
        #expect(error?.description.contains(key.variable) == true)
        #expect(error?.description.contains("\n") == false)
    }
}
