extension PostgreSQLDatabase {
    /// Whether its server takes writes and ends commits, and nobody else holds a table of ours against them. Room on its disk is looked for after it has
    /// refused a write for want of it: before, nobody here can know.
    package func checkWritable() async throws {
        try await checkCommits()
        let looksForRoom = hasRefusedForRoom
        do {
            try await transaction { connection in
                let tables = try connection.query(Self.tablesOfOurs).map { try $0.text("name") }
                if !tables.isEmpty { try connection.execute("LOCK TABLE \(tables.joined(separator: ", ")) IN ROW EXCLUSIVE MODE") }
                guard looksForRoom else { return }
                try connection.execute("CREATE TEMPORARY TABLE room AS SELECT gen_random_uuid() FROM generate_series(1, 2000)")
                throw RoomFound()
            }
        } catch is RoomFound { noteRoom() }
    }

    /// Takes back the table that has shown that there is room.
    private struct RoomFound: Error {}

    /// Without those of the steps, which a node of the next version holds as long as it takes one: servers that run do not write there.
    private static let tablesOfOurs = """
        SELECT quote_ident(relname) AS name FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND has_table_privilege(oid, 'INSERT')
        AND relname NOT IN ('schema_version', 'schema_reader') ORDER BY relname
        """

    /// Whether a commit is kept by a second server before it is acknowledged, and as many as that takes are there.
    /// - Throws: ``NoStandby``, ``SQLError``.
    package func checkStandby() async throws {
        let trouble = try await read { connection in try connection.one(Self.standbyQuestion).flatMap { try StandbyStanding($0).trouble } }
        if let trouble { throw trouble }
    }

    /// What others do is told to members of `pg_read_all_stats` alone; that they are there, to everybody.
    private static let standbyQuestion = """
        SELECT current_setting('synchronous_standby_names') AS names, pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS sees,
        current_user::text AS role,
        (SELECT COUNT(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')) AS standbys
        """
}
