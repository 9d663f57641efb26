import OstiaryTesting
import Testing

@testable import Database

@Suite("Indexes that a schema has", .timeLimit(.minutes(5)))
struct SchemaIndexesTests {
    /// A rebuilt table, whose key has the name of the former one; a group that is unique; an index that a later step makes anew.
    private static let steps = [
        Migration(1, "tables") { d in
            [
                "CREATE TABLE owner (id \(d.blob) NOT NULL PRIMARY KEY, place \(d.integer) NOT NULL, name TEXT) \(d.tableOptions)",
                "CREATE INDEX owner_place ON owner (place)", "CREATE UNIQUE INDEX owner_name ON owner(name) WHERE name IS NOT NULL",
                """
                CREATE TABLE mark (
                    position \(d.countedKey), code \(d.blob) NOT NULL UNIQUE, owner \(d.blob) NOT NULL, number \(d.integer), UNIQUE (owner, number)
                ) \(d.tableOptions)
                """,
                "CREATE INDEX mark_owner ON mark (owner)", "CREATE TABLE gone (a TEXT NOT NULL PRIMARY KEY)", "CREATE INDEX gone_a ON gone (a)",
            ]
        },
        Migration(2, "lean") { d in
            d.rebuilt("owner", "id \(d.blob) NOT NULL PRIMARY KEY, place \(d.integer) NOT NULL, name TEXT") + [
                "CREATE INDEX owner_place ON owner (place, id)", "CREATE UNIQUE INDEX owner_name ON owner (name) WHERE name IS NOT NULL",
                "DROP INDEX mark_owner", "DROP TABLE gone",
            ]
        },
    ]

