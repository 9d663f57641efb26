import Database

/// The database that is named is the other server's: its URL stands in the wrong setting. That is told before a key file is missed, which would send whoever
/// starts it to look for one that never was, and before a right is, which would have them take the tables from the server that has them.
struct OtherServersDatabase: Error, CustomStringConvertible {
    /// Which database.
    let place: String
    /// Whose it is.
    let owner: ServerKind
    /// Who was started.
    let server: ServerKind

    var description: String {
        "the database \(place) is that of the \(owner.name), and this is the \(server.name): name its own (\(server.urlSetting); that one belongs in "
            + "\(owner.urlSetting)). Each of the two has a database and a key file of its own; nothing was made or changed"
    }

    /// - Parameter url: of a database that may not be there yet, and is left as it is.
    /// - Throws: ``OtherServersDatabase``; `DatabaseOpenError` where PostgreSQL gives no connection.
    static func check(_ url: DatabaseURL, of server: ServerKind) throws {
        guard let sign = try schemaSign(of: url) else { return }
        guard let owner = ServerKind.allCases.first(where: { $0.schema.isShown(by: sign) }), owner != server else { return }
        throw OtherServersDatabase(place: url.place, owner: owner, server: server)
    }
}
