/// Every setting of both servers. The raw value is the key in a YAML file; the environment variable is `OSTIARY_` and the same in capitals.
///
/// A YAML file is flat, and one file may serve both servers:
///
///     public_url: https://login.example.org
///     listen: 127.0.0.1:8080
///     sf_trusted_servers: [m3Yw…]
package enum SettingKey: String, CaseIterable, Sendable {
    case publicURL = "public_url"
    case listen
    case adminListen = "admin_listen"
    case databaseURL = "database_url"
    case rootAPIKey = "root_api_key"
    case rootAPIKeyFile = "root_api_key_file"
    case kekFile = "kek_file"
    case secondFactorURL = "second_factor_url"
    case secondFactorIdentity = "second_factor_identity"
    case serverName = "server_name"
    case serverLogo = "server_logo"
    case logLevel = "log_level"
    case maxConnections = "max_connections"
    case maxConnectionsPerPeer = "max_connections_per_peer"
    case sfListen = "sf_listen"
    case sfAdminListen = "sf_admin_listen"
    case sfMaxConnections = "sf_max_connections"
    case sfMaxConnectionsPerPeer = "sf_max_connections_per_peer"
    case sfDatabaseURL = "sf_database_url"
    case sfKEKFile = "sf_kek_file"
    case sfTrustedServers = "sf_trusted_servers"
    case sfMaxAttempts = "sf_max_attempts"
    case sfPenalties = "sf_penalties"
    case sfMaxWithoutPIN = "sf_max_without_pin"
    case sfMaxTimeWithoutPIN = "sf_max_time_without_pin"
    case sfLifetimeWithoutPIN = "sf_lifetime_without_pin"
    case sfResetsPerDay = "sf_resets_per_day"
    case sfDisallowPINChangeWithBiometric = "sf_disallow_pin_change_with_biometric"

    /// The name of the environment variable.
    package var variable: String { "OSTIARY_" + rawValue.uppercased() }

    /// What the setting means, for the generated reference.
    package var summary: String {
        switch self {
        case .publicURL: "origin under which phones and browsers reach this server; https, or http to a loopback address; required"
        case .listen: "host:port for phones and browsers; default 127.0.0.1:8080"
        case .adminListen: "host:port for the REST API and health, never public; default 127.0.0.1:8081"
        case .databaseURL: "sqlite:PATH; default sqlite:DATA/ostiary.sqlite"
        case .rootAPIKey: "key that the REST API asks for in X-apikey; without this and the next one is made at the first start"
        case .rootAPIKeyFile: "file that holds that key"
        case .kekFile: "file of the key-encryption key, 64 hexadecimal digits, made at the first start; default DATA/ostiary.kek"
        case .secondFactorURL: "origin of the second-factor server; required"
        case .secondFactorIdentity: "identity that the second-factor server prints at its start; required"
        case .serverName: "name on the phone's confirm screen, one line of 1 to 64 bytes; default Ostiary"
        case .serverLogo: "PNG or SVG file of at most 64 KiB for the confirm screen"
        case .logLevel: "trace, debug, info, notice, warning, error or critical; default info"
        case .maxConnections:
            "connections at a time on the public listener, up to 1000000; default 20000, and never more than the system's limit of open files leaves"
        case .maxConnectionsPerPeer:
            "of these from one address, and from one /64 of IPv6; default half of them; behind a proxy all come from the proxy's address"
        case .sfListen: "host:port of the second-factor server; default 127.0.0.1:8090"
        case .sfAdminListen: "host:port for health of the second-factor server, never public; none by default"
        case .sfMaxConnections: "connections at a time on the listener of the second-factor server, likewise; default 20000"
        case .sfMaxConnectionsPerPeer: "of these from one address, likewise; default half of them"
        case .sfDatabaseURL: "sqlite:PATH; default sqlite:DATA/second-factor.sqlite"
        case .sfKEKFile: "file of the key-encryption key, made at the first start; default DATA/second-factor.kek"
        case .sfTrustedServers: "identities of the authentication servers that may ask, separated by commas; required"
        case .sfMaxAttempts: "wrong tries until an instance is blocked, 1 to 5; default 5"
        case .sfPenalties: "waiting time after each wrong try but the last, separated by commas, each at most 1d; default 0,0,30,300"
        case .sfMaxWithoutPIN: "successes by biometrics alone until the PIN is asked again, up to 65534, 0 for no limit; default 0"
        case .sfMaxTimeWithoutPIN: "time since the last PIN until it is asked again, up to 3650d, 0 for no limit; default 0"
        case .sfLifetimeWithoutPIN: "wrong tries since the last right PIN until only a new enrolment helps, 1 to 100; default 100"
        case .sfResetsPerDay: "blocks that the authentication server may lift for one person in a day, 0 to 10; default 1"
        case .sfDisallowPINChangeWithBiometric: "whether a PIN can be changed only by whoever knows it, true or false; default false"
        }
    }
}
