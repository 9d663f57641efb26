/// By whom it is set that sessions of ours do not write, and what an operator does about it.
struct ReadOnlySetting {
    /// As `pg_settings` has it; nil where that is not known.
    let source: String?
    /// The role that has logged in.
    let role: String?

    /// Why nothing is kept there.
    func objection(in database: String) -> ServerObjection {
        let (name, role) = (TableKeys.written(database), role.map(TableKeys.written) ?? "ROLE")
        return switch source {
        case "database": Self.words("this database", reset: "DATABASE \(name)")
        case "user": Self.words("this role", reset: "ROLE \(role)")
        case "database user": Self.words("this role in this database", reset: "ROLE \(role) IN DATABASE \(name)")
        case "global": Self.words("all roles", reset: "ROLE ALL")
        case "configuration file":
            ServerObjection(
                "\(Self.setting) is on for the server",
                "run ALTER SYSTEM RESET \(Self.setting), or take it out of postgresql.conf; then SELECT pg_reload_conf()")
        case "command line": ServerObjection("\(Self.setting) is on for the server, by its command line", "start PostgreSQL without it")
        case "client", "environment variable": ServerObjection("\(Self.setting) is on by PGOPTIONS, a variable of this program", "take it out there")
        default: ServerObjection("\(Self.setting) is on, for the server, this database or this role: it takes no writes")
        }
    }

    private static let setting = "default_transaction_read_only"

    /// Whoever resets it is told by PostgreSQL, too, that the session writes nothing.
    private static func words(_ holder: String, reset: String) -> ServerObjection {
        ServerObjection("\(setting) is on for \(holder)", "run SET \(setting) = off; ALTER \(reset) RESET \(setting)")
    }
}
