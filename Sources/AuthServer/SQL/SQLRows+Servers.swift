import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    private static let table = SQLTable(
        "server", key: ["id"],
        columns: [
            "public_key", "created_at", "name", "logo", "logo_hash", "ping_time", "pin_timeout", "pin_trans_timeout", "flags", "static_qr_age",
            "app_name", "app_android", "app_ios", "app_url", "site_url", "ws_url", "owner", "color", "color_dark",
        ])

    func servers() throws -> [VirtualServer] { try servers("ORDER BY created_at, id", []) }

    func server(_ id: ServerID) throws -> VirtualServer? {
        try knownServers.row(id) { try servers("WHERE id = $1", [SQLValue(id)]).first }
    }

    private func servers(_ condition: String, _ arguments: [SQLValue]) throws -> [VirtualServer] {
        try connection.query(Self.table.selection + condition, arguments).map { row in
            let server = try Self.server(row)
            knownServers.note(server, as: server.id)
            return server
        }
    }

    func save(_ server: VirtualServer) throws {
        try knownServers.save(server, as: server.id, values: Self.values, by: Self.table.saver(on: connection))
    }

    private static func values(of server: VirtualServer) -> [SQLValue] {
        let parameters = server.parameters
        return [
            SQLValue(server.id), .blob(server.publicKey), SQLValue(server.createdAt), .text(parameters.name), SQLValue(parameters.logo?.bytes),
            SQLValue(parameters.logo?.hash), SQLValue(number: parameters.pingTime), SQLValue(number: parameters.pinTimeout),
            SQLValue(number: parameters.pinTransTimeout), .text(parameters.flags.map(\.rawValue).sorted().joined(separator: " ")),
            SQLValue(number: parameters.staticQRAge), .text(parameters.appName), .text(parameters.appAndroid), .text(parameters.appIOS),
            .text(parameters.appURL), .text(parameters.siteURL), .text(parameters.wsURL), .text(parameters.owner),
            .text(parameters.color?.text ?? ""), .text(parameters.colorDark?.text ?? ""),
        ]
    }

    func activity(of server: ServerID) throws -> ServerActivity {
        let sql = """
            SELECT (SELECT accounts FROM account_count WHERE server = $1) AS accounts,
            (SELECT MAX(last_login) FROM account WHERE server = $1 AND last_login IS NOT NULL) AS newest
            """
        let row = try connection.one(sql, [SQLValue(server)])
        return ServerActivity(
            accountCount: try row?.optionalNumber("accounts", as: Int.self) ?? 0, lastLogin: try row?.optionalInstant("newest"))
    }

    func logo(hash: [UInt8]) throws -> ServerLogo? {
        let sql = "SELECT logo FROM server WHERE logo_hash = $1 UNION ALL SELECT logo FROM session_logo WHERE hash = $1 LIMIT 1"
        return try connection.one(sql, [.blob(hash)]).flatMap { ServerLogo(try $0.blob("logo")) }
    }

    /// Stored parameters were checked when they were set: they go in through the same door.
    private static func server(_ row: SQLRow) throws -> VirtualServer {
        var update = ServerUpdate()
        update.logo = try row.optionalBlob("logo")
        update.pingTime = try row.number("ping_time")
        update.pinTimeout = try row.number("pin_timeout")
        update.pinTransTimeout = try row.number("pin_trans_timeout")
        update.flags = try row.text("flags").split(separator: " ").map(String.init)
        update.staticQRAge = try row.number("static_qr_age")
        update.appName = try row.text("app_name")
        update.appAndroid = try row.text("app_android")
        update.appIOS = try row.text("app_ios")
        update.appURL = try row.text("app_url")
        update.siteURL = try row.text("site_url")
        update.wsURL = try row.text("ws_url")
        update.owner = try row.text("owner")
        update.color = try row.text("color")
        update.colorDark = try row.text("color_dark")
        return VirtualServer(
            id: try row.identifier("id"), publicKey: try row.blob("public_key"), createdAt: try row.instant("created_at"),
            parameters: try update.applied(to: ServerParameters(name: try row.text("name"))))
    }
}
