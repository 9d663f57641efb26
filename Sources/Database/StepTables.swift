/// The tables in which the steps of a schema are counted: the first that a server makes, and made with the mark of a move. Whoever makes them has the database:
/// a name is given once, so that of a server and a move that begin at once one is told of the other's (docs/decisions/0054).
enum StepTables {
    static let names: Set<String> = ["schema_version", "schema_reader"]

    /// The `name` of the first step: of no two servers it is the same.
    static let firstQuestion = "SELECT name FROM schema_version WHERE number = 1"

    /// What makes those that are not there. None says `IF NOT EXISTS`, which would be content with the table of somebody else.
    /// - Parameter present: names that are taken.
    static func definitions(_ d: SQLDialect, besides present: Set<String>) -> [String] {
        [("schema_version", "name TEXT"), ("schema_reader", "readable_from \(d.integer)")].filter { !present.contains($0.0) }.map { table, column in
            """
            CREATE TABLE \(table) (
                number \(d.integer) NOT NULL PRIMARY KEY,
                \(column) NOT NULL
            ) \(d.tableOptions)
            """
        }
    }
}
