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
