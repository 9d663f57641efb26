/// Questions about the tables of a database, which each engine answers from a catalogue of its own, in the same words.
package struct SQLCatalogue: Sendable, Equatable {
    /// The `name` of each thing that somebody has made: tables and views, and what else the engine has. Not what belongs to the engine or an extension of it.
    package let objects: String
    /// A row for each column of each table, both in order: `table_name`, `column_name`, `key_place` (its place in the primary key, from 1; 0 for none),
    /// `is_counted` (whether the engine counts it up).
    package let columns: String
    /// A row for each table that refers to another: `table_name`, `referred`.
    package let references: String
    /// A row for each index of the tables in `$1`, as ``tables`` finds them: `name`, `table_name`, `is_key` (of the primary key), `is_unique` (at each row, not
    /// only at the end of a transaction), `is_valid` (whether it holds all rows and is asked), `columns` (their names in order, with ``columnSeparator``
    /// between them; none where it is of some rows only, or of more than columns). A primary key is among them also where the engine keeps no index apart for it.
    let indexes: String
    /// Stands in no name that anybody gives a column: the separator of units.
    static let columnSeparator: Character = "\u{1f}"
    /// Whether a primary key or a `UNIQUE` can be made on a table that is there.
    let makesKeys: Bool
    /// A row for each table of those in `$1`, names with a comma between them, that a statement finds by its name alone: `name`, `is_own` (whether its rows are
    /// in it, and not elsewhere, behind a view), and what the role of this program may do with its rows (``TableRight``), as the engine has it of the whole
    /// table. What else is in the database costs it nothing.
    let tables: String
    /// The `name` of the schema that our tables are in, where the role of this program may not use it, and sees none of them; else no row. Nil of an engine
    /// without schemas.
    let closedSchema: String?
    /// The last number that was given out in the table `$1`, as `last`: null or no row where none was.
    package let lastCounted: String
    /// Has the table `$1` go on counting behind `$2`, which is at least 1. A number that was given out is never given out again.
    package let countOn: [String]
}

extension SQLCatalogue {
    static let sqlite = SQLCatalogue(
        objects: "SELECT name FROM sqlite_master WHERE substr(name, 1, 7) <> 'sqlite_'",
        columns: """
            SELECT m.name AS table_name, c.name AS column_name, c.pk AS key_place, (c.pk = 1 AND m.sql LIKE '%AUTOINCREMENT%') AS is_counted
            FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND substr(m.name, 1, 7) <> 'sqlite_'
            ORDER BY m.name, c.cid
            """,
        references: """
            SELECT DISTINCT m.name AS table_name, f."table" AS referred
            FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'
            """,
        // A key is read from the table: that of its row numbers is in no list of indexes. What lies on a table costs a question to each index, so the tables that
        // nobody asks for are left out before.
        indexes: """
            WITH asked AS MATERIALIZED (SELECT m.name AS name FROM sqlite_master m WHERE \(isAsked))
            SELECT l.name AS name, a.name AS table_name, 0 AS is_key, l."unique" AS is_unique, 1 AS is_valid,
            CASE WHEN l.partial THEN '' ELSE (SELECT CASE COUNT(*) WHEN COUNT(i.name) THEN group_concat(i.name, char(31)) ELSE '' END
            FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno) i) END AS columns
            FROM asked a JOIN pragma_index_list(a.name) l WHERE l.origin <> 'pk'
            UNION ALL SELECT '', a.name, 1, 1, 1,
            (SELECT group_concat(k.name, char(31)) FROM (SELECT name FROM pragma_table_info(a.name) WHERE pk > 0 ORDER BY pk) k)
            FROM asked a WHERE EXISTS (SELECT 1 FROM pragma_table_info(a.name) WHERE pk > 0)
            """,
        makesKeys: false,
        // It has no roles.
        tables: """
            SELECT m.name AS name, 1 AS is_own, 1 AS may_select, 1 AS may_insert, 1 AS may_update, 1 AS may_delete FROM sqlite_master m WHERE \(isAsked)
            """,
        closedSchema: nil,
        lastCounted: "SELECT seq AS last FROM sqlite_sequence WHERE name = $1",
        countOn: [
            "INSERT INTO sqlite_sequence (name, seq) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)",
            "UPDATE sqlite_sequence SET seq = $2 WHERE name = $1 AND seq < $2",
        ])

    private static let isAsked = "m.type = 'table' AND instr(',' || $1 || ',', ',' || m.name || ',') > 0"
}