    @Test("They are read from the statements of the steps: what was dropped, or went with its table, is not among them")
    func read() {
        let all = SchemaIndexes(after: Self.steps.flatMap { $0.statements(.postgresql) })
        let (place, name) = ("CREATE INDEX owner_place ON owner (place, id)", "CREATE UNIQUE INDEX owner_name ON owner (name) WHERE name IS NOT NULL")
        #expect(
            all.named == [
                "owner_place": .init(table: "owner", isUnique: false, statement: place),
                "owner_name": .init(table: "owner", isUnique: true, statement: name),
            ])
        #expect(all.tables == ["owner": .init(key: ["id"]), "mark": .init(key: ["position"], uniques: [["code"], ["owner", "number"]])])
        let first = SchemaIndexes(after: Self.steps[0].statements(.postgresql))
        #expect(first.named.keys.sorted() == ["gone_a", "mark_owner", "owner_name", "owner_place"])
        let added = SchemaIndexes(after: ["create table if not exists a (b int)", "alter table a add column c int unique", "drop index if exists d"])
        #expect(added.tables == ["a": .init(uniques: [["c"]])] && added.named.isEmpty)
    }

    @Test("Keys and UNIQUEs are read wherever a definition may say them, and follow their columns; what a condition or a text speaks of is none")
    func keys() {
        let steps = [
            """
            CREATE TABLE t (
                "Odd, name" INT UNIQUE, b INT DEFAULT 1 CHECK (b IN (1, 2) AND UNIQUE_IS_NOT = 'PRIMARY KEY, (UNIQUE'), c TEXT DEFAULT 'a UNIQUE, b',
                CONSTRAINT why UNIQUE (b, C), UNIQUE (c), primary key (b, "Odd, name"), CHECK (b > 0), FOREIGN KEY (b) REFERENCES u (id)
            )
            """,
            "ALTER TABLE t ADD COLUMN IF NOT EXISTS d INT NOT NULL UNIQUE", "ALTER TABLE t ADD UNIQUE (d, b)", "ALTER TABLE t RENAME COLUMN b TO e",
            "ALTER TABLE t DROP COLUMN c", "CREATE TABLE u (id INT)", "ALTER TABLE u ADD CONSTRAINT k PRIMARY KEY (id)",
        ]
        let all = SchemaIndexes(after: steps)
        #expect(all.tables == ["t": .init(key: ["e", "Odd, name"], uniques: [["Odd, name"], ["d"], ["d", "e"]]), "u": .init(key: ["id"])])
        #expect(
            all.lacking(in: []) == [
                #"the primary key of t: ALTER TABLE "t" ADD PRIMARY KEY ("e", "Odd, name")"#,
                #"the primary key of u: ALTER TABLE "u" ADD PRIMARY KEY ("id")"#, #"a UNIQUE of t: ALTER TABLE "t" ADD UNIQUE ("Odd, name")"#,
                #"a UNIQUE of t: ALTER TABLE "t" ADD UNIQUE ("d")"#, #"a UNIQUE of t: ALTER TABLE "t" ADD UNIQUE ("d", "e")"#,
            ])
        #expect(TableKeys.quoted(#"a"b"#) == #""a""b""#)
    }

    @Test("A name is what the catalogue has of it, in quotes or not")
    func names() {
        let steps = [
            #"CREATE TABLE "Odd" (a INT PRIMARY KEY)"#, "CREATE TABLE Even (a INT PRIMARY KEY)", #"CREATE INDEX "By" ON "Odd" (a)"#,
            "CREATE INDEX Of ON EVEN(a)", #"ALTER TABLE "even" ADD COLUMN b INT UNIQUE"#, #"ALTER TABLE "Odd" RENAME TO odder"#,
            #"ALTER TABLE EVEN RENAME TO "Ever""#,
        ]
        let all = SchemaIndexes(after: steps)
        #expect(all.tables == ["odder": .init(key: ["a"]), "Ever": .init(key: ["a"], uniques: [["b"]])])
        let (by, of) = (#"CREATE INDEX "By" ON odder (a)"#, #"CREATE INDEX Of ON "Ever"(a)"#)
        #expect(all.named.count == 2 && all.named["By"] == .init(table: "odder", isUnique: false, statement: by))
        #expect(all.named["of"] == .init(table: "Ever", isUnique: false, statement: of))
        #expect(["a_1", "1a", "A", "a b"].map(TableKeys.written) == ["a_1", "\"1a\"", "\"A\"", "\"a b\""])
    }

    @Test("A step of several changes, or of a constraint by its name, ends the program that has it: it would be read as less than it is")
    func unread() async {
        await #expect(processExitsWith: .failure) {
            _ = SchemaIndexes(after: ["CREATE TABLE a (b INT)", "ALTER TABLE a ADD c INT, ADD d INT UNIQUE"])
        }
        await #expect(processExitsWith: .failure) {
            _ = SchemaIndexes(after: ["CREATE TABLE a (b INT)", "ALTER TABLE a DROP CONSTRAINT a_key"])
        }
    }

    @Test("What makes one is told in one line, of the table as it is called by now")
    func statements() {
        let steps = [
            "CREATE TABLE a (b int)", "CREATE INDEX one\n    ON a(b)", "CREATE INDEX on_a ON a (\n        b, a\n    )", "ALTER TABLE a RENAME TO c",
        ]
        let all = SchemaIndexes(after: steps)
        #expect(all.lacking(in: []) == ["the index on_a of c: CREATE INDEX on_a ON c ( b, a )", "the index one of c: CREATE INDEX one ON c(b)"])
        // The line that a start ends with stays one that can be read.
        func words(_ lacking: [String]) -> String { DatabaseOpenError.missingIndexes(lacking).description }
        let one = "the index one of c: CREATE INDEX one ON c(b)"
        let (few, many) = (words([one]), words(Array(repeating: one, count: 6)))
        #expect(few.contains("(\(one))") && many.contains("(the index one of c; the index one of c; ") && !many.contains("CREATE"))
    }

    @Test(
        "A PostgreSQL that lacks one is refused by its name, and is good when that is there again; one that has more is nobody's business",
        .enabled(if: PostgreSQLCluster.isInstalled),
        arguments: [
            (
                "DROP INDEX owner_place", "the index owner_place of owner: CREATE INDEX owner_place ON owner (place, id)",
                "CREATE INDEX owner_place ON owner (place, id)"
            ),
            (
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'owner_place'::regclass",
                "the index owner_place of owner, which is not valid: REINDEX INDEX owner_place", "REINDEX INDEX owner_place"
            ),
            (
                "DROP INDEX owner_name; CREATE INDEX owner_name ON owner (name)",
                "the index owner_name of owner, which is not unique: DROP INDEX owner_name; CREATE UNIQUE INDEX owner_name ON owner (name) "
                    + "WHERE name IS NOT NULL",
                "DROP INDEX owner_name; CREATE UNIQUE INDEX owner_name ON owner (name)"
            ),
            (
                "ALTER TABLE owner DROP CONSTRAINT lean_owner_pkey", #"the primary key of owner: ALTER TABLE "owner" ADD PRIMARY KEY ("id")"#,
                #"ALTER TABLE "owner" ADD PRIMARY KEY ("id")"#
            ),
            (
                "ALTER TABLE mark DROP CONSTRAINT mark_pkey", #"the primary key of mark: ALTER TABLE "mark" ADD PRIMARY KEY ("position")"#,
                #"ALTER TABLE "mark" ADD PRIMARY KEY ("position")"#
            ),
            (
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'mark_pkey'::regclass",
                #"the primary key of mark, which is not valid: REINDEX INDEX "mark_pkey""#, #"REINDEX INDEX "mark_pkey""#
            ),
            (
                "ALTER TABLE mark DROP CONSTRAINT mark_code_key", #"a UNIQUE of mark: ALTER TABLE "mark" ADD UNIQUE ("code")"#,
                #"ALTER TABLE "mark" ADD UNIQUE ("code")"#
            ),
            // Unique for some rows, or of more columns, is not what was asked for.
            (
                "ALTER TABLE mark DROP CONSTRAINT mark_code_key; CREATE UNIQUE INDEX few ON mark (code) WHERE number > 0; "
                    + "CREATE UNIQUE INDEX wide ON mark (code, number)",
                #"a UNIQUE of mark: ALTER TABLE "mark" ADD UNIQUE ("code")"#, "CREATE UNIQUE INDEX own ON mark (code)"
            ),
            (
                "ALTER TABLE mark DROP CONSTRAINT mark_owner_number_key", #"a UNIQUE of mark: ALTER TABLE "mark" ADD UNIQUE ("owner", "number")"#,
                "CREATE UNIQUE INDEX own ON mark (owner, number)"
            ),
            // Nor is the same in another order, or one that is looked at when a transaction ends.
            (
                "ALTER TABLE mark DROP CONSTRAINT mark_owner_number_key; CREATE UNIQUE INDEX turned ON mark (number, owner)",
                #"a UNIQUE of mark: ALTER TABLE "mark" ADD UNIQUE ("owner", "number")"#, #"ALTER TABLE "mark" ADD UNIQUE ("owner", "number")"#
            ),
            (
                "ALTER TABLE mark DROP CONSTRAINT mark_code_key; ALTER TABLE mark ADD UNIQUE (code) DEFERRABLE",
                #"a UNIQUE of mark: ALTER TABLE "mark" ADD UNIQUE ("code")"#, #"ALTER TABLE "mark" ADD UNIQUE ("code")"#
            ),
            // A comma in a name parts nothing.
            (
                #"ALTER TABLE mark DROP CONSTRAINT mark_owner_number_key; ALTER TABLE mark ADD COLUMN "owner,number" INT UNIQUE"#,
                #"a UNIQUE of mark: ALTER TABLE "mark" ADD UNIQUE ("owner", "number")"#, #"ALTER TABLE "mark" ADD UNIQUE ("owner", "number")"#
            ),
            (
                "ALTER TABLE owner DROP CONSTRAINT lean_owner_pkey; ALTER TABLE owner ADD CONSTRAINT mine PRIMARY KEY (place)",
                #"the primary key of owner, which is another one: ALTER TABLE "owner" DROP CONSTRAINT "mine"; ALTER TABLE "owner" ADD PRIMARY KEY ("id")"#,
                #"ALTER TABLE "owner" DROP CONSTRAINT "mine"; ALTER TABLE "owner" ADD PRIMARY KEY ("id")"#
            ),
            (
                "ALTER TABLE schema_version DROP CONSTRAINT schema_version_pkey",
                #"the primary key of schema_version: ALTER TABLE "schema_version" ADD PRIMARY KEY ("number")"#,
                #"ALTER TABLE "schema_version" ADD PRIMARY KEY ("number")"#
            ),
        ])
    func lacking(_ harm: String, _ words: String, _ cure: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let database = try await cluster.open(name)
        for _ in 0..<2 { try await database.migrate(Self.steps) }
        try await cluster.run(["CREATE INDEX more ON owner (name, place)"], in: name)
        try await database.migrate(Self.steps)
        try await cluster.run([harm], in: name)
        await #expect(throws: DatabaseOpenError.missingIndexes([words])) { try await database.migrate(Self.steps) }
        // Nor does a step go on over it.
        let more = Self.steps + [Migration(3, "more") { _ in ["ALTER TABLE mark ADD COLUMN note TEXT"] }]
        await #expect(throws: DatabaseOpenError.missingIndexes([words])) { try await database.migrate(more) }
        #expect(try await database.schemaVersion() == 2)
        try await cluster.run([cure], in: name)
        try await database.migrate(more)
        await database.close()
    }

    @Test(
        "A table that is gone is told before what was on it, by its name and with what to do; under its name again nothing is missed",
        arguments: Backend.allCases)
    func tableGone(on backend: Backend) async throws {
        try await backend.withEmptyDatabase { database in
            for _ in 0..<2 { try await database.migrate(Self.steps) }
            try await database.transaction { try $0.execute("ALTER TABLE mark RENAME TO marked") }
            let gone = SQLError.tableMissing(path: database.place, name: "mark")
            let error = await #expect(throws: gone) { try await database.migrate(Self.steps) }
            let words = error?.words(for: .start) ?? ""
            #expect(words.contains("(mark), ") && words.contains("has renamed it"), "\(words)")
            #expect(words.hasSuffix("restore a backup, then start again"), "\(words)")
            #expect(!words.contains("ALTER TABLE") && !words.contains("CREATE"), "\(words)")
            // Nor does a step go on over it.
            let more = Self.steps + [Migration(3, "more") { _ in ["ALTER TABLE owner ADD COLUMN note TEXT"] }]
            await #expect(throws: gone) { try await database.migrate(more) }
            #expect(try await database.schemaVersion() == 2)
            try await database.transaction { try $0.execute("ALTER TABLE owner RENAME TO former") }
            await #expect(throws: SQLError.tableMissing(path: database.place, name: "mark, owner")) { try await database.migrate(more) }
            for (now, name) in [("marked", "mark"), ("former", "owner")] {
                try await database.transaction { try $0.execute("ALTER TABLE \(now) RENAME TO \(name)") }
            }
            try await database.migrate(more)
        }
    }

    @Test("Of many tables that are gone the first five are named", arguments: Backend.allCases)
    func manyGone(on backend: Backend) async throws {
        let step = Migration(1, "many") { d in (1...7).map { "CREATE TABLE t\($0) (n \(d.integer)) \(d.tableOptions)" } }
        try await backend.withEmptyDatabase { database in
            try await database.migrate([step])
            for number in 1...7 { try await database.transaction { try $0.execute("DROP TABLE t\(number)") } }
            await #expect(throws: SQLError.tableMissing(path: database.place, name: "t1, t2, t3, t4, t5 and 2 more")) {
                try await database.migrate([step])
            }
        }
    }

    @Test("Tables are read from the beginnings of statements: those that were dropped or renamed are not among them")
    func tableNames() {
        func tables(_ statements: [String]) -> Set<String> {
            var read = SchemaIndexes(after: [])
            read.followTables(statements)
            return Set(read.tables.keys)
        }
        #expect(tables(Self.steps.flatMap { $0.statements(.postgresql) }) == ["mark", "owner"])
        #expect(tables(Self.steps.flatMap { $0.statements(.sqlite) }) == ["mark", "owner"])
        let steps = [
            "create table if not exists a(b int)", "ALTER TABLE a ADD UNIQUE (b, c)", "CREATE UNIQUE INDEX i ON a(b)", "ALTER TABLE a RENAME TO c",
        ]
        #expect(tables(steps) == ["c"])
    }

    @Test("A program of before asks nothing of indexes that a later step has taken away", .enabled(if: PostgreSQLCluster.isInstalled))
    func older() async throws {
        try await PostgreSQLDatabase.lend { database in
            let later = Migration(3, "later", readableFrom: 2) { _ in ["DROP INDEX owner_place"] }
            try await database.migrate(Self.steps + [later])
            try await database.migrate(Self.steps)
            try await database.migrate(Self.steps + [later])
        }
    }
}
