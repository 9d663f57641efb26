extension SQLCatalogue {
    /// Of the schema in which tables are made.
    static let postgresql = SQLCatalogue(
        objects: madeObjects,
        columns: """
            SELECT c.relname::text AS table_name, a.attname::text AS column_name, COALESCE(array_position(k.conkey, a.attnum), 0) AS key_place,
            a.attidentity <> '' AS is_counted
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
            WHERE c.relnamespace = \(ourSchema) AND c.relkind IN ('r', 'p') ORDER BY c.relname, a.attnum
            """,
        references: """
            SELECT DISTINCT c.relname::text AS table_name, r.relname::text AS referred
            FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
            WHERE k.contype = 'f' AND c.relnamespace = \(ourSchema)
            """,
        indexes: """
            SELECT i.relname::text AS name, t.name AS table_name, x.indisprimary AS is_key, (x.indisunique AND x.indimmediate) AS is_unique,
            (x.indisvalid AND x.indisready AND x.indislive) AS is_valid,
            CASE WHEN x.indpred IS NULL AND x.indexprs IS NULL THEN array_to_string(ARRAY(
            SELECT a.attname::text FROM unnest(x.indkey) WITH ORDINALITY AS k (number, place)
            JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number WHERE k.place <= x.indnkeyatts ORDER BY k.place
            ), chr(31)) ELSE '' END AS columns
            FROM \(asked), LATERAL (SELECT * FROM pg_index o WHERE o.indrelid = c.oid OFFSET 0) AS x JOIN pg_class i ON i.oid = x.indexrelid
            """,
        makesKeys: true,
        // Of several rights in one word any would do, so each has its own. Null is told of a table that is gone since the transaction began.
        tables: """
            SELECT t.name, c.relkind IN ('r', 'p') AS is_own, \(may("SELECT")) AS may_select, \(may("INSERT")) AS may_insert,
            \(may("UPDATE")) AS may_update, \(may("DELETE")) AS may_delete FROM \(asked) ORDER BY t.name
            """,
        closedSchema: closedSchemaOfSteps,
        lastCounted: "SELECT pg_sequence_last_value(\(sequence)) AS last FROM \(counted)",
        countOn: ["SELECT setval(\(sequence), GREATEST($2, COALESCE(pg_sequence_last_value(\(sequence)), 1))) FROM \(counted)"])

    /// The tables of `$1`, name by name, which is how the catalogue's own index is asked, whatever is planned. Rows may be kept elsewhere, behind a view or a
    /// foreign table.
    private static let asked = """
        unnest(string_to_array($1, ',')) AS t (name), LATERAL (
        SELECT o.oid, o.relkind FROM pg_class o JOIN pg_namespace n ON n.oid = o.relnamespace
        WHERE o.relname = t.name::name AND n.nspname = ANY (current_schemas(false)) AND o.relkind IN ('r', 'p', 'v', 'f')
        ORDER BY array_position(current_schemas(false), n.nspname) LIMIT 1
        ) AS c
        """

    /// Tables, views, sequences; functions; types, but for those of the rows of a table, and of arrays.
    static let madeObjects = """
        SELECT c.relname::text AS name FROM pg_class c
        WHERE c.relnamespace = \(ourSchema) AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND \(isOwn("c", in: "pg_class"))
        UNION ALL SELECT p.proname::text FROM pg_proc p
        WHERE p.pronamespace = \(ourSchema) AND \(isOwn("p", in: "pg_proc"))
        UNION ALL SELECT t.typname::text FROM pg_type t
        WHERE t.typnamespace = \(ourSchema) AND \(isOwn("t", in: "pg_type")) AND (t.typtype IN ('d', 'e', 'r')
        OR t.typtype = 'b' AND t.typcategory <> 'A' OR t.typtype = 'c' AND EXISTS (SELECT 1 FROM pg_class r WHERE r.oid = t.typrelid AND r.relkind = 'c'))
        """

    /// The schema in which tables are made, by its number: a name that is cast to `regnamespace` is read as SQL reads one, without capitals and with quotes.
    static let ourSchema = "(SELECT made.oid FROM pg_namespace made WHERE made.nspname = current_schema())"

    /// That of the table of the steps, as `search_path` names it: a schema that the role may not use is left out wherever names are looked up. A connection that
    /// was made before a membership was taken away may go on finding it.
    static let closedSchemaOfSteps = """
        SELECT (array_agg(n.nspname::text ORDER BY p.place))[1] AS name
        FROM (\(searchPath)) AS p JOIN pg_namespace n ON n.nspname = p.name
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'schema_version'
        HAVING NOT bool_or(COALESCE(has_schema_privilege(n.oid, 'USAGE'), true))
        """

    /// For where no schema can be used: that one, or where none has our tables the first that is there.
    static let closedSchemaOfPath = """
        SELECT COALESCE((\(closedSchemaOfSteps)),
        (SELECT n.nspname::text FROM (\(searchPath)) AS p JOIN pg_namespace n ON n.nspname = p.name ORDER BY p.place LIMIT 1)) AS name
        """

    /// All that it names, whether the role may use it or not, each with its `place`. No function of the server's tells that: `current_schemas` leaves out
    /// what is closed. A name stands there in quotes where it needs them, with each of its own doubled; one without is read in small letters, up to a comma.
    private static let searchPath = """
        SELECT e.place, CASE w.word WHEN '$user' THEN current_user ELSE w.word::name END AS name
        FROM regexp_matches(current_setting('search_path'), '"((?:[^"]|"")*)"|([^",[:space:]][^,[:space:]]*)', 'g') WITH ORDINALITY AS e (part, place),
        LATERAL (SELECT COALESCE(replace(e.part[1], '""', '"'), lower(e.part[2])) AS word) AS w
        """

    private static func may(_ right: String) -> String { "COALESCE(has_table_privilege(c.oid, '\(right)'), true)" }

    /// Whether it came with no extension.
    private static func isOwn(_ object: String, in catalogue: String) -> String {
        "NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = '\(catalogue)'::regclass AND d.objid = \(object).oid AND d.deptype = 'e')"
    }

    private static let sequence = "pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass"
    private static let counted = """
        pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> ''
        WHERE c.relnamespace = \(ourSchema) AND c.relname = $1
        """
}
