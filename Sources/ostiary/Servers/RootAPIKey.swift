import AuthServer
import Database
import Foundation
import HTTPService
import OstiaryProtocol

/// The key of the management interface for an operator who set none: made at the first start and kept beside the data.
enum RootAPIKey {
    static let fileName = "root-api-key"

    /// The settings as they will be: for a key that is still to be made another one stands, so that all else can be looked at and nothing is made for
    /// a start that is refused.
    static func presumed(_ settings: Settings, _ options: StorageOptions) async throws -> Settings {
        if try settings.secret(.rootAPIKey, file: .rootAPIKeyFile) != nil { return settings }
        let path = path(options)
        guard KeyFile.isMissing(path) else {
            // Said of this file, and not of a setting that nobody has set.
            _ = try naming(path) { () throws(KeyFileError) in try KeyFile.read(path) }
            return try await with([.rootAPIKeyFile: path], options)
        }
        return try await with([.rootAPIKey: Base64URL.encode(drawn())], options)
    }

    /// Settings in which the key is set: those that were given, or the same with the file of the data folder.
    /// - Returns: with the path of the file that was used for want of a setting.
    static func ensured(_ settings: Settings, _ options: StorageOptions) async throws -> (settings: Settings, path: String?) {
        if try settings.secret(.rootAPIKey, file: .rootAPIKeyFile) != nil { return (settings, nil) }
        let path = path(options)
        _ = try naming(path) { () throws(KeyFileError) in try KeyFile.read(orMakeAt: path, newKey: drawn) }
        return (try await with([.rootAPIKeyFile: path], options), path)
    }

    private static func naming<Value>(_ path: String, _ body: () throws(KeyFileError) -> Value) throws -> Value {
        do { return try body() } catch KeyFileError.malformed {
            throw RootAPIKeyError.strange(path: path)
        } catch KeyFileError.readableByOthers {
            throw RootAPIKeyError.readableByOthers(path: path)
        } catch KeyFileError.unreadable(_, let reason) {
            throw RootAPIKeyError.unreadable(path: path, reason: reason)
        }
    }

    private static func path(_ options: StorageOptions) -> String { URL(fileURLWithPath: options.data).appendingPathComponent(fileName).path }

    private static func with(_ overrides: [SettingKey: String], _ options: StorageOptions) async throws -> Settings {
        try await Settings.load(.ofBothServers, configFile: options.config, environment: StorageOptions.environment, overrides: overrides)
    }

    /// 32 bytes.
    private static func drawn() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
}

/// Why the file of the data folder is not used. It is no key file of a database, so another may take its place.
enum RootAPIKeyError: Error, Equatable, CustomStringConvertible {
    /// It holds no key that was made here.
    case strange(path: String)
    case readableByOthers(path: String)
    case unreadable(path: String, reason: String)

    var description: String {
        switch self {
        case .strange(let path):
            "the file \(path) does not hold 64 hexadecimal digits, and is no API key that was made here: name a file with a key of your own "
                + "(\(SettingKey.rootAPIKeyFile.variable)); or remove this one, and the next start makes another, which the backends are given then. It was left as "
                + "it is, and nothing of it is told"
        case .readableByOthers(let path):
            "others than its owner can read the API key \(path): run chmod 600 \(path); if they may have read it, remove it, and the next start makes another, "
                + "which the backends are given then"
        case .unreadable(let path, let reason): "cannot read the API key \(path): \(reason)"
        }
    }
}
