import Database
import OstiaryProtocol

/// What of the operator's settings a start has put into the database. A setting that a later start finds unchanged says nothing new: what the REST API
/// has made of it since then stays.
struct AppliedSettings {
    enum Key: String {
        case serverName = "server_name"
        case serverLogo = "server_logo"
    }

    let database: any Database

    static func tables(_ d: SQLDialect) -> [String] {
        ["CREATE TABLE applied_setting (name TEXT NOT NULL PRIMARY KEY, digest \(d.blob) NOT NULL) \(d.tableOptions)"]
    }

    /// Whether no start before this one has applied the value, or another one was applied, or the setting was left out, since.
    func isNew(_ value: [UInt8], of key: Key) async throws -> Bool { try await kept(key) != digest(value) }

    /// Notes what this start applied.
    /// - Parameter value: nil where the operator has set nothing.
    func keep(_ value: [UInt8]?, of key: Key) async throws {
        let wanted = value.map(digest)
        guard try await kept(key) != wanted else { return }
        try await database.transaction { connection in
            try connection.execute("DELETE FROM applied_setting WHERE name = $1", [.text(key.rawValue)])
            guard let wanted else { return }
            try connection.execute("INSERT INTO applied_setting (name, digest) VALUES ($1, $2)", [.text(key.rawValue), .blob(wanted)])
        }
    }

    private func kept(_ key: Key) async throws -> [UInt8]? {
        try await database.read { try $0.one("SELECT digest FROM applied_setting WHERE name = $1", [.text(key.rawValue)])?.blob("digest") }
    }

    private func digest(_ value: [UInt8]) -> [UInt8] { SHA(value) }
}
