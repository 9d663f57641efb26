import Foundation
import Logging

/// Where a server keeps its data unless it is told otherwise: gives defaults for database and key file, nothing else.
package struct DataFolder: Sendable {
    package let path: String

    /// - Parameter path: of `--data`; by default `./ostiary-data`.
    package init(_ path: String = "./ostiary-data") {
        self.path = path
    }
}

/// Database and key-encryption key: all that printing an identity needs.
package struct StorageSettings: Sendable, Equatable {
    /// Of the form that the Database target parses.
    package let databaseURL: String
    package let keyFile: String

    package init(databaseURL: String, keyFile: String) {
        self.databaseURL = databaseURL
        self.keyFile = keyFile
    }

    /// - Throws: ``SettingsError``.
    package static func authServer(_ settings: Settings, dataFolder: DataFolder) throws(SettingsError) -> StorageSettings {
        StorageSettings(
            databaseURL: try settings.text(.databaseURL) ?? "sqlite:\(dataFolder.path)/ostiary.sqlite",
            keyFile: try settings.text(.kekFile) ?? "\(dataFolder.path)/ostiary.kek")
    }

    /// - Throws: ``SettingsError``.
    package static func secondFactorServer(_ settings: Settings, dataFolder: DataFolder) throws(SettingsError) -> StorageSettings {
        StorageSettings(
            databaseURL: try settings.text(.sfDatabaseURL) ?? "sqlite:\(dataFolder.path)/second-factor.sqlite",
            keyFile: try settings.text(.sfKEKFile) ?? "\(dataFolder.path)/second-factor.kek")
    }
}

