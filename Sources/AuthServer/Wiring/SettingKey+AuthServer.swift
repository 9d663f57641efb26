import HTTPService

/// What an operator sets of `ostiary serve`.
extension SettingKey {
    /// In the order of docs/operations.md.
    package static let authServer: [SettingKey] = [
        .publicURL, .listen, .adminListen, .databaseURL, .rootAPIKey, .rootAPIKeyFile, .kekFile, .secondFactorURL, .secondFactorIdentity, .serverName,
        .serverLogo, .logLevel, .maxConnections, .maxConnectionsPerPeer, .auditDays, .deletedAccountDays, .dpopNonces,
        .trustedProxies, .registrationsPerPeer,
    ]

    package static let publicURL = SettingKey(
        "public_url",
        "origin under which phones and browsers reach this server; https, or http to a loopback address; required")
    package static let listen = SettingKey("listen", "host:port for phones and browsers; default 127.0.0.1:8080")
    package static let adminListen = SettingKey("admin_listen", "host:port for the REST API and health, never public; default 127.0.0.1:8081")
    package static let databaseURL = SettingKey(
        "database_url",
        "sqlite:PATH, or postgresql://USER@HOST/DATABASE with ?password_file=PATH&sslrootcert=PATH; default sqlite:DATA/ostiary.sqlite")
    package static let rootAPIKey = SettingKey(
        "root_api_key",
        "key that the REST API asks for in X-apikey; without this and the next one is made at the first start", isSecret: true)
    package static let rootAPIKeyFile = SettingKey("root_api_key_file", "file that holds that key")
    package static let kekFile = SettingKey(
        "kek_file",
        "file of the key-encryption key, 64 hexadecimal digits, made at the first start; default DATA/ostiary.kek")
    package static let secondFactorURL = SettingKey(
        "second_factor_url", "origin of the second-factor server; https, or http to a loopback address; required")
    package static let secondFactorIdentity = SettingKey(
        "second_factor_identity",
        "identity that the second-factor server prints at its start; required")
    package static let serverName = SettingKey(
        "server_name", "name on the phone's confirm screen, one line of 1 to 64 bytes with something to see; default Ostiary")
    package static let serverLogo = SettingKey(
        "server_logo", "PNG (at most 2,048 pixels a side) or plain SVG file of at most 64 KiB for the confirm screen")
    package static let auditDays = SettingKey(
        "audit_days", "days for which the audit trail is kept, up to 36500; 0 for ever, which is the default")
    package static let deletedAccountDays = SettingKey(
        "deleted_account_days",
        "days for which it is known that an account was deleted, so that its phone deletes it too, up to 36500; 0 for ever; default 730")
    package static let dpopNonces = SettingKey(
        "dpop_nonces", "whether proofs of possession (DPoP) of OAuth clients need a nonce of this server, true or false; default false")
    package static let trustedProxies = SettingKey(
        "trusted_proxies",
        """
        addresses and networks of proxies before the public listener whose X-Forwarded-For is believed, separated by commas, unix for a Unix domain socket; \
        none by default
        """)
    package static let registrationsPerPeer = SettingKey(
        "registrations_per_peer", "OAuth clients that may register themselves in a day from one address, where anybody may, up to 1000; default 20")
    package static let maxConnections = SettingKey(
        "max_connections",
        "connections at a time on the public listener, up to 1000000; default 20000, and never more than the system's limit of open files leaves")
    package static let maxConnectionsPerPeer = SettingKey(
        "max_connections_per_peer",
        "of these from one address, and from one /64 of IPv6; default half of them; behind a proxy all come from the proxy's address")
}
