import Database
import Foundation
import HTTPService
import Logging
import OstiaryProgram
import OstiaryProtocol

/// Opening what a server keeps.
enum ServerStorage {
    /// A key file is made only where there is no database yet, that of `--root-key` too: beside one that exists it would be the wrong key. A database
    /// is made only where there was none: a file that holds no tables is as good as a lost one, unless it is that of a first start which did not come
    /// to its end, and one with the tables of others is theirs. None is made in the folder of the other server, which is a mistyped `--data`. That a database
    /// is the other server's is told before all that may be wrong with it.
    /// - Parameters:
    ///   - folder: of the server's data.
    ///   - needsStandby: whether a second machine must keep what is committed. Looked at before the first commit, which would wait for it for ever.
    ///   - logger: told what an operator may not have meant.
    /// - Throws: ``WrongSetting``, ``OtherServersDatabase``, `DatabaseOpenError`, `KeyFileError`, ``LostDatabase``, ``OtherDatabase``, ``OtherServersFolder``,
    ///   `NoStandby`, `SQLError`.
    static func open(
        _ settings: StorageSettings, of server: ServerKind, in folder: DataFolder, _ identity: IdentityOptions, ownership: DatabaseOwnership,
        needsStandby: Bool = false, logger: Logger? = nil
    ) async throws -> OpenedStorage {
        let url = try databaseURL(settings, of: server)
        if needsStandby, case .sqlite = url { throw NoStandby.file }
        try checkUnbegunMove(of: url)
        // Also of one that is gone: that it was moved is the better word.
        try checkNotMoved(url)
        let first = FirstStart(of: url)
        let isUnderWay = first.isUnderWay(withKey: try? KeyEncryptionKey.load(from: settings.keyFile).id)
        guard let file = try existing(url), try !(isUnderWay && isEmpty(url)) else {
            // Of a start that was interrupted it is that one's own.
            let hadKey = !isUnderWay && !KeyFile.isMissing(settings.keyFile)
            if !isUnderWay {
                // What lies beside a key file that is kept from this process is not seen either.
                if hadKey { try KeyFile.checkReadable(settings.keyFile) }
                try OtherServersFolder.check(url, other: server.otherFileName)
                try LostDatabase.check(url, keyFile: settings.keyFile, of: server, in: folder)
            }
            let key = try keys(settings, identity, first)
            let database = try await make(url, settings, key, first, ownership, needsStandby: needsStandby)
            if hadKey { tellNew(url, settings, logger) }
            return OpenedStorage(database: database, key: key, mark: nil, logger: logger)
        }
        if let missing = missingKey(of: file, settings, identity) {
            // Of a file that is not ours no key is missing.
            try checkContent(.nothingOrOurs, of: url)
            throw missing
        }
        let key = try KeyEncryptionKey.load(from: settings.keyFile)
        let database = try openOwn(url, settings, of: server, in: folder, ownership)
        try first.end()
        return OpenedStorage(database: database, key: key, mark: DatabaseMark(of: url, keyFile: settings.keyFile), logger: logger)
    }

    private static func openOwn(
        _ url: DatabaseURL, _ settings: StorageSettings, of server: ServerKind, in folder: DataFolder, _ ownership: DatabaseOwnership
    ) throws -> any Database {
        do { return try openDatabase(url, ownership: ownership, content: .ours) } catch DatabaseOpenError.empty {
            try OtherDatabase.check(url, keyFile: settings.keyFile, of: server, in: folder)
            throw LostDatabase(of: url, keyFile: settings.keyFile)
        }
    }

    /// The keys of a first start, made or given beforehand. Nothing is begun before one that was given is read.
    private static func keys(_ settings: StorageSettings, _ identity: IdentityOptions, _ first: FirstStart) throws -> KeyEncryptionKey {
        // Of either server: both keep 32 bytes in that file. First, since alone it is no trace of a server.
        _ = try identity.rootSeed()
        let drawn = KeyFile.isMissing(settings.keyFile) ? KeyEncryptionKey.random() : try KeyEncryptionKey.load(from: settings.keyFile)
        try first.begin(withKey: drawn.id)
        let key = try KeyEncryptionKey.load(orMakeAt: settings.keyFile, as: drawn)
        // Another start has made it meanwhile.
        if key.id != drawn.id { try first.begin(withKey: key.id) }
        return key
    }

