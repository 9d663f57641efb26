import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    private static let columns = [
        "id", "public_key", "created_at", "name", "logo", "logo_hash", "ping_time", "pin_timeout", "pin_trans_timeout", "flags", "static_qr_age",
        "app_name", "app_android", "app_ios", "app_url", "site_url", "ws_url", "owner",
    ]
    private static let upsert = Upsert("server", key: ["id"], columns: columns)
    private static let list = "SELECT \(columns.joined(separator: ", ")) FROM server ORDER BY created_at, id"
    private static let byID = "SELECT \(columns.joined(separator: ", ")) FROM server WHERE id = $1"

    func servers() throws -> [VirtualServer] { try all(Self.list, []) { try Self.server(&$0) } }

    func server(_ id: ServerID) throws -> VirtualServer? {
        guard var columns = try one(Self.byID, [SQLValue(id)]) else { return nil }
        return try Self.server(&columns)
    }

    func save(_ server: VirtualServer) throws {
        let parameters = server.parameters
        try connection.execute(
            Self.upsert.sql,
            [
                SQLValue(server.id), .blob(server.publicKey), SQLValue(server.createdAt), .text(parameters.name), SQLValue(parameters.logo?.bytes),
                SQLValue(parameters.logo?.hash), SQLValue(number: parameters.pingTime), SQLValue(number: parameters.pinTimeout),
                SQLValue(number: parameters.pinTransTimeout), .text(parameters.flags.map(\.rawValue).sorted().joined(separator: " ")),
                SQLValue(number: parameters.staticQRAge), .text(parameters.appName), .text(parameters.appAndroid), .text(parameters.appIOS),
                .text(parameters.appURL), .text(parameters.siteURL), .text(parameters.wsURL), .text(parameters.owner),
            ])
    }

    func activity(of server: ServerID) throws -> ServerActivity {
        let sql = "SELECT COUNT(*), MAX(last_login) FROM account WHERE server = $1"
        guard var columns = try one(sql, [SQLValue(server)]) else { return ServerActivity(accountCount: 0, lastLogin: nil) }
        return ServerActivity(accountCount: try columns.number(), lastLogin: try columns.optionalInstant())
    }

    func logo(hash: [UInt8]) throws -> ServerLogo? {
        let sql = "SELECT logo FROM server WHERE logo_hash = $1 UNION ALL SELECT logo FROM session_logo WHERE hash = $1 LIMIT 1"
        guard var columns = try one(sql, [.blob(hash)]) else { return nil }
        return ServerLogo(try columns.blob())
    }

    /// Stored parameters were checked when they were set: they go in through the same door.
    private static func server(_ columns: inout ColumnReader) throws -> VirtualServer {
        let id = try columns.identifier(ServerKind.self)
        let publicKey = try columns.blob()
        let createdAt = try columns.instant()
        let name = try columns.text()
        var update = ServerUpdate()
        update.logo = try columns.optionalBlob()
        columns.skip(1)
        update.pingTime = try columns.number()
        update.pinTimeout = try columns.number()
        update.pinTransTimeout = try columns.number()
        update.flags = try columns.text().split(separator: " ").map(String.init)
        update.staticQRAge = try columns.number()
        update.appName = try columns.text()
        update.appAndroid = try columns.text()
        update.appIOS = try columns.text()
        update.appURL = try columns.text()
        update.siteURL = try columns.text()
        update.wsURL = try columns.text()
        update.owner = try columns.text()
        return VirtualServer(
            id: id, publicKey: publicKey, createdAt: createdAt, parameters: try update.applied(to: ServerParameters(name: name)))
    }
}
