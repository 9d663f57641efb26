extension PostgreSQLDatabase {
    /// How many connections servers of ours have to this database, as far as its server shows them: not one that is lost just now, and none of a server that
    /// is about to start.
    /// - Throws: ``SQLError``.
    func serverConnections() async throws -> Int {
        try await read { connection in
            try connection.one(
                """
                SELECT COUNT(*) AS connections FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'ostiary%'
                AND split_part(application_name, '@', 1) <> split_part(current_setting('application_name'), '@', 1)
                """)?.int("connections") ?? 0
        }
    }
}