    /// What a first start makes behind its keys: the database, and its first table, with which the start has come so far that every later one
    /// goes on from there. Whatever of it is there already is taken.
    private static func make(
        _ url: DatabaseURL, _ settings: StorageSettings, _ key: KeyEncryptionKey, _ first: FirstStart, _ ownership: DatabaseOwnership,
        needsStandby: Bool
    ) async throws -> any Database {
        let database = try openDatabase(url, ownership: ownership, content: .nothingOrOurs)
        if needsStandby { try await database.checkStandby() }
        try await database.beginSchema()
        try first.end()
        DatabaseMark(of: url, keyFile: settings.keyFile).leave()
        return database
    }

    private static func tellNew(_ url: DatabaseURL, _ settings: StorageSettings, _ logger: Logger?) {
        logger?.warning(
            "the database was empty and the key file was there before: a new server was made, to whom nobody is enrolled",
            metadata: ["database": "\(url.place)", "path": "\(settings.keyFile)"])
    }

    private static func isEmpty(_ url: DatabaseURL) throws -> Bool {
        do { try checkContent(.ours, of: url) } catch DatabaseOpenError.empty { return true }
        return false
    }

    private static func missingKey(of file: String, _ settings: StorageSettings, _ identity: IdentityOptions) -> KeyFileError? {
        if KeyFile.isMissing(settings.keyFile) { return .missing(path: settings.keyFile, database: file) }
        if let root = identity.rootKeyFile, KeyFile.isMissing(root) { return .rootKeyMissing(path: root, database: file) }
        return nil
    }

    /// For a command beside a running server: makes no database where there is none.
    /// - Throws: ``WrongSetting``, ``OtherServersDatabase``, `DatabaseOpenError`, ``NoDatabase``.
    static func openExisting(_ settings: StorageSettings, of server: ServerKind) throws -> any Database {
        let url = try databaseURL(settings, of: server)
        try checkNotMoved(url)
        guard try existing(url) != nil else { throw NoDatabase(url: settings.databaseURL) }
        do { return try openDatabase(url, ownership: .shared, content: .ours) } catch DatabaseOpenError.empty {
            throw NoDatabase(url: settings.databaseURL)
        }
    }

    /// Where the server's own database is, or is to be.
    private static func databaseURL(_ settings: StorageSettings, of server: ServerKind) throws -> DatabaseURL {
        let url = try WrongSetting.naming(server.urlSetting) {
            let url = try DatabaseURL(parsing: settings.databaseURL)
            try OtherServersDatabase.check(url, of: server)
            return url
        }
        // No setting is to blame for it.
        if case .sqlite(let path) = url { try DatabaseFile.checkKinds(of: path) }
        return url
    }

    /// The name of a database that holds something.
    private static func existing(_ url: DatabaseURL) throws -> String? {
        switch url {
        // One of no bytes holds nothing.
        case .sqlite(let path):
            try DatabaseFile.checkLink(path)
            return try (DatabaseFile.status(at: path)?.st_size ?? 0) > 0 ? path : nil
        case .postgresql(let address): return try isEmpty(url) ? nil : address.description
        }
    }
}

/// A command was to change what is not there.
struct NoDatabase: Error, CustomStringConvertible {
    let url: String
    var description: String { "there is no database \(url): name the --data or --config that the server runs with" }
}

extension Logger.Metadata {
    /// Of the one line that says that a server is up: its identity, its addresses, and how many connections it has room for.
    static func running(_ identity: String, _ bound: [BoundListener], _ shares: ConnectionShares) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "identity": "\(identity)", "version": "\(programVersion)",
            "connections": "\(shares.open.total), \(shares.open.perPeer) from one address",
        ]
        for listener in bound { metadata[listener.name] = "\(listener.address)" }
        return metadata
    }
}
