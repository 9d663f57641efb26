import AuthServer
import Database
import Foundation
import HTTPService
import Logging
import OstiaryProtocol

/// The key of the management interface for an operator who set none: made at the first start and kept beside the data.
///
/// Several nodes have the same one. None is made where nodes can be several and one has run that notes its key, as from this version on each does:
/// backends would be refused at this node, or at all others. Of first nodes that draw one each at the same time the database decides whose it is
/// (``Found/settle(_:in:)``): until then a drawn key lies in a file of another name, which a start that comes after a kill goes on with, or removes.
enum RootAPIKey {
    static let fileName = ServerFiles.apiKey

    /// Settings in which the key is set.
    struct Found: Sendable {
        let settings: Settings
        /// Of the file in the data folder that is used for want of a setting; nil where there is a setting.
        let path: String?
        /// Whether this start has made that file.
        let isMade: Bool
        /// Whether other nodes can be on the database, which need the same.
        let isShared: Bool
        /// The file of a drawn key, under another name until the database has said that it is the one of its nodes; else nil.
        var draft: String?

        /// Has the database say whether a drawn key is the one of its nodes. To be called once it holds the tables, and before anybody is answered. The file gets
        /// its name, or is removed.
        /// - Parameter apiKey: as it is in the settings.
        /// - Throws: ``RootAPIKeyError/drawnElsewhere(path:database:)``, `KeyFileError`, `SQLError`.
        func settle(_ apiKey: SecretText, in opened: OpenedStorage) async throws {
            guard let draft, let path else { return }
            guard try await NotedRootAPIKey(in: opened.database).claim(apiKey, under: opened.key) else {
                KeyFile.remove(draft)
                throw RootAPIKeyError.drawnElsewhere(path: path, database: opened.database.place)
            }
            try KeyFile.rename(draft, to: path)
        }

        /// Which file it is, never what is in it.
        func tell(_ logger: Logger) {
            guard let path else { return }
            let facts: Logger.Metadata = ["path": "\(path)"]
            switch (isMade, isShared) {
            case (false, _): logger.notice("no API key is set: using the one in a file", metadata: facts)
            case (true, false): logger.notice("no API key is set: made one in a file", metadata: facts)
            case (true, true):
                // Nodes of a version that noted nothing may have one; and a folder that is empty at each start has none at the next, which is refused.
                logger.warning(
                    """
                    no API key is set: made one in a file. Every further start, of this and other nodes, needs this file; if other nodes have a key, \
                    give this one theirs and remove this
                    """, metadata: facts)
            }
        }
    }

    /// The settings as they will be: for a key that is still to be made another one stands, so that all else can be looked at and nothing is made for
    /// a start that is refused.
    static func presumed(_ settings: Settings, _ options: StorageOptions) async throws -> Settings {
        if try settings.secret(.rootAPIKey, file: .rootAPIKeyFile) != nil { return settings }
        let path = path(options)
        guard KeyFile.isMissing(path) else {
            // Said of this file, and not of a setting that nobody has set.
            _ = try naming(path) { () throws(KeyFileError) in try KeyFile.read(path, inDataFolder: true) }
            return try await with([.rootAPIKeyFile: path], options)
        }
        return try await with([.rootAPIKey: Base64URL.encode(drawn())], options)
    }

    /// Those that were given, or the same with the file of the data folder.
    /// - Parameters:
    ///   - database: of this server, whose tables may be still to be made.
    ///   - environment: from which `settings` were read.
    /// - Throws: ``RootAPIKeyError``, `KeyFileError`, `SettingsError`, `SQLError`.
    static func ensured(
        _ settings: Settings, _ options: StorageOptions, in database: any Database, environment: [String: String] = StorageOptions.environment
    ) async throws -> Found {
        let isShared = database.isShared
        if try settings.secret(.rootAPIKey, file: .rootAPIKeyFile) != nil {
            return Found(settings: settings, path: nil, isMade: false, isShared: isShared)
        }
        let path = path(options)
        let (isMissing, draft) = (KeyFile.isMissing(path), Self.path(options, of: ServerFiles.drawnAPIKey))
        // One that a killed start has drawn may be the noted one.
        if isMissing, isShared, KeyFile.isMissing(draft), try await NotedRootAPIKey(in: database).isNoted() {
            throw RootAPIKeyError.missing(path: path, database: database.place)
        }
        if !isMissing, !KeyFile.isMissing(draft) { KeyFile.remove(draft) }
        let file = isMissing && isShared ? draft : path
        _ = try naming(file) { () throws(KeyFileError) in try KeyFile.read(orMakeAt: file, inDataFolder: true, newKey: drawn) }
        let named = try await with([.rootAPIKeyFile: file], options, environment)
        return Found(settings: named, path: path, isMade: isMissing, isShared: isShared, draft: file == path ? nil : file)
    }

    /// Refuses a key that a key file holds: who copied the wrong file would give backends what opens the database.
    /// - Parameter keyFiles: of this server. One that is missing or cannot be read is told by whoever opens it.
    /// - Throws: ``RootAPIKeyError/keyOfDatabase(place:keyFile:)``, `SettingsError`.
    static func checkApart(_ apiKey: SecretText, from keyFiles: [String], _ settings: Settings, _ options: StorageOptions) throws {
        guard let keyFile = keyFiles.first(where: { file in apiKey.shown { KeyFile.holds($0, at: file) } }) else { return }
        let isSet = try settings.secret(.rootAPIKey, file: .rootAPIKeyFile) != nil
        let place = isSet ? "\(SettingKey.rootAPIKey.variable) or \(SettingKey.rootAPIKeyFile.variable)" : path(options)
        throw RootAPIKeyError.keyOfDatabase(place: place, keyFile: keyFile)
    }

