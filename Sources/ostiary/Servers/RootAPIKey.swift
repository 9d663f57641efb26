import AuthServer
import Database
import Foundation
import HTTPService

/// The key of the management interface for an operator who set none: made at the first start and kept beside the data.
enum RootAPIKey {
    static let fileName = "root-api-key"

    /// Settings in which the key is set: those that were given, or the same with the file of the data folder.
    /// - Returns: with the path of the file that was used for want of a setting.
    static func ensured(_ settings: Settings, _ options: StorageOptions) async throws -> (settings: Settings, path: String?) {
        if try settings.secret(.rootAPIKey, file: .rootAPIKeyFile) != nil { return (settings, nil) }
        let path = URL(fileURLWithPath: options.data).appendingPathComponent(fileName).path
        var random = SystemRandomNumberGenerator()
        _ = try KeyFile.read(orMakeAt: path) { (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) } }
        let completed = try await Settings.load(
            .ofBothServers, configFile: options.config, environment: StorageOptions.environment, overrides: [.rootAPIKeyFile: path])
        return (completed, path)
    }
}
