import Foundation

extension MoveEnd {
    /// Opens the database that is moved, alone as far as its engine can tell.
    /// - Parameter text: the URL as an operator wrote it.
    /// - Throws: ``DatabaseOpenError``.
    package static func source(_ url: DatabaseURL, _ text: String) throws(DatabaseOpenError) -> MoveEnd {
        switch url {
        case .sqlite(let path):
            guard FileManager.default.fileExists(atPath: path) else { throw .cannotOpen(path: path, reason: "there is no such file") }
            return try sqlite(path, content: .ours, note: .source)
        case .postgresql(let address): return try postgresql(address, text, content: .ours)
        }
    }

    /// Opens the database that takes the rows. A file is made if it is missing.
    /// - Parameter text: the URL as an operator wrote it.
    /// - Throws: ``DatabaseOpenError``; what holds the tables of others is left as it is.
    package static func target(_ url: DatabaseURL, _ text: String) throws(DatabaseOpenError) -> MoveEnd {
        switch url {
        case .sqlite(let path): try sqlite(path, content: .nothingOrMoved, note: .target)
        case .postgresql(let address): try postgresql(address, text, content: .nothingOrMoved)
        }
    }

    private static func sqlite(_ path: String, content: DatabaseContent, note: MoveNote) throws(DatabaseOpenError) -> MoveEnd {
        let whole = URL(fileURLWithPath: path).standardizedFileURL.path
        // Nobody else can open it then.
        let database = try SQLiteDatabase.open(path: path, content: content, note: note)
        return MoveEnd(
            database, url: "sqlite:\(whole)", name: "the database \(whole)", noteMoved: { try MovedFile.leave(beside: whole, target: $0) },
            forgetMoved: { try MovedFile.remove(beside: whole) })
    }

    private static func postgresql(_ address: PostgreSQLAddress, _ text: String, content: DatabaseContent) throws(DatabaseOpenError) -> MoveEnd {
        var settings = PostgreSQLSettings()
        settings.program = "ostiary move-database"
        let database = try PostgreSQLDatabase.open(address, content: content, settings: settings)
        let name = "the database \(address)"
        return MoveEnd(
            database, url: text, name: name, noteMoved: { try await database.noteMoved(to: $0) },
            forgetMoved: { try await database.forgetMoved() },
            checkAlone: {
                let connections = try await database.serverConnections()
                guard connections == 0 else { throw MoveRefusal.serverRuns(name, connections: connections) }
            })
    }
}
