import Database
import HTTPService
import Logging
import SecondFactor

/// All settings of `ostiary second-factor`.
package struct SecondFactorServerSettings: Sendable {
    package let listen: ListenAddress
    /// Where health is served; nil for nowhere.
    package let adminListen: ListenAddress?
    package let storage: StorageSettings
    /// Identities of 32 bytes.
    package let trustedServers: [[UInt8]]
    package let policy: Policy
    /// Whether it runs only where a second machine keeps what it acknowledges.
    package let isHighlyAvailable: Bool
    /// Days for which resets are kept; 0 for ever.
    package let resetDays: UInt64
    package let logLevel: Logger.Level
    package let connections: ConnectionSettings

    /// - Throws: ``SettingsError``, of the first setting that is wrong or missing.
    package init(_ settings: Settings, dataFolder: DataFolder) throws(SettingsError) {
        listen = try settings.listenAddress(.sfListen) ?? ListenAddress(host: "127.0.0.1", port: 8090)
        adminListen = try settings.listenAddress(.sfAdminListen)
        storage = try .secondFactorServer(settings, dataFolder: dataFolder)
        let trusted = try settings.identities(.sfTrustedServers)
        // A list of nobody is no list: nothing could ever be asked of this server.
        trustedServers = try settings.required(.sfTrustedServers, trusted?.isEmpty == true ? nil : trusted)
        policy = try Policy(settings)
        isHighlyAvailable = try settings.isHighlyAvailable()
        resetDays = try settings.integer(.sfResetDays, in: 0...36_500) ?? 0
        logLevel = try settings.logLevel()
        connections = try ConnectionSettings(settings, .sfMaxConnections, .sfMaxConnectionsPerPeer)
    }
}

extension Settings {
    /// - Throws: ``SettingsError``.
    package func isHighlyAvailable() throws(SettingsError) -> Bool { try bool(.sfHighlyAvailable) ?? false }
}

extension StorageSettings {
    /// Of database and key file in the data folder, without their ends.
    package static let secondFactorServerFileName = ServerFiles.secondFactorServer

    /// - Throws: ``SettingsError``.
    package static func secondFactorServer(_ settings: Settings, dataFolder: DataFolder) throws(SettingsError) -> StorageSettings {
        try StorageSettings(settings, .sfDatabaseURL, .sfKEKFile, named: secondFactorServerFileName, in: dataFolder)
    }
}

extension Policy {
    /// The policy that the settings ask for (protocol §7); what they do not name keeps its default.
    /// - Throws: ``SettingsError``.
    init(_ settings: Settings) throws(SettingsError) {
        let standard = Policy.standard
        let maxAttempts = try settings.integer(.sfMaxAttempts, in: Policy.attemptBounds) ?? standard.maxAttempts
        // After the last try comes the block.
        let waits = maxAttempts - 1
        let penalties = try settings.list(.sfPenalties, parseSeconds) ?? Array(standard.penalties.suffix(waits))
        guard penalties.count == waits else {
            throw .invalid(.sfPenalties, reason: "\(maxAttempts) tries take \(waits) waiting times, not \(penalties.count)")
        }
        let longest = try settings.seconds(.sfMaxTimeWithoutPIN) ?? standard.maxTimeWithoutPIN
        let number = try settings.integer(.sfMaxWithoutPIN, in: Policy.numberBounds) ?? standard.maxNumberWithoutPIN
        let lifetime = try settings.integer(.sfLifetimeWithoutPIN, in: Policy.lifetimeBounds) ?? standard.lifetimeWithoutPIN
        let resets = try settings.integer(.sfResetsPerDay, in: Policy.resetBounds) ?? standard.resetsPerDay
        let disallows = try settings.bool(.sfDisallowPINChangeWithBiometric) ?? standard.disallowPINChangeWithBiometric
        do throws(PolicyError) {
            try self.init(
                maxAttempts: maxAttempts, penalties: penalties, lifetimeWithoutPIN: lifetime, resetsPerDay: resets, maxNumberWithoutPIN: number,
                maxTimeWithoutPIN: longest, disallowPINChangeWithBiometric: disallows)
        } catch {
            throw SettingsError(error)
        }
    }
}

extension SettingsError {
    /// What the operator is told of a policy that is out of bounds.
    fileprivate init(_ error: PolicyError) {
        let key: SettingKey =
            switch error {
            case .maxAttempts: .sfMaxAttempts
            case .penalties: .sfPenalties
            case .lifetimeWithoutPIN: .sfLifetimeWithoutPIN
            case .resetsPerDay: .sfResetsPerDay
            case .maxNumberWithoutPIN: .sfMaxWithoutPIN
            case .maxTimeWithoutPIN: .sfMaxTimeWithoutPIN
            }
        self = .invalid(key, reason: "\(error)")
    }
}
