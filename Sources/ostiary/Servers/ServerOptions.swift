import ArgumentParser
import Foundation
import HTTPService
import OstiaryProtocol

/// The options that both servers understand. Everything else is a setting: an environment variable, or a key of the YAML file.
struct ServerOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("YAML file with settings; an environment variable wins over it.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Where database and key file are, unless a setting says otherwise.", valueName: "dir"))
    var data = "./ostiary-data"

    @Option(help: ArgumentHelp("File with the root key, to keep it apart from the database; made if missing.", valueName: "file"))
    var rootKey: String?

    @Flag(help: "Make the keys if there are none, print the identity hash, and end. Needs no other server.")
    var printIdentity = false

    var dataFolder: DataFolder { DataFolder(data) }

    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    func settings() async throws(SettingsError) -> Settings {
        try await Settings.load(configFile: config, environment: Self.environment)
    }

    /// The root key's seed of `--root-key`, 32 bytes; nil when the root key lies in the database.
    func rootSeed() throws(KeyFileError) -> SecretBytes? {
        guard let rootKey else { return nil }
        var random = SystemRandomNumberGenerator()
        return SecretBytes(try KeyFile.read(orMakeAt: rootKey) { (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) } })
    }
}
