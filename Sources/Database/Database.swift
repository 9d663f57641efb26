// Database: one SQL seam for every store of both servers.
//
// Owns: connecting, querying, durable transactions, migrations, and the errors of all of them; how rows are saved and what a transaction knows of them
// (`SQLTable`, `KnownRows`); the key-encryption key and key files (AtRest/), because whoever stores a secret wraps it.
// Leaves to others: every statement (stores keep their SQL beside the feature), every rule, every retry that a domain decides on.
// Start reading here, then `SQLConnection`, then `SQLiteDatabase`. SQLite comes through GRDB, PostgreSQL through libpq; the seam is
// synchronous inside a body and asynchronous around it, so that an engine with blocking connections on its own threads fits behind it without a change
// in any store. Which engine an address names is told in Engines/, above them all. Moving/ takes all rows of one database to another, over the seam alone.
//
//     let database = try SQLiteDatabase.open(path: "data/ostiary.sqlite")
//     try await database.migrate([Migration(1, "accounts") { ["CREATE TABLE account (id \($0.blob) PRIMARY KEY) \($0.tableOptions)"] }])
//     try await database.transaction { try $0.execute("INSERT INTO account (id) VALUES ($1)", [.blob(id)]) }
//     let row = try await database.read { try $0.one("SELECT id FROM account WHERE id = $1", [.blob(id)]) }

/// A place that keeps rows, whichever engine is behind it.
///
/// Bodies are plain synchronous code over a connection. An engine may run a body a second time when it had to give up the first run
/// before anything was committed, so a body has no effect but through its connection, draws nothing, and returns what it found.
package protocol Database: Sendable {
    /// How this engine spells the few words of DDL in which engines differ.
    var dialect: SQLDialect { get }

    /// Which it is, for an operator's line that begins “the database”.
    var place: String { get }

    /// Whether other processes may write to it while this one has it open.
    var isShared: Bool { get }

    /// The way to those who use it at other nodes; nil where there are none (``isShared``), or where the engine has no such way.
    var announcements: (any Announcements)? { get }

    /// Whether a server of perhaps another version has it open, beside which this process came: then its tables are not ours to change.
    var hasServerBeside: Bool { get }

    /// The same database for work that may take longer than anybody waits for an answer: a step of the schema.
    var patient: any Database { get }

    /// Why no connection to it was to be had when somebody wanted one last, as one line for an operator; nil where one was, or where it takes none.
    var refusal: String? { get }

    /// Runs `body` on one consistent state of the data, without the right to change it.
    ///
    /// Do all the reading of one request in one call: the call costs more than a query in it.
    /// - Throws: what `body` throws, and ``SQLError``.
    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value

    /// The rows of one statement that reads, of the state of one moment. Where the engine is another process this is one way there and back, and no transaction
    /// to begin and to end beside it.
    /// - Throws: ``SQLError``.
    func rows(_ sql: String, _ arguments: [SQLValue]) async throws -> [SQLRow]

    /// Whether ``rowsAtOnce(_:_:)`` answers, as a rule.
    var readsAtOnce: Bool { get }

    /// The rows of one statement that reads, of the state of this moment, looked up on the calling thread without waiting for a connection, for another process or
    /// for another machine. Nil where that can't be, or failed: ``read(_:)`` waits, and says why it fails.
    func rowsAtOnce(_ sql: String, _ arguments: [SQLValue]) -> [SQLRow]?

    /// Tells `watcher` of every change of these rows from now on, whatever statement makes it. The database does not keep it alive.
    /// - Returns: false where other processes may change them (``isShared``), or the engine does not tell: then it hears nothing.
    /// - Throws: ``SQLError``.
    func watch(_ rows: [WatchedRows], by watcher: any RowWatcher) async throws -> Bool

    /// Runs `body` alone among writers and returns its value once the changes are on stable storage; if `body` throws, none of them remain.
    ///
    /// Many callers at a time share one commit, and none of them sees or suffers from another's failure.
    /// A cancelled task does not take back a transaction that it has begun.
    /// - Throws: what `body` throws, and ``SQLError``; after ``SQLError/outcomeUnknown`` the changes are there or not.
    @discardableResult
    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value

    /// ``transaction(_:)``, which is hard, or one of which the caller says that nobody relies on it. An engine that can't promise of a soft one what
    /// ``Durability/soft`` says takes it for a hard one.
    /// - Throws: what ``transaction(_:)`` throws.
    @discardableResult
    func transaction<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Leaves nothing in the engine's files of what committed transactions have deleted or replaced, its log included. Waits for readers.
    /// - Throws: ``SQLError``, `busy` when a reader does not finish.
    func purge() async throws

    /// Whether the disk would take a transaction, found out without one, as far as that can be: nothing is committed, and nothing of it waits for stable
    /// storage.
    /// - Parameter tables: to which it would write. What others do with tables of theirs beside these is nobody's business, where an engine can tell.
    /// - Throws: ``SQLError/diskFull(path:)``, ``SQLError/cannotWrite(path:reason:)``, ``SQLError/busy`` while another process holds the database,
    ///   ``SQLError/replaced(path:)``, ``SQLError/damaged(path:reason:)``.
    func checkWritable(_ tables: Set<String>) async throws

    /// Whether the files that are open still have their names, and no call has found them damaged. Costs nothing but a look at the names. Where the engine is
    /// another process: whether a connection to it is what it was made as, by one question.
    /// - Throws: ``SQLError/replaced(path:)``; ``SQLError/damaged(path:reason:)`` from the first such finding to the end of the process.
    func checkInPlace() async throws

    /// Whether what is committed outlives the machine that it is on: a second one keeps it before a commit is acknowledged, and is there now.
    /// - Throws: ``NoStandby``, ``SQLError``.
    func checkStandby() async throws

    /// Finishes what was begun, then lets go of files and connections. Later calls throw ``SQLError/closed``; closing twice is harmless.
    func close() async throws
}

extension Database {
    package var place: String { "of this server" }
    package func watch(_ rows: [WatchedRows], by watcher: any RowWatcher) async throws -> Bool { false }
    package var hasServerBeside: Bool { false }
    package var announcements: (any Announcements)? { nil }
    package var patient: any Database { self }
    package func rows(_ sql: String, _ arguments: [SQLValue]) async throws -> [SQLRow] { try await read { try $0.query(sql, arguments) } }
    package var refusal: String? { nil }
    package var readsAtOnce: Bool { false }

    @discardableResult
    package func transaction<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await transaction(body)
    }

    package func rowsAtOnce(_ sql: String, _ arguments: [SQLValue]) -> [SQLRow]? { nil }
    package func checkStandby() async throws { throw NoStandby.file }
}

/// Whether other processes may use the same database file at the same time.
package enum DatabaseOwnership: Sendable {
    /// For a server: no second server opens the file as long as this one lives.
    case exclusive
    /// For an operator's command beside a running server: waits for its turn to write like any other writer. It comes by the path that the server has.
    case shared
}
