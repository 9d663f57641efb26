import Foundation
import OstiaryProtocol

extension MoveEnd {
    /// Opens the database that is moved, alone as far as its engine can tell.
    /// - Parameter text: the URL as an operator wrote it.
    /// - Throws: ``DatabaseOpenError``, ``MoveRefusal/otherNames(path:)``.
    package static func source(_ url: DatabaseURL, _ text: String) throws -> MoveEnd {
        switch url {
        case .sqlite(let path):
            guard let names = try DatabaseFile.status(at: path)?.st_nlink else {
                throw DatabaseOpenError.cannotOpen(path: path, reason: "there is no such file")
            }
            guard names == 1 else { throw MoveRefusal.otherNames(path: path) }
            try checkAttribute(ofFolderOf: path)
            return try sqlite(path, content: .ours, note: .source)
        case .postgresql(let address): return try postgresql(address, text, content: .ours)
        }
    }

    /// Opens the database that takes the rows. A file is made if it is missing, and no folder: one that is not there is a typo, or a disk that is not mounted.
    /// - Parameter text: the URL as an operator wrote it.
    /// - Throws: ``DatabaseOpenError``; ``MoveRefusal/targetOfOthers(_:)``, and what holds the tables of others is left as it is.
    package static func target(_ url: DatabaseURL, _ text: String) throws -> MoveEnd {
        do {
            switch url {
            case .sqlite(let path):
                try checkFolder(of: path)
                return try sqlite(path, content: .nothingOrMoved, note: .target)
            case .postgresql(let address): return try postgresql(address, text, content: .nothingOrMoved)
            }
        } catch DatabaseOpenError.notOurs(let path) {
            throw MoveRefusal.targetOfOthers(path)
        }
    }

    /// Looks whether a move has taken its rows elsewhere, before a target is opened, which makes a file.
    /// - Parameter text: the URL of the target as an operator wrote it.
    /// - Throws: ``MoveRefusal/movedAway(_:_:)``, ``SQLError``.
    package func checkNotMoved(besides target: DatabaseURL, _ text: String) async throws {
        switch target {
        case .sqlite(let path):
            let word = try await checkNotMoved(besides: target.text)
            // What it names is gone.
            if let word, try DatabaseFile.status(at: path) == nil { throw MoveRefusal.movedAway(name, word) }
        case .postgresql: _ = try await checkNotMoved(besides: text)
        }
    }

    private static func checkFolder(of path: String) throws(DatabaseOpenError) {
        // By its own name where a folder above lets nobody through.
        _ = try DatabaseFile.status(at: path)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard let status = try DatabaseFile.status(at: folder, isFolder: true), status.st_mode & S_IFMT == S_IFDIR else {
            throw .cannotOpen(path: path, reason: "there is no folder \(folder): make it, or mount the disk that it is on; nothing was made")
        }
        try checkAttribute(ofFolderOf: path)
        try checkNoLog(beside: path)
    }

    /// A log beside a file that is missing, or holds no byte, is all that is left of a database that was lost: SQLite removes it when it opens that file anew.
    /// What a killed move has left there, which goes on, is no such thing, nor what a server has that runs there, which opening tells.
    private static func checkNoLog(beside path: String) throws(DatabaseOpenError) {
        let file = LinkTarget.last(of: path)
        let size = try DatabaseFile.status(at: path)?.st_size
        guard (size ?? 0) == 0, MoveNote(at: file) != .target, !FileLock.isHeld(file + ".lock") else { return }
        for log in ["-wal", "-journal"].map({ file + $0 }) {
            guard let status = try DatabaseFile.status(at: log), status.st_size > 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let state = size == nil ? "missing" : "without a byte"
            throw .cannotOpen(
                path: path,
                reason: "it is \(state), and the log \(log) is not empty, which may hold what a database that was lost had last: put that database "
                    + "back, or name another file; nothing was made")
        }
    }

    /// A folder from which nothing goes and in which nothing gets another name takes no word of a move, which would be told when all is copied.
    private static func checkAttribute(ofFolderOf path: String) throws(DatabaseOpenError) {
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        guard let attribute = FileAttribute.inTheWay(of: folder) else { return }
        throw .cannotOpen(path: path, reason: "\(attribute.words(on: folder)); nothing was moved")
    }

    private static func sqlite(_ path: String, content: DatabaseContent, note: MoveNote) throws(DatabaseOpenError) -> MoveEnd {
        let whole = wholePath(path)
        let name = "the database \(whole)"
        // Nobody else can open it then.
        let database = try SQLiteDatabase.open(path: path, content: content, note: note)
        return MoveEnd(
            database, url: DatabaseURL.sqlite(path: path).text, name: name, owner: FileOwner.told(of: whole), word: { MovedFile.word(beside: whole) },
            noteMoved: { target in
                if let word = MovedFile.word(beside: whole), !word.names(target) { throw MoveRefusal.movedAway(name, word) }
                try MovedFile.leave(beside: whole, target: target)
            }, forgetMoved: { try MovedFile.remove(beside: whole) })
    }

    private static func postgresql(_ address: PostgreSQLAddress, _ text: String, content: DatabaseContent) throws(DatabaseOpenError) -> MoveEnd {
        var settings = PostgreSQLSettings()
        settings.program = "ostiary move-database"
        let database = try PostgreSQLDatabase.open(address, content: content, settings: settings)
        let name = "the database \(address)"
        return MoveEnd(
            database, url: text, name: name, word: { try await database.movedWord() }, noteMoved: { try await database.noteMoved(to: $0) },
            forgetMoved: { try await database.forgetMoved() },
            checkAlone: {
                let connections = try await database.serverConnections()
                guard connections == 0 else { throw MoveRefusal.serverRuns(name, connections: connections) }
            })
    }
}
