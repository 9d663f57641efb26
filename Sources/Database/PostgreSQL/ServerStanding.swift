/// What a server says of itself.
struct ServerStanding {
    let version: Int64
    let durability: ServerDurability
    let encoding: String
    let collation: String
    let schema: String?
    /// The one that our tables are in, or are to be in, where the role may use none.
    let closedSchema: String?
    /// Whether it is a standby.
    let follows: Bool
    /// Nil where nobody has set that sessions do not write.
    let readOnly: ReadOnlySetting?

    init?(_ row: SQLRow) {
        guard let version = try? row.integer("version"), let durability = try? ServerDurability(row), let encoding = try? row.text("encoding"),
            let collation = try? row.text("collation"), let follows = try? row.bool("follows"), let readsOnly = try? row.text("reads_only")
        else { return nil }
        (self.version, self.durability, self.encoding, self.collation) = (version, durability, encoding, collation)
        schema = try? row.optionalText("schema")
        closedSchema = try? row.optionalText("closed_schema")
        self.follows = follows
        let (source, role) = (try? row.optionalText("read_only_source"), try? row.optionalText("role"))
        readOnly = readsOnly == "off" ? nil : ReadOnlySetting(source: source, role: role)
    }

    /// Why nothing is kept there; nil when something may be.
    func objection(to database: String) -> ServerObjection? {
        guard version >= 150_000 else { return ServerObjection("it is PostgreSQL \(version / 10_000)", "15 or later is needed") }
        if follows { return Self.standby }
        if let readOnly { return readOnly.objection(in: database) }
        if let objection = durability.objection { return objection }
        guard encoding == "UTF8", ["C", "POSIX"].contains(collation) else {
            return ServerObjection(
                "its encoding is \(encoding) and its collation \(collation), where texts are compared by their bytes, and neither can be changed",
                "make another as a superuser of PostgreSQL by CREATE DATABASE NAME OWNER ROLE TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' "
                    + "LC_CTYPE 'C', where ROLE is the user of the database URL, and name it there in place of \(database)")
        }
        if schema != nil { return nil }
        if let closedSchema {
            return ServerObjection("this user lacks USAGE on the schema \(closedSchema)", "grant it, if this is the right database")
        }
        return ServerObjection(
            "this user sees no schema there", "none that its search_path names is there; make one, or name another (ALTER ROLE … SET search_path)")
    }

    /// The remedy is for where no server was met that it may follow: promoted beneath one that runs, there would be two that take writes.
    private static let standby = ServerObjection(
        "it is a standby, which takes no writes",
        "name its primary in the database URL, or start that; if it is gone for good, fence it first, then promote a standby")
}

/// What a server keeps of a commit when its machine goes. It may be changed while connections are there, which then go by it.
struct ServerDurability {
    let commits: String
    let fsync: String
    let pages: String

    /// Of a question to a session.
    static let columns = """
        current_setting('synchronous_commit') AS commits, current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages
        """

    init(_ row: SQLRow) throws {
        (commits, fsync, pages) = (try row.text("commits"), try row.text("fsync"), try row.text("pages"))
    }

    /// Why it may lose what it has acknowledged; nil where it doesn't.
    var objection: ServerObjection? {
        guard ["on", "remote_apply"].contains(commits) else {
            return ServerObjection("synchronous_commit is \(commits), not on: a commit would be lost with its machine")
        }
        guard fsync == "on", pages == "on" else {
            return ServerObjection(
                "fsync is \(fsync) and full_page_writes is \(pages), and a power cut would damage it",
                "set both to on (ALTER SYSTEM SET, or in postgresql.conf), then SELECT pg_reload_conf()")
        }
        return nil
    }
}
