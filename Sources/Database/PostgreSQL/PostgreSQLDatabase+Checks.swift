extension PostgreSQLDatabase {
    /// Whether its server takes writes and ends commits, and nobody else holds one of these tables against them. Room on its disk is looked for after it has
    /// refused a write for want of it: before, nobody here can know.
    /// - Parameter tables: without those of the steps, which a node of the next version holds as long as it takes one, and those to which starts write: servers
    ///   that run do not write there.
    ///   One that is not there is not looked at.
    package func checkWritable(_ tables: Set<String>) async throws {
        try await checkCommits()
        try await checkAwaited()
        let (looksForRoom, names) = (hasRefusedForRoom, SQLValue.text(tables.sorted().joined(separator: ",")))
        do {
            try await transaction { connection in
                let found = try connection.query(Self.tablesThere, [names]).map { try $0.text("name") }
                if !found.isEmpty { try connection.execute("LOCK TABLE \(found.joined(separator: ", ")) IN ROW EXCLUSIVE MODE") }
                guard looksForRoom else { return }
                try connection.execute("CREATE TEMPORARY TABLE room AS SELECT gen_random_uuid() FROM generate_series(1, 2000)")
                throw RoomFound()
            }
        } catch is RoomFound { noteRoom() }
    }

    /// Takes back the table that has shown that there is room.
    private struct RoomFound: Error {}

    /// Of those in `$1`, name by name (``SQLCatalogue/tables``).
    private static let tablesThere = """
        SELECT quote_ident(t.name) AS name FROM unnest(string_to_array($1, ',')) AS t (name), LATERAL (
        SELECT o.oid FROM pg_class o
        WHERE o.relname = t.name::name AND o.relnamespace = \(SQLCatalogue.ourSchema) AND o.relkind IN ('r', 'p') LIMIT 1
        ) AS c WHERE has_table_privilege(c.oid, 'INSERT') ORDER BY t.name
        """

    /// Whether as many standbys are there as commits wait for, before somebody's has waited. A role that is not told what they do hears nothing of it: then it is
    /// known once a commit was not answered.
    /// - Throws: ``SQLError/commitsUnanswered(standbys:)``, ``SQLError``.
    private func checkAwaited() async throws {
        let trouble = try await standbyTrouble()
        if case .absent(let names, _, _)? = trouble { throw SQLError.commitsUnanswered(standbys: names) }
    }

    /// Whether a commit is kept by a second server before it is acknowledged, and as many as that takes are there.
    /// - Throws: ``NoStandby``, ``SQLError``.
    package func checkStandby() async throws {
        if let trouble = try await standbyTrouble() { throw trouble }
    }

    private func standbyTrouble() async throws -> NoStandby? {
        try await read { connection in try connection.one(Self.standbyQuestion).flatMap { try StandbyStanding($0).trouble } }
    }

    /// What others do is told to members of `pg_read_all_stats` alone; that they are there, to everybody. A server that sends its log to nobody awaits nobody,
    /// whoever is named.
    private static let standbyQuestion = """
        SELECT CASE WHEN current_setting('max_wal_senders') = '0' THEN '' ELSE current_setting('synchronous_standby_names') END AS names,
        pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS sees, current_user::text AS role,
        (SELECT COUNT(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')) AS standbys
        """
}
