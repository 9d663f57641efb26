/// Opens the database that a URL names.
/// - Throws: ``DatabaseOpenError``.
package func openDatabase(
    _ url: DatabaseURL, ownership: DatabaseOwnership = .exclusive, content: DatabaseContent = .any
) throws(DatabaseOpenError) -> any Database {
    switch url {
    case .sqlite(let path): try SQLiteDatabase.open(path: path, ownership: ownership, content: content)
    // Any number of programs may have it open.
    case .postgresql(let address): try PostgreSQLDatabase.open(address, content: content)
    }
}

/// Looks whether a database that is there holds what it must, and leaves it as it is.
/// - Throws: ``DatabaseOpenError``.
package func checkContent(_ content: DatabaseContent, of url: DatabaseURL) throws(DatabaseOpenError) {
    switch url {
    case .sqlite(let path): try SQLiteDatabase.checkContent(content, at: path)
    case .postgresql(let address): try PostgreSQLDatabase.checkContent(content, of: address)
    }
}

/// What a database shows of whose it is. It is left as it is, and whoever has it open is not asked.
/// - Returns: nil where there is nothing, or it cannot be read: whoever opens it is told why.
/// - Throws: ``DatabaseOpenError/cannotOpen(path:reason:)`` where PostgreSQL gives no connection.
package func schemaSign(of url: DatabaseURL) throws(DatabaseOpenError) -> SchemaSign? {
    switch url {
    case .sqlite(let path): SQLiteDatabase.firstStep(at: path).map(SchemaSign.firstStep)
    case .postgresql(let address): try PostgreSQLDatabase.schemaSign(of: address)
    }
}

/// Looks whether a move has taken the rows of a database to another one. What is there still is an older state of the same server.
/// - Throws: ``DatabaseOpenError/movedAway(path:target:mark:)``, ``DatabaseOpenError/cannotOpen(path:reason:)``.
package func checkNotMoved(_ url: DatabaseURL) throws(DatabaseOpenError) {
    switch url {
    case .sqlite(let path): try MovedFile.check(path)
    case .postgresql(let address): try PostgreSQLDatabase.checkNotMoved(address)
    }
}

/// Looks whether a database that holds nothing is to be filled by a move, which has not come as far as to say so in it.
/// - Throws: ``DatabaseOpenError/beingMoved(path:)``, ``DatabaseOpenError/unbegunMove(path:)``.
package func checkUnbegunMove(of url: DatabaseURL) throws(DatabaseOpenError) {
    switch url {
    case .sqlite(let path): try MoveNote.check(path)
    // A move makes no database there, and its mark first.
    case .postgresql: return
    }
}
