import Database
import HTTPService
import Logging
import OstiaryProtocol

/// All settings of `ostiary serve`.
package struct AuthServerSettings: Sendable {
    package let node: AuthNodeSettings
    package let listen: ListenAddress
    package let adminListen: ListenAddress
    package let storage: StorageSettings
    package let secondFactorURL: PublicURL
    package let logLevel: Logger.Level
    package let connections: ConnectionSettings

    /// - Throws: ``SettingsError``, of all of these that are missing, or of the first that is wrong.
    package init(_ settings: Settings, dataFolder: DataFolder) throws(SettingsError) {
        try settings.require([.publicURL, .secondFactorURL, .secondFactorIdentity])
        node = try AuthNodeSettings(settings)
        listen = try settings.listenAddress(.listen) ?? ListenAddress(host: "127.0.0.1", port: 8080)
        adminListen = try settings.listenAddress(.adminListen) ?? ListenAddress(host: "127.0.0.1", port: 8081)
        storage = try .authServer(settings, dataFolder: dataFolder)
        secondFactorURL = try settings.required(.secondFactorURL, settings.publicURL(.secondFactorURL))
        logLevel = try settings.logLevel()
        connections = try ConnectionSettings(settings, .maxConnections, .maxConnectionsPerPeer)
    }
}

extension StorageSettings {
    /// Of database and key file in the data folder, without their ends.
    package static let authServerFileName = ServerFiles.authServer

    /// - Throws: ``SettingsError``.
    package static func authServer(_ settings: Settings, dataFolder: DataFolder) throws(SettingsError) -> StorageSettings {
        try StorageSettings(settings, .databaseURL, .kekFile, named: authServerFileName, in: dataFolder)
    }
}

extension Settings {
    /// The name of the virtual server, if one is set: 1 to 64 bytes that a phone can show.
    package func serverName() throws(SettingsError) -> String? { try parsed(.serverName, checkServerName) }
}

/// A name that fits the bundle (protocol §3) and one line of a screen.
private func checkServerName(_ text: String) throws -> String {
    guard PlainLine.allowsName(text, cap: 64) else {
        throw Expected("1 to 64 bytes of text on one line, with something to see, without characters that turn the direction of writing")
    }
    return text
}
