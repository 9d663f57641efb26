import HTTPService

/// Settings as a server declares them.
extension SettingKey {
    static let listen = SettingKey("listen", "host:port")
    static let adminListen = SettingKey("admin_listen", "host:port")
    static let publicURL = SettingKey("public_url", "origin")
    static let secondFactorURL = SettingKey("second_factor_url", "origin")
    static let secondFactorIdentity = SettingKey("second_factor_identity", "identity")
    static let kekFile = SettingKey("kek_file", "file of the key-encryption key")
    static let serverName = SettingKey("server_name", "name")
    static let rootAPIKey = SettingKey("root_api_key", "key of the REST API", isSecret: true)
    static let rootAPIKeyFile = SettingKey("root_api_key_file", "file that holds that key")
    static let sfTrustedServers = SettingKey("sf_trusted_servers", "identities")
    static let sfPenalties = SettingKey("sf_penalties", "waiting times")
    static let sfMaxAttempts = SettingKey("sf_max_attempts", "tries")

    static let all: [SettingKey] = [
        .listen, .adminListen, .publicURL, .secondFactorURL, .secondFactorIdentity, .kekFile, .serverName, .rootAPIKey, .rootAPIKeyFile, .logLevel,
        .sfTrustedServers, .sfPenalties, .sfMaxAttempts,
    ]
}

extension Settings {
    static func load(
        configFile: String? = nil, environment: [String: String], overrides: [SettingKey: String] = [:]
    ) async throws(SettingsError) -> Settings {
        try await load(SettingKey.all, configFile: configFile, environment: environment, overrides: overrides)
    }
}
