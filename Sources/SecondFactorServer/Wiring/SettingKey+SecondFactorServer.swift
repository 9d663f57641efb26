import HTTPService
import SecondFactor

/// What an operator sets of `ostiary second-factor`. Bounds and defaults are those of ``Policy``.
extension SettingKey {
    /// In the order of docs/operations.md.
    package static let secondFactorServer: [SettingKey] = [
        .sfListen, .sfAdminListen, .sfMaxConnections, .sfMaxConnectionsPerPeer, .sfDatabaseURL, .sfHighlyAvailable, .sfKEKFile, .sfTrustedServers,
        .sfMaxAttempts, .sfPenalties, .sfMaxWithoutPIN, .sfMaxTimeWithoutPIN, .sfLifetimeWithoutPIN, .sfResetsPerDay, .sfResetDays,
        .sfDisallowPINChangeWithBiometric, .logLevel,
    ]

    package static let sfListen = SettingKey("sf_listen", "host:port of the second-factor server; default 127.0.0.1:8090")
    package static let sfAdminListen = SettingKey(
        "sf_admin_listen",
        "host:port for health of the second-factor server, never public; none by default")
    package static let sfMaxConnections = SettingKey(
        "sf_max_connections",
        "connections at a time on the listener of the second-factor server, likewise; default 20000")
    package static let sfMaxConnectionsPerPeer = SettingKey(
        "sf_max_connections_per_peer",
        "of these from one address, likewise; default half of them")
    package static let sfDatabaseURL = SettingKey(
        "sf_database_url",
        "sqlite:PATH, or postgresql://USER@HOST/DATABASE with ?password_file=PATH&sslrootcert=PATH; default sqlite:DATA/second-factor.sqlite")
    package static let sfHighlyAvailable = SettingKey(
        "sf_highly_available",
        "whether it runs only where a second machine keeps what it acknowledges: on a PostgreSQL with a synchronous standby, true or false; default false"
    )
    package static let sfKEKFile = SettingKey(
        "sf_kek_file",
        "file of the key-encryption key, made at the first start; default DATA/second-factor.kek")
    package static let sfTrustedServers = SettingKey(
        "sf_trusted_servers",
        "identities of the authentication servers that may ask, separated by commas; required")
    package static let sfMaxAttempts = SettingKey("sf_max_attempts", "wrong tries until an instance is blocked, 1 to 5; default 5")
    package static let sfPenalties = SettingKey(
        "sf_penalties",
        "waiting time after each wrong try but the last, separated by commas, each at most 1d; default 0,0,30,300")
    package static let sfMaxWithoutPIN = SettingKey(
        "sf_max_without_pin",
        "successes by biometrics alone until the PIN is asked again, up to 65534, 0 for no limit; default 0")
    package static let sfMaxTimeWithoutPIN = SettingKey(
        "sf_max_time_without_pin",
        "time since the last PIN until it is asked again, up to 3650d, 0 for no limit; default 0")
    package static let sfLifetimeWithoutPIN = SettingKey(
        "sf_lifetime_without_pin",
        "wrong tries since the last right PIN until only a new enrolment helps, 1 to 100; default 100")
    package static let sfResetsPerDay = SettingKey(
        "sf_resets_per_day",
        "blocks that the authentication server may lift for one person in a day, 0 to 10; default 1")
    package static let sfResetDays = SettingKey(
        "sf_reset_days",
        "days for which it is kept whose blocks were lifted, up to 36500; 0 for ever, which is the default")
    package static let sfDisallowPINChangeWithBiometric = SettingKey(
        "sf_disallow_pin_change_with_biometric",
        "whether a PIN can be changed only by whoever knows it, true or false; default false")
}
