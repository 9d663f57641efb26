import ArgumentParser
import AuthServer
import Database
import Foundation
import HTTPService
import OstiaryProtocol
import SecondFactorServer

extension [SettingKey] {
    /// Both servers may share an environment and a file.
    static let ofBothServers = SettingKey.authServer + SettingKey.secondFactorServer.filter { !SettingKey.authServer.contains($0) }
}

/// Where a server's settings and data are. Everything else is a setting: an environment variable, or a key of the YAML file.
struct StorageOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("YAML file with settings; an environment variable wins over it.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Where database and key file are, unless a setting says otherwise.", valueName: "dir"))
    var data = "./ostiary-data"

    var dataFolder: DataFolder { DataFolder(data) }

    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    func settings() async throws(SettingsError) -> Settings {
        try await Settings.load(.ofBothServers, configFile: config, environment: Self.environment)
    }
}

/// What both servers do about their identity.
struct IdentityOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("root-key"),
        help: ArgumentHelp("File with the key to the root key, to keep it apart from the database; made at the first start.", valueName: "file"))
    var rootKeyFile: String?

    @Flag(help: "Make the keys if there are none, print the identity hash, and end. Needs no other server.")
    var printIdentity = false

    /// For `serve`: the key that wraps the root keys of all virtual servers; nil when the same key wraps everything.
    func rootKey() throws(KeyFileError) -> KeyEncryptionKey? {
        guard let rootKeyFile else { return nil }
        return try KeyEncryptionKey.load(orMakeAt: rootKeyFile)
    }

    /// For `second-factor`: the root key's seed, 32 bytes; nil when it lies in the database.
    func rootSeed() throws(KeyFileError) -> SecretBytes? {
        guard let rootKeyFile else { return nil }
        var random = SystemRandomNumberGenerator()
        return SecretBytes(try KeyFile.read(orMakeAt: rootKeyFile) { (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) } })
    }
}