/// All settings of `ostiary serve`.
package struct AuthServerSettings: Sendable {
    package let publicURL: PublicURL
    package let listen: ListenAddress
    package let adminListen: ListenAddress
    package let storage: StorageSettings
    package let rootAPIKey: SecretText
    package let secondFactorURL: PublicURL
    /// 32 bytes.
    package let secondFactorIdentity: [UInt8]
    package let serverName: String
    package let serverLogo: Logo?
    package let logLevel: Logger.Level
    /// Connections of the public listener at a time, in all and from one address; nil for what there is room for.
    package let maxConnections: Int?
    package let maxConnectionsPerPeer: Int?

    /// - Throws: ``SettingsError``, of the first setting that is wrong or missing.
    package init(_ settings: Settings, dataFolder: DataFolder) throws(SettingsError) {
        publicURL = try settings.required(.publicURL, settings.publicURL(.publicURL))
        listen = try settings.listenAddress(.listen) ?? ListenAddress(host: "127.0.0.1", port: 8080)
        adminListen = try settings.listenAddress(.adminListen) ?? ListenAddress(host: "127.0.0.1", port: 8081)
        storage = try .authServer(settings, dataFolder: dataFolder)
        rootAPIKey = try settings.required(.rootAPIKey, settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
        guard rootAPIKey.isStrong else { throw .weakSecret(try settings.text(.rootAPIKey) == nil ? .rootAPIKeyFile : .rootAPIKey) }
        secondFactorURL = try settings.required(.secondFactorURL, settings.publicURL(.secondFactorURL))
        secondFactorIdentity = try settings.required(.secondFactorIdentity, settings.identity(.secondFactorIdentity))
        serverName = try settings.serverName() ?? "Ostiary"
        serverLogo = try settings.parsed(.serverLogo, Logo.init(file:))
        logLevel = try settings.logLevel()
        maxConnections = try settings.integer(.maxConnections, in: connectionRange)
        maxConnectionsPerPeer = try settings.integer(.maxConnectionsPerPeer, in: connectionRange)
    }
}

/// All settings of `ostiary second-factor`.
package struct SecondFactorServerSettings: Sendable {
    package let listen: ListenAddress
    /// Where health is served; nil for nowhere.
    package let adminListen: ListenAddress?
    package let storage: StorageSettings
    /// Identities of 32 bytes.
    package let trustedServers: [[UInt8]]
    package let policy: SecondFactorPolicySettings
    package let logLevel: Logger.Level
    /// Connections at a time, in all and from one address; nil for what there is room for.
    package let maxConnections: Int?
    package let maxConnectionsPerPeer: Int?

    /// - Throws: ``SettingsError``, of the first setting that is wrong or missing.
    package init(_ settings: Settings, dataFolder: DataFolder) throws(SettingsError) {
        listen = try settings.listenAddress(.sfListen) ?? ListenAddress(host: "127.0.0.1", port: 8090)
        adminListen = try settings.listenAddress(.sfAdminListen)
        storage = try .secondFactorServer(settings, dataFolder: dataFolder)
        trustedServers = try settings.required(.sfTrustedServers, settings.list(.sfTrustedServers, parseIdentity))
        policy = try SecondFactorPolicySettings(settings)
        logLevel = try settings.logLevel()
        maxConnections = try settings.integer(.sfMaxConnections, in: connectionRange)
        maxConnectionsPerPeer = try settings.integer(.sfMaxConnectionsPerPeer, in: connectionRange)
    }
}

/// How the second-factor server treats wrong tries (protocol §7).
package struct SecondFactorPolicySettings: Sendable, Equatable {
    package let maxAttempts: Int
    /// Seconds to wait after the first, second … wrong try; one fewer than the tries, for after the last comes the block.
    package let penalties: [UInt64]
    /// Successes by biometrics alone, 0 for no limit.
    package let maxWithoutPIN: Int
    /// Seconds since the last PIN, 0 for no limit.
    package let maxTimeWithoutPIN: UInt64
    /// Tries since the last right PIN, after which only a new enrolment helps.
    package let lifetimeWithoutPIN: Int
    /// Blocks of one person that the authentication server may lift in a day.
    package let resetsPerDay: Int
    package let disallowPINChangeWithBiometric: Bool

    init(_ settings: Settings) throws(SettingsError) {
        maxAttempts = try settings.integer(.sfMaxAttempts, in: 1...5) ?? 5
        let wanted = maxAttempts - 1
        penalties = try settings.list(.sfPenalties, parseSeconds) ?? Array([0, 0, 30, 300].suffix(wanted))
        guard penalties.count == wanted else {
            throw .invalid(.sfPenalties, reason: "\(maxAttempts) tries take \(wanted) waiting times, not \(penalties.count)")
        }
        guard penalties.allSatisfy({ $0 <= 86_400 }) else { throw .invalid(.sfPenalties, reason: "expected waiting times of at most 1d") }
        maxWithoutPIN = try settings.integer(.sfMaxWithoutPIN, in: 0...65_534) ?? 0
        let longest: UInt64 = 10 * 365 * 86_400
        maxTimeWithoutPIN = try settings.seconds(.sfMaxTimeWithoutPIN) ?? 0
        guard maxTimeWithoutPIN <= longest else { throw .invalid(.sfMaxTimeWithoutPIN, reason: "expected at most 3650d") }
        lifetimeWithoutPIN = try settings.integer(.sfLifetimeWithoutPIN, in: 1...100) ?? 100
        resetsPerDay = try settings.integer(.sfResetsPerDay, in: 0...10) ?? 1
        disallowPINChangeWithBiometric = try settings.bool(.sfDisallowPINChangeWithBiometric) ?? false
    }
}

private let connectionRange = 1...1_000_000

extension Settings {
    /// The name of the virtual server, if one is set: 1 to 64 bytes that a phone can show.
    package func serverName() throws(SettingsError) -> String? { try parsed(.serverName, checkServerName) }
}

/// A name that fits the bundle (protocol §3) and one line of a screen.
private func checkServerName(_ text: String) throws -> String {
    guard (1...64).contains(text.utf8.count), !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control || turns($0) }) else {
        throw Expected("1 to 64 bytes of text on one line, without characters that turn the direction of writing")
    }
    return text
}

/// Whether a character turns the direction of what follows it, whatever that is.
private func turns(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
}