    /// Notes in the database with which key this start was, for the nodes that are started after it, and tells if the one before it had another.
    static func note(_ apiKey: SecretText, in opened: OpenedStorage, _ logger: Logger) async {
        do {
            let wasOther = try await NotedRootAPIKey(in: opened.database).note(apiKey, under: opened.key)
            // One node alone has another key because somebody has changed it.
            guard wasOther, opened.database.isShared else { return }
            logger.warning(
                """
                this start has another API key than the one that is noted in the database, by the start before it or in a backup that was put back: this \
                node answers 401 to the noted key, and any node that has the noted one answers 401 to this; where nodes are several give all the same \
                and restart them
                """)
        } catch {
            logger.error(
                "which API key this node has may not be noted in the database: the next start does it",
                metadata: ["error": "\(opened.database.told(error))"])
        }
    }

    private static func naming<Value>(_ path: String, _ body: () throws(KeyFileError) -> Value) throws -> Value {
        do { return try body() } catch KeyFileError.malformed {
            throw RootAPIKeyError.strange(path: path)
        } catch KeyFileError.readableByOthers {
            throw RootAPIKeyError.readableByOthers(path: path)
        } catch KeyFileError.unreadable(_, let reason) {
            throw RootAPIKeyError.unreadable(path: path, reason: reason)
        } catch KeyFileError.unwritable(_, let reason) {
            throw RootAPIKeyError.unwritable(path: path, reason: reason)
        }
    }

    private static func path(_ options: StorageOptions, of name: String = fileName) -> String {
        URL(fileURLWithPath: options.dataFolder.path).appendingPathComponent(name).path
    }

    private static func with(
        _ overrides: [SettingKey: String], _ options: StorageOptions, _ environment: [String: String] = StorageOptions.environment
    ) async throws -> Settings {
        try await Settings.load(.ofBothServers, configFile: options.config, environment: environment, overrides: overrides)
    }

    /// 32 bytes.
    private static func drawn() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
}

/// Why the file of the data folder is not used. It is no key file of a database, so another may take its place.
enum RootAPIKeyError: Error, Equatable, CustomStringConvertible {
    /// There is none, and a node has noted which key it has in the database, of which this node is one of several perhaps.
    case missing(path: String, database: String)
    /// This start has drawn one, and another node was first.
    case drawnElsewhere(path: String, database: String)
    /// It is what a key file of this server holds.
    /// - Parameter place: where it is set.
    case keyOfDatabase(place: String, keyFile: String)
    /// It holds no key that was made here.
    case strange(path: String)
    case readableByOthers(path: String)
    case unreadable(path: String, reason: String)
    case unwritable(path: String, reason: String)

    var description: String {
        switch self {
        case .missing(let path, let database):
            "no API key is set (\(SettingKey.rootAPIKey.variable) or \(SettingKey.rootAPIKeyFile.variable)), and there is no \(path). A server has "
                + "run on the database \(database), and backends have its key, so none was made. Of several nodes all have the same: copy the file "
                + "of another node (mode 600), or set the key. Of one node put back the copy that was kept. For another key run "
                + "\(Self.command(path)), \(Self.spread)"
        case .drawnElsewhere(let path, let database):
            "no API key is set (\(SettingKey.rootAPIKey.variable) or \(SettingKey.rootAPIKeyFile.variable)), and another node on the database "
                + "\(database) was first to make one: all nodes have the same, so what was drawn here was removed. Copy the file "
                + "\(RootAPIKey.fileName) of that node to \(path) (mode 600), or set its key, and start this node again"
        case .keyOfDatabase(let place, let keyFile):
            "the API key (\(place)) is what the key file \(keyFile) holds, a copy of the wrong file perhaps: every backend would have what opens the "
                + "database. Put the API key there (of several nodes all have the same), or another one (openssl rand -hex 32). Leave the key file as it "
                + "is, which nothing exchanges; whoever was given its content must not come by the database or a copy of it"
        case .strange(let path):
            "the file \(path) does not hold 64 hexadecimal digits, so it is no API key that was made here. Of several nodes all have the same: "
                + "copy the file of another node (mode 600). Of one node put back the copy that was kept, or name a file with a key of your own "
                + "(\(SettingKey.rootAPIKeyFile.variable)). For another key remove this one: \(Self.another(path)). It was left as it is, and nothing "
                + "of it is told"
        case .readableByOthers(let path):
            "others than its owner can read the API key \(path): run chmod 600 \(shellWord(path)). If they may have read it, remove it: "
                + Self.another(path)
        case .unreadable(let path, let reason): "cannot read the API key \(path): \(reason)"
        case .unwritable(let path, let reason): "cannot make the API key \(path): \(reason)"
        }
    }

    /// What follows when the file is removed.
    private static func another(_ path: String) -> String {
        "on a SQLite file the next start makes another by itself, for the backends; on PostgreSQL run \(command(path)), \(spread)"
    }

    private static func command(_ path: String) -> String { "(umask 077; openssl rand -hex 32 >\(shellWord(path))) as the server's user" }
    private static let spread = "copy that to all nodes, start each anew, and give it to the backends"
}
