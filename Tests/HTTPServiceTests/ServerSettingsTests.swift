import Foundation
import Logging
import Testing

@testable import HTTPService

let someIdentity = String(repeating: "ab", count: 32)

/// Everything that has no default.
let validEnvironment = [
    "OSTIARY_PUBLIC_URL": "https://login.example.org", "OSTIARY_ROOT_API_KEY": "kNf3vQ0z-8LwYb2RtUeXcA",
    "OSTIARY_SECOND_FACTOR_URL": "http://127.0.0.1:8090",
    "OSTIARY_SECOND_FACTOR_IDENTITY": someIdentity, "OSTIARY_SF_TRUSTED_SERVERS": someIdentity,
]

@Suite("Settings of the servers")
struct ServerSettingsTests {
    @Test("What is not set has the documented default; --data moves database and key file only")
    func defaults() async throws {
        let settings = try await Settings.load(environment: validEnvironment)
        let server = try AuthServerSettings(settings, dataFolder: DataFolder())
        #expect(server.listen.description == "127.0.0.1:8080")
        #expect(server.adminListen.description == "127.0.0.1:8081")
        #expect(server.storage == StorageSettings(databaseURL: "sqlite:./ostiary-data/ostiary.sqlite", keyFile: "./ostiary-data/ostiary.kek"))
        #expect(server.serverName == "Ostiary")
        #expect(server.serverLogo == nil)
        #expect(server.logLevel == .info)
        #expect(server.maxConnections == nil && server.maxConnectionsPerPeer == nil)
        #expect(server.secondFactorIdentity == [UInt8](repeating: 0xAB, count: 32))
        let second = try SecondFactorServerSettings(settings, dataFolder: DataFolder("/data"))
        #expect(second.listen.description == "127.0.0.1:8090")
        #expect(second.adminListen == nil)
        #expect(second.storage == StorageSettings(databaseURL: "sqlite:/data/second-factor.sqlite", keyFile: "/data/second-factor.kek"))
        #expect(second.policy.maxAttempts == 5)
        #expect(second.policy.penalties == [0, 0, 30, 300])
        #expect(second.trustedServers == [[UInt8](repeating: 0xAB, count: 32)])
    }

    @Test("A set variable wins over --data")
    func variableWins() async throws {
        let settings = try await Settings.load(environment: ["OSTIARY_DATABASE_URL": "sqlite:/elsewhere.db", "OSTIARY_SF_KEK_FILE": "/key"])
        #expect(
            try StorageSettings.authServer(settings, dataFolder: DataFolder("/d"))
                == StorageSettings(databaseURL: "sqlite:/elsewhere.db", keyFile: "/d/ostiary.kek"))
        #expect(
            try StorageSettings.secondFactorServer(settings, dataFolder: DataFolder("/d"))
                == StorageSettings(databaseURL: "sqlite:/d/second-factor.sqlite", keyFile: "/key"))
    }

    @Test(
        "What has no default is asked for by name",
        arguments: [
            SettingKey.publicURL, .rootAPIKey, .secondFactorURL, .secondFactorIdentity, .sfTrustedServers,
        ])
    func missing(key: SettingKey) async throws {
        let settings = try await Settings.load(environment: validEnvironment.filter { $0.key != key.variable })
        #expect(throws: SettingsError.missing(key)) {
            _ = try AuthServerSettings(settings, dataFolder: DataFolder())
            _ = try SecondFactorServerSettings(settings, dataFolder: DataFolder())
        }
    }

    @Test(
        "An identity is read as base64url without padding or as hexadecimal digits, and nothing else",
        arguments: [
            ("q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s", true), (someIdentity, true), ("q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=", false),
            ("q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6", false), (someIdentity + "ab", false), (String(repeating: "xy", count: 32), false),
            ("", false),
        ])
    func identity(text: String, isOne: Bool) async throws {
        let settings = try await Settings.load(environment: [:], overrides: [.secondFactorIdentity: text])
        if isOne {
            #expect(try settings.identity(.secondFactorIdentity) == [UInt8](repeating: 0xAB, count: 32))
        } else {
            #expect(throws: SettingsError.self) { try settings.identity(.secondFactorIdentity) }
        }
    }

    @Test("Fewer tries take fewer waiting times")
    func policy() async throws {
        var environment = validEnvironment
        environment["OSTIARY_SF_MAX_ATTEMPTS"] = "3"
        let settings = try await Settings.load(environment: environment)
        #expect(try SecondFactorServerSettings(settings, dataFolder: DataFolder()).policy.penalties == [30, 300])
    }

    @Test("No key of 32 random hexadecimal digits is refused: ten thousand of them are taken")
    func randomKeys() async throws {
        var random = SplitMix(state: 7)
        for _ in 0..<10_000 {
            let key = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
            #expect(holdsEnough(key), "\(key)")
        }
    }

    @Test("A logo is PNG or SVG by its content, and at most 64 KiB")
    func logo() throws {
        let folder = try TemporaryFolder()
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0])
        #expect(try Logo(file: folder.write(png, to: "a.txt")).format == .png)
        #expect(try Logo(file: folder.write("<svg xmlns='http://www.w3.org/2000/svg'/>", to: "b")).format == .svg)
        #expect(try Logo(file: folder.write(png + Data(count: 65536 - 9), to: "c")).bytes.count == 65536)
        #expect(throws: LogoError.tooLarge) { try Logo(file: folder.write(png + Data(count: 65536 - 8), to: "d")) }
        #expect(throws: LogoError.otherFormat) { try Logo(file: folder.write("GIF89a", to: "e.png")) }
        #expect(throws: LogoError.self) { try Logo(file: folder.path) }
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
            var environment = validEnvironment
            environment["OSTIARY_ROOT_API_KEY"] = nil
            environment[name] = value
            let settings = try await Settings.load(environment: environment)
            guard !isGood else {
                #expect(try AuthServerSettings(settings, dataFolder: DataFolder()).rootAPIKey.matches(key))
                continue
            }
            let error = #expect(throws: SettingsError.self) { try AuthServerSettings(settings, dataFolder: DataFolder()) }
            #expect(error == .weakSecret(name.hasSuffix("FILE") ? .rootAPIKeyFile : .rootAPIKey))
            #expect(error?.description.contains("openssl rand -hex 32") == true)
            #expect(key == "a" || error?.description.contains(key) == false)
        }
    }
}
