extension SQLCatalogue {
    /// Of the schema in which tables are made.
    static let postgresql = SQLCatalogue(
        objects: madeObjects,
        columns: """
            SELECT c.relname::text AS table_name, a.attname::text AS column_name, COALESCE(array_position(k.conkey, a.attnum), 0) AS key_place,
            a.attidentity <> '' AS is_counted
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname, a.attnum
            """,
        references: """
            SELECT DISTINCT c.relname::text AS table_name, r.relname::text AS referred
            FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
            WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace
            """,
        indexes: """
            SELECT i.relname::text AS name, t.relname::text AS table_name, x.indisprimary AS is_key, (x.indisunique AND x.indimmediate) AS is_unique,
            (x.indisvalid AND x.indisready AND x.indislive) AS is_valid,
            CASE WHEN x.indpred IS NULL AND x.indexprs IS NULL THEN array_to_json(ARRAY(
            SELECT a.attname::text FROM unnest(x.indkey) WITH ORDINALITY AS k (number, place)
            JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number WHERE k.place <= x.indnkeyatts ORDER BY k.place
            ))::text ELSE '[]' END AS columns
            FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
            WHERE t.relnamespace = current_schema()::regnamespace
            """,
        // Rows may be kept elsewhere, behind a view or a foreign table. Of several rights in one word any would do, so each has its own. Null is told of a table
        // that is gone since the transaction began.
        tables: """
            SELECT c.relname::text AS name, \(may("SELECT")) AS may_select, \(may("INSERT")) AS may_insert, \(may("UPDATE")) AS may_update,
            \(may("DELETE")) AS may_delete
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = ANY (current_schemas(false)) AND c.relkind IN ('r', 'p', 'v', 'f')
            ORDER BY array_position(current_schemas(false), n.nspname), c.relname
            """,
        lastCounted: "SELECT pg_sequence_last_value(\(sequence)) AS last FROM \(counted)",
        countOn: ["SELECT setval(\(sequence), GREATEST($2, COALESCE(pg_sequence_last_value(\(sequence)), 1))) FROM \(counted)"])

    /// Tables, views, sequences; functions; types, but for those of the rows of a table, and of arrays.
    static let madeObjects = """
        SELECT c.relname::text AS name FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND \(isOwn("c", in: "pg_class"))
        UNION ALL SELECT p.proname::text FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND \(isOwn("p", in: "pg_proc"))
        UNION ALL SELECT t.typname::text FROM pg_type t
        WHERE t.typnamespace = current_schema()::regnamespace AND \(isOwn("t", in: "pg_type")) AND (t.typtype IN ('d', 'e', 'r')
        OR t.typtype = 'b' AND t.typcategory <> 'A' OR t.typtype = 'c' AND EXISTS (SELECT 1 FROM pg_class r WHERE r.oid = t.typrelid AND r.relkind = 'c'))
        """

    private static func may(_ right: String) -> String { "COALESCE(has_table_privilege(c.oid, '\(right)'), true)" }

    /// Whether it came with no extension.
    private static func isOwn(_ object: String, in catalogue: String) -> String {
        "NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = '\(catalogue)'::regclass AND d.objid = \(object).oid AND d.deptype = 'e')"
    }

    private static let sequence = "pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass"
    private static let counted = """
        pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> ''
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = $1
        """
}
