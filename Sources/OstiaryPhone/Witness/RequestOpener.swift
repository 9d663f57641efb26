import AuthServer
import Database
import HTTPService
import OstiaryProgram
import OstiaryProtocol

/// Opens the requests of phones as the authentication server does: with its prekeys, out of its database and under its key file.
///
/// A demonstration may, because it made both; whoever runs a server may as well. The answers it cannot open: those are sealed to keys that
/// never leave the phone.
struct RequestOpener: Sendable {
    private let database: any Database
    private let vault: ServerVault

    /// - Parameter folder: the `--data` of a running server.
    /// - Throws: when there is no database or no key file, or they do not fit each other.
    init(dataFolder folder: DataFolder) async throws {
        let settings = try await Settings.load(SettingKey.authServer, configFile: nil, environment: [:])
        let storage = try StorageSettings.authServer(settings, dataFolder: folder)
        let key = try KeyEncryptionKey.load(from: storage.keyFile)
        let database = try openDatabase(try DatabaseURL(parsing: storage.databaseURL), ownership: .shared, content: .ours)
        try await self.init(database, key: key)
    }

    /// - Parameter database: of a running server, which `close` closes.
    init(_ database: any Database, key: KeyEncryptionKey) async throws {
        self.database = database
        vault = ServerVault(database: database, key: key, random: SystemRandomSource(), clock: { .now })
        try await vault.reload()
    }

    /// The message in a request; nil for what its server could not open either.
    func open(_ request: [UInt8]) async -> [UInt8]? {
        guard let header = try? RequestHeader(of: request), let server = try? await vault.server(tag: header.serverTag),
            let prekey = try? await vault.prekey(header.prekeyID, of: server)
        else { return nil }
        return (try? OpenedRequest(request, with: prekey))?.message
    }

    func close() async { try? await database.close() }
}
