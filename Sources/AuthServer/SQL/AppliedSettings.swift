import Database
import OstiaryProtocol

/// What of the operator's settings a start has put into the database. A setting that a later start finds unchanged says nothing new: what the REST API
/// has made of it since then stays. Of the API key there is only which one it was (``NotedRootAPIKey``).
struct AppliedSettings {
    enum Key: String {
        case serverName = "server_name"
        case serverLogo = "server_logo"
        case rootAPIKey = "root_api_key"
    }

    let database: any Database

    static func tables(_ d: SQLDialect) -> [String] {
        ["CREATE TABLE applied_setting (name TEXT NOT NULL PRIMARY KEY, digest \(d.blob) NOT NULL) \(d.tableOptions)"]
    }

    /// Whether no start before this one has applied the value, or another one was applied, or the setting was left out, since.
    func isNew(_ value: [UInt8], of key: Key) async throws -> Bool { try await kept(key) != digest(value) }

    /// Whether any start has noted a value that is not taken back; of a database whose tables are still to be made none has.
    func has(_ key: Key) async throws -> Bool {
        let dialect = database.dialect
        return try await database.read { connection in
            guard try connection.madeNames(dialect).contains("applied_setting") else { return false }
            return try Self.kept(key, on: connection) != nil
        }
    }

    /// Notes a value where none is noted. Of several starts at once one is the first, and the others hear so.
    /// - Returns: whether it is the one that is noted now; also where it was before.
    func claim(_ value: [UInt8], of key: Key) async throws -> Bool {
        let wanted = digest(value)
        return try await database.transaction { connection -> Bool in
            try connection.execute(
                "INSERT INTO applied_setting (name, digest) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", [.text(key.rawValue), .blob(wanted)])
            return try Self.kept(key, on: connection) == wanted
        }
    }

    /// Notes what this start applied.
    /// - Parameter value: nil where the operator has set nothing.
    /// - Returns: whether another value stood there before.
    @discardableResult
    func keep(_ value: [UInt8]?, of key: Key) async throws -> Bool {
        let wanted = value.map(digest)
        guard try await kept(key) != wanted else { return false }
        return try await database.transaction { connection in
            let former = try Self.kept(key, on: connection)
            guard former != wanted else { return false }
            try connection.execute("DELETE FROM applied_setting WHERE name = $1", [.text(key.rawValue)])
            if let wanted {
                try connection.execute("INSERT INTO applied_setting (name, digest) VALUES ($1, $2)", [.text(key.rawValue), .blob(wanted)])
            }
            return former != nil
        }
    }

    private func kept(_ key: Key) async throws -> [UInt8]? { try await database.read { try Self.kept(key, on: $0) } }

    private static func kept(_ key: Key, on connection: any SQLConnection) throws -> [UInt8]? {
        try connection.one("SELECT digest FROM applied_setting WHERE name = $1", [.text(key.rawValue)])?.blob("digest")
    }

    private func digest(_ value: [UInt8]) -> [UInt8] { SHA(value) }
}
