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
        /// - Throws: ``RootAPIKeyError``, `SQLError`.
        func settle(_ apiKey: SecretText, in opened: OpenedStorage) async throws {
            guard let draft, let path else { return }
            guard try await NotedRootAPIKey(in: opened.database).claim(apiKey, under: opened.key) else {
                KeyFile.remove(draft)
                throw RootAPIKeyError.drawnElsewhere(path: path, database: opened.database.place)
            }
            let text = apiKey.shown { $0 }
            try RootAPIKey.naming(path) { () throws(KeyFileError) in try KeyFile.rename(draft, holding: text, to: path) }
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
            if let trouble = fieldTrouble(of: path) { throw RootAPIKeyError.unsendable(path: path, trouble: trouble) }
            return try await with([.rootAPIKeyFile: path], options)
        }
        // A draft that cannot be used is told before a database is made for it.
        let draft = Self.path(options, of: ServerFiles.drawnAPIKey)
        if !KeyFile.isMissing(draft) {
            do { _ = try naming(draft, isDraft: true) { () throws(KeyFileError) in try KeyFile.read(draft, inDataFolder: true) } } catch {
                // Another start in this folder has just given it its name.
                guard !KeyFile.isMissing(path) else { throw error }
                return try await presumed(settings, options)
            }
            // It would get its name with what is around the key.
            if let trouble = fieldTrouble(of: draft) { throw RootAPIKeyError.unsendable(path: draft, trouble: trouble) }
        }
        return try await with([.rootAPIKey: Base64URL.encode(drawn())], options)
    }

    /// Of a file that holds 64 digits: a key file is read without the blanks around them, and an API key with them. Nil of one that cannot be read, which whoever
    /// reads it is told.
    private static func fieldTrouble(of path: String) -> String? { (try? SecretFile.line(in: path)).flatMap { SecretText($0).fieldTrouble } }

    /// Those that were given, or the same with the file of the data folder.
    /// - Parameters:
    ///   - database: of this server, whose tables may be still to be made.
    ///   - environment: from which `settings` were read.
    /// - Throws: ``RootAPIKeyError``, `KeyFileError`, `SettingsError`, `SQLError`.
    static func ensured(
        _ settings: Settings, _ options: StorageOptions, in database: any Database, environment: [String: String] = StorageOptions.environment
    ) async throws -> Found {
        if try settings.secret(.rootAPIKey, file: .rootAPIKeyFile) != nil {
            return Found(settings: settings, path: nil, isMade: false, isShared: database.isShared)
        }
        let path = path(options)
        if database.isShared, KeyFile.isMissing(path) {
            do {
                if let found = try await withDraft(path, options, in: database, environment) { return found }
            } catch {
                // Else another start in this folder has given the key its name since this one looked, and both have that one.
                guard !KeyFile.isMissing(path) else { throw error }
            }
        }
        let isMade = !database.isShared && KeyFile.isMissing(path)
        _ = try naming(path) { () throws(KeyFileError) in
            try isMade ? KeyFile.read(orMakeAt: path, inDataFolder: true, newKey: drawn) : KeyFile.read(path, inDataFolder: true)
        }
        let draft = Self.path(options, of: ServerFiles.drawnAPIKey)
        if !isMade, !KeyFile.isMissing(draft) { KeyFile.remove(draft) }
        return Found(
            settings: try await with([.rootAPIKeyFile: path], options, environment), path: path, isMade: isMade, isShared: database.isShared)
    }

    /// With the key that a killed start has drawn, or a new one, which lies under another name until ``Found/settle(_:in:)``.
    ///
    /// Whether a draft is the noted key is seen there, and not here: no key file has opened this database yet, and under that of another every draft differs from
    /// the note, and would be removed.
    /// - Parameter path: of the key file, which is missing.
    /// - Returns: nil where that is there by now.
    private static func withDraft(
        _ path: String, _ options: StorageOptions, in database: any Database, _ environment: [String: String]
    ) async throws -> Found? {
        let draft = Self.path(options, of: ServerFiles.drawnAPIKey)
        // One that a killed start has drawn may be the noted one.
        if KeyFile.isMissing(draft), try await NotedRootAPIKey(in: database).isNoted() {
            throw RootAPIKeyError.missing(path: path, database: database.place)
        }
        let key = try naming(draft, isDraft: true) { () throws(KeyFileError) in
            try KeyFile.read(orMakeAt: draft, inDataFolder: true, newKey: drawn)
        }
        // A draft goes only when its key has the name: where that is missing still, no other start in this folder has used another draft than this.
        guard KeyFile.isMissing(path) else { return nil }
        // The key itself, since such a start may take the draft away.
        let settings = try await with([.rootAPIKey: Hexadecimal.text(key)], options, environment)
        return Found(settings: settings, path: path, isMade: true, isShared: true, draft: draft)
    }

    /// Refuses a key that a key file holds: who copied the wrong file would give backends what opens the database.
    /// - Parameters:
    ///   - keyFiles: of this server. One that is missing or cannot be read is told by whoever opens it.
    ///   - draft: in which the key lies, where it has not its name yet.
    /// - Throws: ``RootAPIKeyError/keyOfDatabase(place:keyFile:)``, `SettingsError`.
    static func checkApart(
        _ apiKey: SecretText, from keyFiles: [String], _ settings: Settings, _ options: StorageOptions, draft: String? = nil
    ) throws {
        guard let keyFile = keyFiles.first(where: { file in apiKey.shown { KeyFile.holds($0, at: file) } }) else { return }
        let isSet = try settings.secret(.rootAPIKey, file: .rootAPIKeyFile) != nil
        let place = isSet ? "\(SettingKey.rootAPIKey.variable) or \(SettingKey.rootAPIKeyFile.variable)" : draft ?? path(options)
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

    /// - Parameter isDraft: of a file that has not its name yet, so that nobody can have copied it.
    private static func naming<Value>(_ path: String, isDraft: Bool = false, _ body: () throws(KeyFileError) -> Value) throws -> Value {
        do { return try body() } catch KeyFileError.malformed {
            throw isDraft ? RootAPIKeyError.strangeDraft(path: path) : RootAPIKeyError.strange(path: path)
        } catch KeyFileError.readableByOthers {
            throw isDraft ? RootAPIKeyError.openDraft(path: path) : RootAPIKeyError.readableByOthers(path: path)
        } catch KeyFileError.taken(_, let draft) {
            throw RootAPIKeyError.taken(path: path, draft: draft)
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
    /// There is none, and a start has noted which key it has in the database, of which this node is one of several perhaps.
    case missing(path: String, database: String)
    /// This start has drawn one, and another node was first.
    case drawnElsewhere(path: String, database: String)
    /// It is what a key file of this server holds.
    /// - Parameter place: where it is set.
    case keyOfDatabase(place: String, keyFile: String)
    /// It holds one, with something around it or in it that no request carries.
    case unsendable(path: String, trouble: String)
    /// It holds no key that was made here.
    case strange(path: String)
    case readableByOthers(path: String)
    /// The same two of a drawn key that no backend has yet.
    case strangeDraft(path: String)
    case openDraft(path: String)
    /// This start has drawn one, and somebody has put another there meanwhile.
    case taken(path: String, draft: String)
    case unreadable(path: String, reason: String)
    case unwritable(path: String, reason: String)

    var description: String {
        switch self {
        case .missing(let path, let database):
            "no API key is set (\(SettingKey.rootAPIKey.variable) or \(SettingKey.rootAPIKeyFile.variable)), and there is no \(path). A server has "
                + "noted an API key in the database \(database), which backends may have, so none was made. Of several nodes all have the same: copy the file "
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
        case .unsendable(let path, let trouble): "the API key in \(path) \(trouble)"
        case .strangeDraft(let path):
            "the file \(path), in which a start that did not come to its end has left the API key that it drew, does not hold 64 hexadecimal digits: remove it "
                + "(rm \(shellWord(path))), and start again; no backend has that key"
        case .openDraft(let path):
            "others than its owner can read \(path), the API key that a start which did not come to its end has drawn: run chmod 600 \(shellWord(path)), "
                + "and start again; or, if they may have read it, remove it before, since no backend has that key"
        case .taken(let path, let draft):
            "another API key was put into \(path) while this start drew one: that is in \(draft), noted in the database, and no backend has it. Start again to "
                + "have the one of \(path), and what was drawn is removed; or run mv \(shellWord(draft)) \(shellWord(path)) before, to have that"
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
